package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers come from ONNX Runtime 1.32.
func TestQLinearConcat(t *testing.T) {
	for i, d := range []tensor.DType{tensor.U8, tensor.I8} {
		z := func(v float64) *tensor.View { return optest.Filled(d, nil, v) }
		a, b := optest.Filled(d, optest.Dims(2, 2, 3), codes(d, 12, 1)...), optest.Filled(d, optest.Dims(2, 1, 3), codes(d, 6, 3)...)
		want := [][]float64{{24, 46, 106, 50, 31, 49, 39, 77, 177, 104, 43, 19, 32, 82, 16, 83, 51, 81}, {-53, -30, 30, -27, -46, -28, -89, -51, 49, 27, -34, -58, -45, 6, -60, -45, -77, -47}}[i]
		optest.Run(t, QLinearConcat, []optest.Case{
			{Name: d.String(), Attrs: optest.Attrs("axis", 1), In: optest.In(scalar(.05), z(20), a, scalar(.03), z(7), b, scalar(.05), z(20)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3, 3), want...))},
			{Name: "one, a negative axis", Attrs: optest.Attrs("axis", -1), In: optest.In(scalar(.05), z(20), b, scalar(.05), z(20)), Want: optest.Want(b)},
			{Name: "shapes", Attrs: optest.Attrs("axis", 0), In: optest.In(scalar(.05), z(20), a, scalar(.03), z(7), b, scalar(.05), z(20)), Err: "they may differ in axis 0 only", Code: errs.Shape},
			{Name: "too few", Attrs: optest.Attrs("axis", 0), In: optest.In(scalar(.05), z(20), a, scalar(.03)), Err: "4 inputs given", Code: errs.Model},
			{Name: "types", Attrs: optest.Attrs("axis", 0), In: optest.In(scalar(.05), z(20), f32s(1, 1), scalar(.03), z(7)), Err: "inputs 2 to 4 are f32, f32 and", Code: errs.Type},
		})
	}
}
