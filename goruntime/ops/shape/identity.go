package shape

import "github.com/goruntime/goruntime/goruntime/op"

// Identity gives its input.
// https://onnx.ai/onnx/operators/onnx__Identity.html   Departures: tensors only.
var Identity = op.Declare("", "Identity", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			1: "", 13: "bfloat16", 14: "sequences", 16: "optionals", 19: "float8", 21: "4-bit types",
			23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		View:  true,
		Shape: op.SameAsInput,
		Run:   copyBytes,
	}
})
