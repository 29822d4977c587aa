package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers come from NumPy, with exact sums.
func TestQLinearMatMul(t *testing.T) {
	a := optest.U8(optest.Dims(3, 5), 217, 163, 130, 69, 78, 10, 19, 4, 44, 208, 166, 233, 128, 155, 248)
	b := optest.Filled(tensor.I8, optest.Dims(5, 4), 58, 33, 11, 15, 111, -57, 80, 43, -128, -28, 91, 13, -120, 67, 58, 88, -84, -106, 92, -123)
	f := func(v float32) *tensor.View { return optest.F32(nil, v) }
	i8 := func(d tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.I8, d, v...) }
	want := []float64{-5, -10, 25, -4, -7, -16, -20, -11, 4, -19, -11, -9}
	rows := optest.U8(optest.Dims(3), 1, 100, 200)
	cols := i8(optest.Dims(4), 0, 1, -2, 3)
	sa, sb := f32s(3, .01, .02, .03), f32s(4, .01, .02, .03, .005)
	optest.Run(t, QLinearMatMul, []optest.Case{
		{
			Name: "example", In: optest.In(
				optest.U8(optest.Dims(2, 4), 208, 236, 0, 238, 3, 214, 255, 29), f(0.0066), optest.U8(nil, 113),
				optest.U8(optest.Dims(4, 3), 152, 51, 244, 60, 26, 255, 0, 127, 246, 127, 254, 247), f(0.00705), optest.U8(nil, 114), f(0.0107), optest.U8(nil, 118)),
			Want: optest.Want(optest.U8(optest.Dims(2, 3), 168, 115, 255, 1, 66, 151)),
		},
		{Name: "one scale each", In: optest.In(a, f(.02), optest.U8(nil, 120), b, f(.01), i8(nil, 3), f(.5), optest.U8(nil, 100)), Want: optest.Want(optest.U8(optest.Dims(3, 4), 107, 101, 99, 102, 100, 97, 94, 90, 99, 93, 109, 97))},
		{Name: "scales of rows and columns", In: optest.In(a, sa, rows, b, sb, cols, f(.4), i8(nil, -5)), Want: optest.Want(i8(optest.Dims(3, 4), want...))},
		{
			Name: "scales of rows as a column", In: optest.In(a, optest.F32(optest.Dims(3, 1), .01, .02, .03), optest.U8(optest.Dims(3, 1), 1, 100, 200), b, optest.F32(optest.Dims(1, 4), .01, .02, .03, .005), i8(optest.Dims(1, 4), 0, 1, -2, 3), f(.4), i8(nil, -5)),
			Want: optest.Want(i8(optest.Dims(3, 4), want...)),
		},
		{Name: "a vector and a matrix", In: optest.In(optest.U8(optest.Dims(5), 217, 163, 130, 69, 78), f(.02), optest.U8(nil, 120), b, f(.01), i8(nil, 3), f(.5), optest.U8(nil, 100)), Want: optest.Want(optest.U8(optest.Dims(4), 107, 101, 99, 102))},
		{
			Name: "half scales", In: optest.In(optest.U8(optest.Dims(1, 2), 3, 5), optest.Filled(tensor.F16, nil, .5), optest.U8(nil, 1), optest.U8(optest.Dims(2, 1), 7, 2), optest.Filled(tensor.BF16, nil, 2), optest.U8(nil, 0), optest.Filled(tensor.F16, nil, 1), optest.U8(nil, 10)),
			Want: optest.Want(optest.U8(optest.Dims(1, 1), 32)),
		},
		{
			Name: "float8", In: optest.In(optest.Filled(tensor.F8E4M3FN, optest.Dims(2, 2), 1, 2, 3, -4), f(2), optest.Filled(tensor.F8E4M3FN, nil, 0),
				optest.Filled(tensor.F8E5M2, optest.Dims(2, 1), 0.5, 1), f(1), optest.Filled(tensor.F8E5M2, nil, 0), f(0.5), optest.Filled(tensor.F8E4M3FN, nil, 0)),
			Want: optest.Want(optest.Filled(tensor.F8E4M3FN, optest.Dims(2, 1), 10, -10)),
		},
		{Name: "no rows", In: optest.In(optest.U8(optest.Dims(0, 5)), f(.02), optest.U8(nil, 120), b, f(.01), i8(nil, 3), f(.5), optest.U8(nil, 100)), Want: optest.Want(optest.U8(optest.Dims(0, 4)))},
		{Name: "nothing to sum", In: optest.In(optest.U8(optest.Dims(1, 0)), f(.02), optest.U8(nil, 120), i8(optest.Dims(0, 2)), f(.01), i8(nil, 3), f(.5), optest.U8(nil, 100)), Want: optest.Want(optest.U8(optest.Dims(1, 2), 100, 100))},
	})
}

func TestQLinearMatMulErrors(t *testing.T) {
	f := func(v float32) *tensor.View { return optest.F32(nil, v) }
	z := optest.U8(nil, 0)
	a := optest.U8(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	b := optest.U8(optest.Dims(3, 1), 1, 2, 3)
	optest.Run(t, QLinearMatMul, []optest.Case{
		{Name: "inner dimensions", In: optest.In(a, f(1), z, a, f(1), z, f(1), z), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		{Name: "scales of rows", In: optest.In(a, f32s(3, 1, 1, 1), z, b, f(1), z, f(1), z), Err: "input 1 has shape [3]: one number or 2 expected", Code: errs.Shape},
		{Name: "scales of the output", In: optest.In(a, f(1), z, b, f(1), z, f32s(2, 1, 1), z), Err: "y_scale has shape [2], y_zero_point has shape []: one number expected", Code: errs.Shape},
		{Name: "i32", In: optest.In(a, f(1), z, optest.I32(optest.Dims(3, 1), 1, 2, 3), f(1), z, f(1), z), Err: "input 3 is i32, one of", Code: errs.Type},
	})
}
