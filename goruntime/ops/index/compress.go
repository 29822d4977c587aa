package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Compress keeps the slices along an axis, or the elements, for which a condition
// holds; what lies beyond the condition is dropped.
// https://onnx.ai/onnx/operators/onnx__Compress.html   Departures: none.
var Compress = op.Declare("", "Compress", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: "", 11: "negative axis", 28: "bfloat16"}, Attrs: op.Attrs(op.Optional("axis", op.KindInt)),
		Computes: true,
		Prepare: func(c *op.Context) error {
			if len(c.In(1).Shape) != 1 {
				return errs.New(errs.Shape, "the condition has shape %v, one dimension expected", c.In(1).Shape)
			}
			s := &compression{}
			c.State = s
			return s.along(c)
		},
		Run: func(c *op.Context) error {
			s := c.State.(*compression)
			keep := tensor.Elems[bool](c.In(1))
			keep = keep[:min(len(keep), s.n)]
			n := 0
			for _, k := range keep {
				if k {
					n++
				}
			}
			s.shape = append(s.shape[:0], n)
			if s.axis >= 0 {
				s.shape = append(s.shape[:0], c.In(0).Shape...)
				s.shape[s.axis] = n
			}
			y, err := c.MakeOutputTensor(0, c.In(0).DType, s.shape)
			if err == nil {
				op.Row[compressKernel](c)(s, keep, y, c.In(0))
			}
			return err
		},
		DTypes: op.ByWidth[compressKernel](compress[uint8], compress[uint16], compress[uint32], compress[uint64], compress[op.Bytes16], compress[op.Bytes16]),
		Also:   map[int][]tensor.DType{1: {tensor.Bool}},
	}
})

// compression is the State.
type compression struct {
	sliced
	shape []int
}

// sliced is an input of outer x n x inner elements: its slices along an axis, or all its
// elements where axis is -1.
type sliced struct{ outer, n, inner, axis int }

// along settles the slices by the attribute axis.
func (s *sliced) along(c *op.Context) (err error) {
	x := c.In(0).Shape
	*s = sliced{outer: 1, n: x.Elements(), inner: 1, axis: -1}
	if !c.Attr.Has("axis") {
		return nil
	}
	if s.axis, err = tensor.Axis(c.Attr.Int("axis"), len(x)); err == nil {
		s.outer, s.n, s.inner = x.Around(s.axis)
	}
	return err
}

type compressKernel func(s *compression, keep []bool, out, in *tensor.View)

func compress[T any](s *compression, keep []bool, out, in *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](in)
	for range s.outer {
		for i, k := range keep {
			if !k {
				continue
			}
			if s.inner == 1 {
				dst[0] = src[i]
			} else {
				copy(dst, src[i*s.inner:(i+1)*s.inner])
			}
			dst = dst[s.inner:]
		}
		src = src[s.n*s.inner:]
	}
}
