package shape

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Squeeze removes dimensions of size 1: those named, or all.
// https://onnx.ai/onnx/operators/onnx__Squeeze.html   Departures: none.
var Squeeze = op.Declare("", "Squeeze", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			13: "axes are an input", 21: "float8, 4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		View: true,
		Shape: func(c *op.Infer) error {
			if !c.Has(1) {
				return squeeze(c, nil, false)
			}
			axes, err := c.Ints(1)
			if err != nil {
				return err
			}
			return squeeze(c, axes, true)
		},
		Run:  copyBytes,
		Also: map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// Squeeze1 is Squeeze before version 13: the axes are an attribute.
var Squeeze1 = op.Declare("", "Squeeze", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "the axes are an attribute", 11: "negative axes"},
		Attrs:    op.Attrs(op.Ints("axes")),
		View:     true,
		Shape: func(c *op.Infer) error {
			return squeeze(c, c.Attr.Ints("axes"), c.Attr.Has("axes"))
		},
		Run: copyBytes,
	}
})

func squeeze(c *op.Infer, axes []int, named bool) error {
	in := c.In(0)
	out := c.Grow(0, c.DType(0), len(in))[:0]
	for _, a := range axes {
		i, err := tensor.Axis(a, len(in))
		if err != nil {
			return err
		}
		if in[i] != 1 {
			return errs.New(errs.Shape, "axis %d has size %d (shape %v): only a dimension of size 1 can be squeezed", a, in[i], in)
		}
	}
	for i, d := range in {
		if named && (slices.Contains(axes, i) || slices.Contains(axes, i-len(in))) {
			continue
		}
		if !named && d == 1 {
			continue
		}
		out = append(out, d)
	}
	c.SetOutput(0, c.DType(0), out)
	return nil
}
