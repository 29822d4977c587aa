package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// OneHot adds a dimension of size depth in which the index of each element has
// the value on and all else off; an index outside [-depth, depth) has all off.
// https://onnx.ai/onnx/operators/onnx__OneHot.html   Departures: none.
var OneHot = op.Declare("", "OneHot", func() op.Def {
	return oneHotOf(op.Versions{11: "negative indices and axes", 28: "bfloat16"}, true)
})

// OneHot9 is OneHot without negative indices: they have all off.
var OneHot9 = op.Declare("", "OneHot", func() op.Def {
	return oneHotOf(op.Versions{9: ""}, false)
})

func oneHotOf(versions op.Versions, negative bool) op.Def {
	return op.Def{
		Versions: versions,
		Attrs:    op.Attrs(op.Int("axis", -1)),
		Shape:    oneHotShape,
		Prepare: func(c *op.Context) error {
			out := c.Out(0).Shape
			axis, err := tensor.Axis(c.Attr.Int("axis"), len(out))
			if err != nil {
				return err
			}
			c.State = &oneHot{depth: out[axis], inner: out[axis+1:].Elements(), negative: negative}
			return nil
		},
		Run:    oneHotRun,
		DTypes: op.ByWidth[oneHotKernel](mark[uint8], mark[uint16], mark[uint32], mark[uint64], mark[op.Bytes16], mark[op.Bytes16]),
		Key:    2,
		Also:   map[int][]tensor.DType{0: wholeTypes, 1: wholeTypes},
	}
}

// wholeTypes are the numbers that indices and depth may be of.
var wholeTypes = []tensor.DType{
	tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64, tensor.F16, tensor.F32, tensor.F64,
}

// oneHotShape: indices [I...], depth N -> [I[:axis]..., N, I[axis:]...].
func oneHotShape(c *op.Infer) error {
	depth, err := c.Whole(1)
	if err != nil {
		return err
	}
	if len(depth) != 1 {
		return errs.New(errs.Shape, "depth has %d elements, one expected", len(depth))
	}
	if depth[0] < 0 {
		return errs.New(errs.Compute, "depth is %d: it must not be negative", depth[0])
	}
	if v := c.In(2); v.Elements() != 2 {
		return errs.New(errs.Shape, "values has shape %v: two elements are expected, off and on", v)
	}
	indices := c.In(0)
	axis, err := c.Axis("axis", len(indices)+1)
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(2), len(indices)+1)
	copy(out, indices[:axis])
	out[axis] = depth[0]
	copy(out[axis+1:], indices[axis:])
	_, err = out.Check(c.DType(2))
	return err
}

// oneHot is the State: the output is [outer, depth, inner].
type oneHot struct {
	depth, inner int
	negative     bool // negative indices count from the end
}

func oneHotRun(c *op.Context) error {
	indices, err := c.Whole(0)
	if err != nil {
		return err
	}
	op.Row[oneHotKernel](c)(c.State.(*oneHot), indices, c.Out(0), c.In(2))
	return nil
}

type oneHotKernel func(s *oneHot, indices []int, out, values *tensor.View)

func mark[T any](s *oneHot, indices []int, out, values *tensor.View) {
	dst, v := tensor.Elems[T](out), tensor.Elems[T](values)
	off, on := v[0], v[1]
	for i := range dst {
		dst[i] = off
	}
	for k, i := range indices {
		if i < 0 && s.negative {
			i += s.depth
		}
		if i >= 0 && i < s.depth {
			dst[(k/s.inner*s.depth+i)*s.inner+k%s.inner] = on
		}
	}
}
