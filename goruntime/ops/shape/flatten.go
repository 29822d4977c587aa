package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
)

// Flatten makes a matrix of a tensor: the dimensions before axis, and the rest.
// https://onnx.ai/onnx/operators/onnx__Flatten.html   Departures: none.
var Flatten = op.Declare("", "Flatten", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			1: "", 9: "all types", 11: "negative axes", 13: "bfloat16", 21: "float8, 4-bit types",
			23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs: op.Attrs(op.Int("axis", 1)),
		View:  true,
		Shape: func(c *op.Infer) error {
			in, axis := c.In(0), c.Attr.Int("axis")
			if axis < -len(in) || axis > len(in) {
				return errs.New(errs.Shape, "axis %d is out of range for rank %d: it must lie in [%d, %d]", axis, len(in), -len(in), len(in))
			}
			if axis < 0 {
				axis += len(in)
			}
			out := c.Grow(0, c.DType(0), 2)
			out[0], out[1] = in[:axis].Elements(), in[axis:].Elements()
			return nil
		},
		Run: copyBytes,
	}
})
