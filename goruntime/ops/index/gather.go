package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Gather picks slices of data along one axis, by index.
// https://onnx.ai/onnx/operators/onnx__Gather.html   Departures: none.
var Gather = op.Declare("", "Gather", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "", 11: "negative indices", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Int("axis", 0)),
		InPlace:  op.Never,
		Shape:    gatherShape,
		Prepare:  gatherPrepare,
		Cuts:     gatherCuts,
		Run:      gatherRun,
		DTypes:   op.ByWidth[gatherKernel](gather[uint8], gather[uint16], gather[uint32], gather[uint64], gather[op.Bytes16], gather[op.Bytes16]),
		Also:     map[int][]tensor.DType{1: {tensor.I32, tensor.I64}},
	}
})

// gatherShape: data [Outer..., N, Inner...], indices [K...] -> [Outer..., K..., Inner...].
func gatherShape(c *op.Infer) error {
	data, indices := c.In(0), c.In(1)
	axis, err := c.Axis("axis", len(data))
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(data)-1+len(indices))
	n := copy(out, data[:axis])
	n += copy(out[n:], indices)
	copy(out[n:], data[axis+1:])
	return nil
}

// gatherSize is how data is seen: [outer, n, inner], and the number of indices.
type gatherSize struct{ outer, n, inner, picks int }

func gatherPrepare(c *op.Context) error {
	data := c.In(0).Shape
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(data))
	if err != nil {
		return err
	}
	s := &gatherSize{picks: c.In(1).Elements()}
	s.outer, s.n, s.inner = data.Around(axis)
	c.State = s
	return nil
}

// gatherCuts tells where the only element of the outermost axis is that is picked.
func gatherCuts(c *op.Infer) (first []int, ok bool) {
	axis, err := c.Axis("axis", len(c.In(0)))
	if err != nil || c.In(1).Elements() != 1 {
		return nil, false
	}
	picks, err := c.Ints(1)
	outer, n, inner := c.In(0).Around(axis)
	if err != nil || outer != 1 || picks[0] < -n || picks[0] >= n {
		return nil, false // an index out of range is the run's to refuse
	}
	return []int{(picks[0] + n) % n * inner}, true
}

func gatherRun(c *op.Context) error {
	s := c.State.(*gatherSize)
	indices, err := c.Ints(1)
	if err != nil {
		return err
	}
	for at, i := range indices {
		if i < -s.n || i >= s.n {
			return errs.New(errs.Compute, "index %d at position %d is out of range for axis size %d: it must lie in [%d, %d]", i, at, s.n, -s.n, s.n-1)
		}
		if i < 0 {
			indices[at] = i + s.n
		}
	}
	op.Row[gatherKernel](c)(s, indices, c.Out(0), c.In(0))
	return nil
}

type gatherKernel func(s *gatherSize, indices []int, out, data *tensor.View)

func gather[T any](s *gatherSize, indices []int, out, data *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](data)
	if s.inner == 1 {
		for o := range s.outer {
			row := src[o*s.n : (o+1)*s.n]
			for k, i := range indices {
				dst[o*s.picks+k] = row[i]
			}
		}
		return
	}
	for o := range s.outer {
		for _, i := range indices {
			at := (o*s.n + i) * s.inner
			copy(dst[:s.inner], src[at:at+s.inner])
			dst = dst[s.inner:]
		}
	}
}
