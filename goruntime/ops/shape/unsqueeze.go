package shape

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Unsqueeze inserts dimensions of size 1 at the named places of the output.
// https://onnx.ai/onnx/operators/onnx__Unsqueeze.html   Departures: none.
var Unsqueeze = op.Declare("", "Unsqueeze", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			13: "axes are an input", 21: "float8, 4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		View: true,
		Shape: func(c *op.Infer) error {
			axes, err := c.Ints(1)
			if err != nil {
				return err
			}
			return unsqueeze(c, axes)
		},
		Run:  copyBytes,
		Also: map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// Unsqueeze1 is Unsqueeze before version 13: the axes are an attribute.
var Unsqueeze1 = op.Declare("", "Unsqueeze", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "the axes are an attribute", 11: "negative axes"},
		Attrs:    op.Attrs(op.Required("axes", op.KindInts)),
		View:     true,
		Shape: func(c *op.Infer) error {
			return unsqueeze(c, c.Attr.Ints("axes"))
		},
		Run: copyBytes,
	}
})

func unsqueeze(c *op.Infer, axes []int) error {
	in := c.In(0)
	rank := len(in) + len(axes)
	for k, a := range axes {
		i, err := tensor.Axis(a, rank)
		if err != nil {
			return err
		}
		for _, b := range axes[:k] {
			if b == i || b == i-rank {
				return errs.New(errs.Shape, "axes %v name the dimension %d of the output twice", axes, i)
			}
		}
	}
	out := c.Grow(0, c.DType(0), rank)
	next := 0
	for i := range out {
		if slices.Contains(axes, i) || slices.Contains(axes, i-rank) {
			out[i] = 1
			continue
		}
		out[i] = in[next]
		next++
	}
	return nil
}
