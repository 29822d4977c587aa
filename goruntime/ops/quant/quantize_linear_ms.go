package quant

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QuantizeLinearMS and DequantizeLinearMS are QuantizeLinear and DequantizeLinear
// of the domain com.microsoft, which had 16 and 4 bits first.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// Departures: none. They take the attributes of the official operators too.
var (
	QuantizeLinearMS = op.Declare(op.Def{
		Name: "QuantizeLinear", Domain: microsoft, Versions: op.Versions{1: ""}, Attrs: QuantizeLinear.Attrs, Shape: QuantizeLinear.Shape,
		Prepare: QuantizeLinear.Prepare, Run: QuantizeLinear.Run, DTypes: op.Uniform(struct{}{}, tensor.F32, tensor.F16), Also: QuantizeLinear.Also,
	})
	DequantizeLinearMS = op.Declare(op.Def{
		Name: "DequantizeLinear", Domain: microsoft, Versions: op.Versions{1: ""}, Attrs: DequantizeLinear.Attrs, Shape: DequantizeLinear.Shape,
		Prepare: DequantizeLinear.Prepare, Run: DequantizeLinear.Run, DTypes: DequantizeLinear.DTypes, Also: DequantizeLinear.Also,
	})
)
