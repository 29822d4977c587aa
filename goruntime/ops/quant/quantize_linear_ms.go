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
	QuantizeLinearMS = op.Declare(microsoft, "QuantizeLinear", func() op.Def {
		return op.Def{
			Versions: op.Versions{1: ""}, Needs: []int{0, 1}, Attrs: QuantizeLinear.Def().Attrs, Shape: QuantizeLinear.Def().Shape,
			Prepare: QuantizeLinear.Def().Prepare, Run: QuantizeLinear.Def().Run, DTypes: op.Uniform(struct{}{}, tensor.F32, tensor.F16), Also: QuantizeLinear.Def().Also,
		}
	})
	DequantizeLinearMS = op.Declare(microsoft, "DequantizeLinear", func() op.Def {
		return op.Def{
			Versions: op.Versions{1: ""}, Needs: []int{0, 1}, Attrs: DequantizeLinear.Def().Attrs, Shape: DequantizeLinear.Def().Shape,
			Prepare: DequantizeLinear.Def().Prepare, Run: DequantizeLinear.Def().Run, DTypes: DequantizeLinear.Def().DTypes, Also: DequantizeLinear.Def().Also,
		}
	})
)
