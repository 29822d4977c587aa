package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The inputs keep all results exact in every type: 4, 8, ... 20 with 1, 2, 4.
func multiples(i int) float64 { return float64(4 * (i%5 + 1)) }
func powersOf2(i int) float64 { return float64(int(1) << (i % 3)) }

func TestAdd(t *testing.T) {
	everyPair(t, Add, multiples, powersOf2, func(a, b float64) float64 { return a + b }, tensor.Undefined)
	legacy(t, Add1, tensor.F32, tensor.F32, 3)
	legacy(t, Add1, tensor.I64, tensor.I64, 3)
}

func TestSub(t *testing.T) {
	everyPair(t, Sub, multiples, powersOf2, func(a, b float64) float64 { return a - b }, tensor.Undefined)
	legacy(t, Sub1, tensor.F16, tensor.F16, 1)
	legacy(t, Sub1, tensor.U32, tensor.U32, 1)
}

func TestMul(t *testing.T) {
	everyPair(t, Mul, multiples, powersOf2, func(a, b float64) float64 { return a * b }, tensor.Undefined)
	legacy(t, Mul1, tensor.F64, tensor.F64, 2)
}

func TestDiv(t *testing.T) {
	everyPair(t, Div, multiples, powersOf2, func(a, b float64) float64 { return a / b }, tensor.Undefined)
	legacy(t, Div1, tensor.F32, tensor.F32, 2)
}

func TestArithmeticErrors(t *testing.T) {
	for _, def := range []*op.Operator{Add, Sub, Mul, Div} {
		optest.Run(t, def, []optest.Case{
			{
				Name: "shapes that do not broadcast", In: optest.In(optest.F32(optest.Dims(2, 3), make([]float32, 6)...), optest.F32(optest.Dims(2), 1, 2)),
				Err: "shapes [2, 3] and [2] do not broadcast: dimension 1 is 3 and 2; they must be equal or one of them 1", Code: errs.Shape,
			},
			{Name: "nothing with two", In: optest.In(optest.F32(optest.Dims(0)), optest.F32(optest.Dims(2), 1, 2)), Err: "do not broadcast", Code: errs.Shape},
			{Name: "two types", In: optest.In(optest.F32(nil, 1), optest.F64(nil, 1)), Err: "the inputs are f32 and f64: they must be alike", Code: errs.Type},
			{Name: "bool", In: optest.In(optest.Bool(nil, true), optest.Bool(nil, true)), Err: "element type bool is not supported by version 14", Code: errs.Unsupported},
		})
	}
}

// Whole numbers wrap around as NumPy's do; the results are NumPy's.
func TestWholeNumbersWrapAround(t *testing.T) {
	i8 := func(v ...int8) *tensor.View { return optest.Make(tensor.I8, optest.Dims(len(v)), v) }
	u8 := func(v ...uint8) *tensor.View { return optest.U8(optest.Dims(len(v)), v...) }
	for _, c := range []struct {
		name             string
		def              *op.Operator
		a, b, want       *tensor.View
		ua, ub, wantLess *tensor.View
	}{
		{"Add", Add, i8(127, -128, 5), i8(1, -1, -9), i8(-128, 127, -4), u8(255, 200), u8(1, 100), u8(0, 44)},
		{"Sub", Sub, i8(-128, 127, 5), i8(1, -1, 9), i8(127, -128, -4), u8(0, 3), u8(1, 5), u8(255, 254)},
		{"Mul", Mul, i8(-128, 64, -5), i8(-1, 2, 9), i8(-128, -128, -45), u8(16, 255), u8(16, 255), u8(0, 1)},
		{"Div", Div, i8(-128, -7, 7, 5), i8(-1, 2, -2, 0), i8(-128, -3, -3, 0), u8(255, 7, 1), u8(2, 8, 0), u8(127, 0, 0)},
	} {
		optest.Run(t, c.def, []optest.Case{
			{Name: c.name + " i8", In: optest.In(c.a, c.b), Want: optest.Want(c.want)},
			{Name: c.name + " u8", In: optest.In(c.ua, c.ub), Want: optest.Want(c.wantLess)},
		})
	}
	big := []int64{math.MaxInt64, math.MinInt64, 1 << 62}
	optest.Run(t, Mul, []optest.Case{{
		Name: "i64", In: optest.In(optest.Ints(big...), optest.Ints(2, -1, 4)), Want: optest.Want(optest.Ints(-2, math.MinInt64, 0)),
	}})
	optest.Run(t, Div, []optest.Case{{
		Name: "i64", In: optest.In(optest.Ints(big...), optest.Ints(-1, -1, 3)), Want: optest.Want(optest.Ints(-math.MaxInt64, math.MinInt64, (1<<62)/3)),
	}})
}

// Infinities, NaN and the sign of zero come out as IEEE 754 has them, in every
// part of a row.
func TestArithmeticOnSpecialNumbers(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	a := []float32{inf, inf, nan, 0, zero, zero, 1, -1, 3e38, 1e-45, 0}
	b := []float32{inf, -inf, 1, zero, zero, 0, 0, 0, 3e38, 0.5, 0}
	for _, c := range []struct {
		def  *op.Operator
		want []float32
	}{
		{Add, []float32{inf, nan, nan, 0, zero, 0, 1, -1, inf, 0.5, 0}},
		{Sub, []float32{nan, inf, nan, 0, 0, zero, 1, -1, 0, -0.5, 0}},
		{Mul, []float32{inf, -inf, nan, zero, 0, zero, 0, zero, inf, 0, 0}},
		{Div, []float32{nan, nan, nan, nan, nan, nan, inf, -inf, 1, 2.8e-45, nan}},
	} {
		var x, y, want []float32
		for range 4 {
			x, y, want = append(x, a...), append(y, b...), append(want, c.want...)
		}
		n := optest.Dims(len(x))
		optest.Run(t, c.def, []optest.Case{{Name: c.def.Name, In: optest.In(optest.F32(n, x...), optest.F32(n, y...)), Want: optest.Want(optest.F32(n, want...))}})
	}
}
