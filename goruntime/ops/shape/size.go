package shape

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Size gives the number of elements of a tensor.
// https://onnx.ai/onnx/operators/onnx__Size.html   Departures: none.
var Size = op.Declare("", "Size", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			1: "", 13: "bfloat16", 19: "float8", 21: "4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		FromShape: true,
		Shape: func(c *op.Infer) error {
			c.SetOutput(0, tensor.I64, nil)
			return nil
		},
		Run: func(c *op.Context) error {
			tensor.Elems[int64](c.Out(0))[0] = int64(c.In(0).Elements())
			return nil
		},
	}
})
