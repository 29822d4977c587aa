package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// scalar is a scale.
func scalar(f float32) *tensor.View { return optest.F32(nil, f) }

// The expected numbers come from ONNX Runtime 1.32.
func TestQLinearAddAndMul(t *testing.T) {
	for i, d := range []tensor.DType{tensor.U8, tensor.I8} {
		z := func(v float64) *tensor.View { return optest.Filled(d, nil, v) }
		a, b := optest.Filled(d, optest.Dims(2, 2, 3), codes(d, 12, 1)...), optest.Filled(d, optest.Dims(3), codes(d, 3, 2)...)
		in := optest.In(a, scalar(.02), z(7), b, scalar(.03), z([]float64{100, -3}[i]), scalar(.05), z(20))
		sum := [][]float64{{0, 16, 116, 0, 6, 78, 32, 14, 58, 0, 40, 56}, {-88, -50, 50, -71, -61, 11, -35, -53, -9, -83, -26, -10}}[i]
		product := [][]float64{{15, 1, 131, 0, 12, 57, 0, 4, 18, 2, 0, 15}, {127, 81, 27, 113, 101, -17, 6, 86, -41, 127, 38, -43}}[i]
		optest.Run(t, QLinearAdd, []optest.Case{{Name: "rows repeat " + d.String(), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), sum...))}})
		optest.Run(t, QLinearMul, []optest.Case{{Name: "rows repeat " + d.String(), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), product...))}})
	}
}

// Whole numbers with scales of 1, so that results are plain.
func TestQLinearAddOfManyShapes(t *testing.T) {
	one := scalar(1)
	u8 := func(s tensor.Shape, v ...uint8) *tensor.View { return optest.U8(s, v...) }
	in := func(a, b *tensor.View) []*tensor.View { return optest.In(a, one, nil, b, one, nil, one, nil) }
	long, twice := make([]uint8, 2*unitLength+3), make([]uint8, 2*unitLength+3)
	for i := range long {
		long[i], twice[i] = uint8(i%100), uint8(2*(i%100))
	}
	optest.Run(t, QLinearAdd, []optest.Case{
		{Name: "alike, several units", In: in(u8(optest.Dims(len(long)), long...), u8(optest.Dims(len(long)), long...)), Want: optest.Want(u8(optest.Dims(len(long)), twice...))},
		{Name: "rows and columns", In: in(u8(optest.Dims(2, 1), 10, 20), u8(optest.Dims(1, 3), 1, 2, 3)), Want: optest.Want(u8(optest.Dims(2, 3), 11, 12, 13, 21, 22, 23))},
		{Name: "a scalar", In: in(u8(nil, 5), u8(optest.Dims(2), 1, 2)), Want: optest.Want(u8(optest.Dims(2), 6, 7))},
		{Name: "two scalars", In: in(u8(nil, 5), u8(nil, 251)), Want: optest.Want(u8(nil, 255))},
		{Name: "empty", In: in(u8(optest.Dims(0, 2)), u8(optest.Dims(2), 1, 2)), Want: optest.Want(u8(optest.Dims(0, 2)))},
		{Name: "shapes", In: in(u8(optest.Dims(2), 1, 2), u8(optest.Dims(3), 1, 2, 3)), Err: "do not broadcast", Code: errs.Shape},
		{Name: "scales", In: optest.In(u8(nil, 1), f32s(2, 1, 1), nil, u8(nil, 1), one, nil, one, nil), Err: "input 1 has shape [2]: one number expected", Code: errs.Shape},
	})
}
