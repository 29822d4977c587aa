package quant

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DynamicQuantizeMatMul quantizes A to u8, as DynamicQuantizeLinear does, and
// multiplies it with a quantized B.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeMatMul
// Departures: none.
var DynamicQuantizeMatMul = op.Declare("com.microsoft", "DynamicQuantizeMatMul", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2},
		Shape: func(c *op.Infer) error {
			if err := productShape(c, c.In(0), c.In(1), tensor.F32); err != nil {
				return err
			}
			return biasShape(c, 4, c.In(1))
		},
		Prepare: func(c *op.Context) error {
			return floatPrepare(c, operands{a: 0, b: 1, zeroA: -1, zeroB: 3}, -1, 2, 4)
		},
		Run:    floatRun,
		DTypes: op.Uniform(struct{}{}, tensor.F32),
		Also:   map[int][]tensor.DType{1: bytes, 2: {tensor.F32}, 3: bytes, 4: {tensor.F32}},
	}
})
