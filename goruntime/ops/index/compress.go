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
			s := &compression{outer: 1, n: c.In(0).Elements(), inner: 1, axis: -1}
			c.State = s
			x := c.In(0).Shape
			if len(c.In(1).Shape) != 1 {
				return errs.New(errs.Shape, "the condition has shape %v, one dimension expected", c.In(1).Shape)
			}
			if !c.Attr.Has("axis") {
				return nil
			}
			axis, err := tensor.Axis(c.Attr.Int("axis"), len(x))
			if err != nil {
				return err
			}
			s.axis, s.outer, s.n, s.inner = axis, x[:axis].Elements(), x[axis], x[axis+1:].Elements()
			return nil
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

// compression is the State: the input is outer x n x inner.
type compression struct {
	outer, n, inner, axis int
	shape                 []int
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
