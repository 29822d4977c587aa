package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers come from ONNX Runtime 1.32.
func TestQLinearSigmoidAndLeakyRelu(t *testing.T) {
	for i, d := range []tensor.DType{tensor.U8, tensor.I8} {
		z := func(v float64) *tensor.View { return optest.Filled(d, nil, v) }
		x := optest.Filled(d, optest.Dims(2, 2, 3), codes(d, 12, 1)...)
		sigmoid := [][]float64{{139, 202, 253, 209, 162, 207, 252, 194, 124, 165, 245, 117}, {6, 19, 127, 22, 9, 21, 127, 16, 5, 10, 84, 5}}[i]
		leaky := [][]float64{{24, 53, 128, 58, 33, 56, 125, 48, 20, 35, 98, 20}, {11, 14, 32, 14, 12, 14, 29, 13, 10, 12, 18, 10}}[i]
		optest.Run(t, QLinearSigmoid, []optest.Case{
			{Name: d.String(), In: optest.In(x, scalar(.03), z(7), scalar(1.0/256), z(0)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), sigmoid...))},
			{Name: "empty", In: optest.In(optest.Filled(d, optest.Dims(0)), scalar(.03), nil, scalar(1), nil), Want: optest.Want(optest.Filled(d, optest.Dims(0)))},
		})
		optest.Run(t, QLinearLeakyRelu, []optest.Case{
			{Name: d.String(), Attrs: optest.Attrs("alpha", .1), In: optest.In(x, scalar(.03), z(7), scalar(.04), z(20)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), leaky...))},
			{Name: "scales", In: optest.In(x, scalar(.03), nil, f32s(2, 1, 1), nil), Err: "input 3 has shape [2]: one number expected", Code: errs.Shape},
		})
	}
}
