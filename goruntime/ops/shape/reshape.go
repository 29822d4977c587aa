package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Reshape gives a tensor other dimensions: 0 keeps one, -1 is what is left.
// https://onnx.ai/onnx/operators/onnx__Reshape.html   Departures: none.
var Reshape = op.Declare("", "Reshape", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			5: "", 13: "bfloat16", 14: "allowzero", 19: "float8", 21: "4-bit types",
			23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs: op.Attrs(op.Int("allowzero", 0)),
		View:  true,
		Shape: reshapeShape,
		Run:   copyBytes,
		Also:  map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// Reshape1 is Reshape before version 5: the shape is an attribute.
var Reshape1 = op.Declare("", "Reshape", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "the shape is an attribute"},
		Attrs:    op.Attrs(op.Ints("shape"), op.Ints("consumed_inputs")),
		View:     true,
		Shape: func(c *op.Infer) error {
			return reshapeTo(c, c.Attr.Ints("shape"), false)
		},
		Run: copyBytes,
	}
})

func reshapeShape(c *op.Infer) error {
	want, err := c.Ints(1)
	if err != nil {
		return err
	}
	return reshapeTo(c, want, c.Attr.Bool("allowzero"))
}

func reshapeTo(c *op.Infer, want []int, allowZero bool) error {
	in := c.In(0)
	out := c.Grow(0, c.DType(0), len(want))
	rest, total := -1, 1
	for i, d := range want {
		switch {
		case d == -1 && rest >= 0:
			return errs.New(errs.Shape, "shape %v has more than one -1", tensor.Shape(want))
		case d == -1:
			rest, d = i, 1
		case d < -1:
			return errs.New(errs.Shape, "shape %v has the dimension %d: it must be -1 or more", tensor.Shape(want), d)
		case d == 0 && !allowZero:
			if i >= len(in) {
				return errs.New(errs.Shape, "shape %v copies dimension %d of the input, which has shape %v", tensor.Shape(want), i, in)
			}
			d = in[i]
		}
		out[i] = d
		total *= d
	}
	n := in.Elements()
	if _, err := out.Check(c.DType(0)); err != nil {
		return err
	}
	if rest >= 0 {
		if total == 0 || n%total != 0 {
			return errs.New(errs.Shape, "the %d elements of shape %v cannot be given the shape %v", n, in, tensor.Shape(want))
		}
		out[rest] = n / total
		total *= out[rest]
	}
	if total != n {
		return errs.New(errs.Shape, "the %d elements of shape %v cannot be given the shape %v of %d", n, in, tensor.Shape(want), total)
	}
	return nil
}
