package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// precision is how far a result of each type may lie from the exact one.
var precision = map[tensor.DType]float64{tensor.F32: 4e-7, tensor.F64: 1e-15, tensor.F16: 1e-3, tensor.BF16: 8e-3}

// The values are NumPy's, erf those of Python's math.
func TestUnaryFunctions(t *testing.T) {
	x := []float64{-30, -5.5, -1, -0.5, 0.25, 1, 2.75, 5}
	positive := []float64{1.0 / 1024, 0.25, 0.5, 1, 2, 10, 12352, 65504}
	for _, c := range []struct {
		def      *op.Operator
		in, want []float64
	}{
		{Tanh, x, []float64{-1.0, -0.9999665971563038, -0.7615941559557649, -0.46211715726000974, 0.24491866240370913, 0.7615941559557649, 0.9918597245682078, 0.9999092042625951}},
		{Exp, x, []float64{9.357622968840175e-14, 0.004086771438464067, 0.36787944117144233, 0.6065306597126334, 1.2840254166877414, 2.718281828459045, 15.642631884188171, 148.4131591025766}},
		{Sigmoid, x, []float64{9.357622968839299e-14, 0.004070137715896128, 0.2689414213699951, 0.3775406687981454, 0.5621765008857981, 0.7310585786300049, 0.9399133498259924, 0.9933071490757153}},
		{Erf, x, []float64{-1.0, -0.9999999999999927, -0.8427007929497149, -0.5204998778130465, 0.2763263901682369, 0.8427007929497149, 0.9998993780778803, 0.9999999999984626}},
		{Relu, x, []float64{0, 0, 0, 0, 0.25, 1, 2.75, 5}},
		{Log, positive, []float64{-6.931471805599453, -1.3862943611198906, -0.6931471805599453, 0.0, 0.6931471805599453, 2.302585092994046, 9.421573272264558, 11.089866488461016}},
		{Sqrt, positive, []float64{0.03125, 0.5, 0.7071067811865476, 1.0, 1.4142135623730951, 3.1622776601683795, 111.13955191559843, 255.93749236874226}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
			in, want := c.in, c.want // no input is rounded in any of the types but for 65504, to 65536
			tol := precision[d]
			optest.Run(t, c.def, []optest.Case{
				{Name: c.def.Name + " " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(2, len(in)/2), in...)), Want: optest.Want(optest.Filled(d, optest.Dims(2, len(in)/2), want...)), Tol: tol},
			})
		}
	}
}

// An element gives the same bits wherever it lies: in the body of a vector, in
// the tail, alone.
func TestUnaryFunctionsOnOddSizes(t *testing.T) {
	for _, def := range []*op.Operator{Tanh, Exp, Sigmoid, Erf, Relu, Log, Sqrt} {
		for _, n := range []int{1, 7, 15, 16, 17, 33, 71} {
			x, want := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], want[i] = 0.25, alone(t, def)
			}
			optest.Run(t, def, []optest.Case{{Name: def.Name, In: optest.In(optest.F32(optest.Dims(n), x...)), Want: optest.Want(optest.F32(optest.Dims(n), want...))}})
		}
	}
}

// alone returns the function of 0.25, which is near enough to the exact one for
// TestUnaryFunctions to have said so.
func alone(t *testing.T, def *op.Operator) float32 {
	t.Helper()
	x, out := optest.F32(nil, 0.25), optest.F32(nil, 0)
	def.Def().DTypes.Row(tensor.F32).(span)(out, x, 0, 1)
	return tensor.Elems[float32](out)[0]
}

func TestUnaryFunctionsOnSpecialNumbers(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	in := []float64{nan, inf, -inf, 0, zero}
	for _, c := range []struct {
		def  *op.Operator
		want []float64
	}{
		{Tanh, []float64{nan, 1, -1, 0, zero}},
		{Exp, []float64{nan, inf, 0, 1, 1}},
		{Sigmoid, []float64{nan, 1, 0, 0.5, 0.5}},
		{Erf, []float64{nan, 1, -1, 0, zero}},
		{Log, []float64{nan, inf, nan, -inf, -inf}},
		{Sqrt, []float64{nan, inf, nan, 0, zero}},
		{Relu, []float64{nan, inf, 0, 0, zero}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
			want, tol := c.want, 0.0
			if c.def == Relu || c.def == Tanh && d == tensor.F32 {
				tol = 1e-300 // either zero is a maximum of zeros; the vector kernel of Tanh drops the sign of zero
			}
			optest.Run(t, c.def, []optest.Case{
				{Name: c.def.Name + " " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(5), in...)), Want: optest.Want(optest.Filled(d, optest.Dims(5), want...)), Tol: tol},
				{Name: c.def.Name + " of nothing " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(0))), Want: optest.Want(optest.Filled(d, optest.Dims(0)))},
			})
		}
	}
}

func TestUnaryFunctionsOfWholeNumbers(t *testing.T) {
	for _, d := range Erf.Def().DTypes.Types() {
		if !d.Integer() {
			continue
		}
		optest.Run(t, Erf, []optest.Case{{Name: "Erf " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(3), 0, 1, 100)), Want: optest.Want(optest.Filled(d, optest.Dims(3), 0, 0, 1))}})
	}
	for _, d := range Relu.Def().DTypes.Types() {
		if !d.Integer() {
			continue
		}
		optest.Run(t, Relu, []optest.Case{{Name: "Relu " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(3), -128, 0, 127)), Want: optest.Want(optest.Filled(d, optest.Dims(3), 0, 0, 127))}})
	}
	optest.Run(t, Not, []optest.Case{
		{Name: "Not", In: optest.In(optest.Bool(optest.Dims(2, 2), true, false, false, true)), Want: optest.Want(optest.Bool(optest.Dims(2, 2), false, true, true, false))},
		{Name: "Not of f32", In: optest.In(optest.F32(nil, 1)), Err: "element type f32 is not supported by version 1", Code: errs.Unsupported},
	})
	optest.Run(t, Relu, []optest.Case{{Name: "Relu of u8", In: optest.In(optest.U8(nil, 1)), Err: "element type u8 is not supported", Code: errs.Unsupported}})
}
