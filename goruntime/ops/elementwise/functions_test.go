package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of Python's math and of NumPy.
func TestFunctions(t *testing.T) {
	x := []float64{-3, -1, -0.5, 0, 0.5, 1, 3}
	inside := []float64{-1, -0.5, 0, 0.25, 0.5, 1}
	halves := []float64{-2.5, -1.5, -0.5, 0.25, 0.5, 1.5, 2.5, 2.75}
	for _, c := range []struct {
		def      *op.Operator
		in, want []float64
	}{
		{Sin, x, []float64{-0.141120008, -0.841470985, -0.479425539, 0, 0.479425539, 0.841470985, 0.141120008}},
		{Cos, x, []float64{-0.989992497, 0.540302306, 0.877582562, 1, 0.877582562, 0.540302306, -0.989992497}},
		{Tan, x, []float64{0.142546543, -1.55740772, -0.54630249, 0, 0.54630249, 1.55740772, -0.142546543}},
		{Sinh, x, []float64{-10.0178749, -1.17520119, -0.521095305, 0, 0.521095305, 1.17520119, 10.0178749}},
		{Cosh, x, []float64{10.067662, 1.54308063, 1.12762597, 1, 1.12762597, 1.54308063, 10.067662}},
		{Atan, x, []float64{-1.24904577, -0.785398163, -0.463647609, 0, 0.463647609, 0.785398163, 1.24904577}},
		{Asinh, x, []float64{-1.81844646, -0.881373587, -0.481211825, 0, 0.481211825, 0.881373587, 1.81844646}},
		{Asin, inside, []float64{-1.57079633, -0.523598776, 0, 0.252680255, 0.523598776, 1.57079633}},
		{Acos, inside, []float64{3.14159265, 2.0943951, 1.57079633, 1.31811607, 1.04719755, 0}},
		{Acosh, []float64{1, 1.5, 2, 10}, []float64{0, 0.96242365, 1.3169579, 2.99322285}},
		{Atanh, []float64{-0.75, -0.5, 0, 0.25, 0.5}, []float64{-0.972955075, -0.549306144, 0, 0.255412812, 0.549306144}},
		{Abs, x, []float64{3, 1, 0.5, 0, 0.5, 1, 3}},
		{Neg, x, []float64{3, 1, 0.5, math.Copysign(0, -1), -0.5, -1, -3}},
		{Sign, x, []float64{-1, -1, -1, 0, 1, 1, 1}},
		{Reciprocal, []float64{-4, 0.5, 1, 2}, []float64{-0.25, 2, 1, 0.5}},
		{Floor, halves, []float64{-3, -2, -1, 0, 0, 1, 2, 2}},
		{Ceil, halves, []float64{-2, -1, math.Copysign(0, -1), 1, 1, 2, 3, 3}},
		{Round, halves, []float64{-2, -2, math.Copysign(0, -1), 0, 0, 2, 2, 3}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
			optest.Run(t, c.def, []optest.Case{
				{Name: c.def.Name + " " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(len(c.in)), c.in...)), Want: optest.Want(optest.Filled(d, optest.Dims(len(c.in)), c.want...)), Tol: looser[d]},
				{Name: c.def.Name + " of nothing " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(2, 0))), Want: optest.Want(optest.Filled(d, optest.Dims(2, 0)))},
			})
		}
	}
}

func TestFunctionsOnSpecialNumbers(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		def  *op.Operator
		want []float64 // of NaN, infinities and zeros, as NumPy has it
	}{
		{Abs, []float64{nan, inf, inf, 0, 0}},
		{Neg, []float64{nan, -inf, inf, zero, 0}},
		{Sign, []float64{nan, 1, -1, 0, zero}},
		{Floor, []float64{nan, inf, -inf, 0, zero}},
		{Ceil, []float64{nan, inf, -inf, 0, zero}},
		{Round, []float64{nan, inf, -inf, 0, zero}},
		{Reciprocal, []float64{nan, 0, zero, inf, -inf}},
		{Sin, []float64{nan, nan, nan, 0, zero}},
		{Cos, []float64{nan, nan, nan, 1, 1}},
		{Atan, []float64{nan, math.Pi / 2, -math.Pi / 2, 0, zero}},
		{Asin, []float64{nan, nan, nan, 0, zero}},
		{Acosh, []float64{nan, inf, nan, nan, nan}},
		{Sinh, []float64{nan, inf, -inf, 0, zero}},
		{Cosh, []float64{nan, inf, inf, 1, 1}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
			optest.Run(t, c.def, []optest.Case{{
				Name: c.def.Name + " " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(5), nan, inf, -inf, 0, zero)),
				Want: optest.Want(optest.Filled(d, optest.Dims(5), c.want...)),
			}})
		}
	}
}

func TestFunctionsOnWholeNumbers(t *testing.T) {
	for _, d := range Sign.Def().DTypes.Types() {
		if !d.Integer() {
			continue
		}
		lowest := math.Ldexp(-1, d.Bits()-1) // wraps to itself
		want := [3][]float64{{1, 0, lowest}, {1, 0, lowest}, {-1, 0, -1}}
		in := []float64{-1, 0, lowest}
		if d.Unsigned() {
			in, want = []float64{7, 0, 1}, [3][]float64{{7, 0, 1}, nil, {1, 0, 1}}
		}
		for k, def := range []*op.Operator{Abs, Neg, Sign} {
			if want[k] == nil {
				continue
			}
			optest.Run(t, def, []optest.Case{{Name: def.Name + " " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(3), in...)), Want: optest.Want(optest.Filled(d, optest.Dims(3), want[k]...))}})
		}
	}
}
