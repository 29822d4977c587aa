package quant

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
)

// QLinearSigmoid and QLinearLeakyRelu apply a function to quantized numbers.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// Departures: none.
var (
	QLinearSigmoid = op.Declare(microsoft, "QLinearSigmoid", func() op.Def {
		return curve(func(x, _ float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) })
	})
	QLinearLeakyRelu = op.Declare(microsoft, "QLinearLeakyRelu", func() op.Def {
		return curve(func(x, alpha float32) float32 {
			if x < 0 {
				return x * alpha
			}
			return x
		}, op.Float("alpha", 0.01))
	})
)
