package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// looser is how far float32 kernels that round between their steps, and the
// other types, may lie from the values below, which have nine digits.
var looser = map[tensor.DType]float64{tensor.F32: 1e-6, tensor.F64: 1e-8, tensor.F16: 2e-3, tensor.BF16: 1e-2}

// The values are those of the formulas in Python's math.
func TestActivations(t *testing.T) {
	x := []float64{-3, -1, -0.5, 0, 0.5, 1, 3}
	for _, c := range []struct {
		def   *op.Operator
		attrs []op.Value
		want  []float64
	}{
		{Elu, optest.Attrs("alpha", 2.0), []float64{-1.90042586, -1.26424112, -0.786938681, 0, 0.5, 1, 3}},
		{LeakyRelu, nil, []float64{-0.03, -0.01, -0.005, 0, 0.5, 1, 3}},
		{LeakyRelu, optest.Attrs("alpha", -0.5), []float64{1.5, 0.5, 0.25, 0, 0.5, 1, 3}},
		{Selu, nil, []float64{-1.67056873, -1.11133074, -0.69175819, 0, 0.525350511, 1.05070102, 3.15210307}},
		{Selu1, nil, []float64{-1.67050395, -1.11128764, -0.691731363, 0, 0.525349975, 1.05069995, 3.15209985}},
		{Selu, optest.Attrs("alpha", 0.0, "gamma", 2.0), []float64{0, 0, 0, 0, 1, 2, 6}},
		{Celu, optest.Attrs("alpha", 2.0), []float64{-1.55373968, -0.786938681, -0.442398434, 0, 0.5, 1, 3}},
		{HardSigmoid, nil, []float64{0, 0.3, 0.4, 0.5, 0.6, 0.7, 1}},
		{HardSigmoid, optest.Attrs("alpha", 1.0, "beta", 0.0), []float64{0, 0, 0, 0, 0.5, 1, 1}},
		{HardSwish, nil, []float64{0, -0.333333333, -0.208333333, 0, 0.291666667, 0.666666667, 3}},
		{ThresholdedRelu, nil, []float64{0, 0, 0, 0, 0, 0, 3}},
		{ThresholdedRelu, optest.Attrs("alpha", -0.75), []float64{0, 0, -0.5, 0, 0.5, 1, 3}},
		{Swish, optest.Attrs("alpha", 2.0), []float64{-0.00741786947, -0.119202922, -0.134470711, 0, 0.365529289, 0.880797078, 2.99258213}},
		{Softplus, nil, []float64{0.0485873516, 0.313261688, 0.474076984, 0.693147181, 0.974076984, 1.31326169, 3.04858735}},
		{Softsign, nil, []float64{-0.75, -0.5, -0.333333333, 0, 0.333333333, 0.5, 0.75}},
		{Mish, nil, []float64{-0.145647461, -0.303401461, -0.220743775, 0, 0.375245211, 0.865098388, 2.986535}},
		{Gelu, nil, []float64{-0.00404969409, -0.158655254, -0.154268769, 0, 0.345731231, 0.841344746, 2.99595031}},
		{Gelu, optest.Attrs("approximate", "tanh"), []float64{-0.00363739208, -0.158808009, -0.15428599, 0, 0.34571401, 0.841191991, 2.99636261}},
	} {
		for _, d := range c.def.Def().DTypes.Types() {
			tol := looser[d]
			if d == tensor.F64 {
				tol = 3e-8 // parameters are float32s
			}
			optest.Run(t, c.def, []optest.Case{
				{Name: c.def.Name + " " + d.String(), Attrs: c.attrs, In: optest.In(optest.Filled(d, optest.Dims(7, 1), x...)), Want: optest.Want(optest.Filled(d, optest.Dims(7, 1), c.want...)), Tol: tol},
				{Name: c.def.Name + " of nothing " + d.String(), Attrs: c.attrs, In: optest.In(optest.Filled(d, optest.Dims(0, 2))), Want: optest.Want(optest.Filled(d, optest.Dims(0, 2)))},
				{Name: c.def.Name + " of a scalar " + d.String(), Attrs: c.attrs, In: optest.In(optest.Filled(d, nil, 3)), Want: optest.Want(optest.Filled(d, nil, c.want[6])), Tol: tol},
			})
		}
	}
	optest.Run(t, Gelu, []optest.Case{
		{Name: "another approximation", Attrs: optest.Attrs("approximate", "erf"), In: optest.In(optest.F32(nil, 1)), Err: `approximate is "erf": it must be none or tanh`, Code: errs.Argument},
	})
}

// Numbers at which a formula taken literally overflows or loses its digits.
func TestActivationsFarFromZero(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		def      *op.Operator
		in, want []float64
	}{
		{Softplus, []float64{1000, -1000, inf, -inf, nan}, []float64{1000, 0, inf, 0, nan}},
		{Mish, []float64{1000, -1000, inf, nan}, []float64{1000, 0, inf, nan}},
		{Elu, []float64{-1000, -1e-8, inf, -inf, nan}, []float64{-1, -1e-8, inf, -1, nan}},
		{Swish, []float64{1000, -1000, inf, nan}, []float64{1000, 0, inf, nan}},
		{Gelu, []float64{1000, -1000, inf, nan}, []float64{1000, 0, inf, nan}},
		{HardSwish, []float64{1000, -1000, inf, nan}, []float64{1000, 0, inf, nan}},
		{HardSigmoid, []float64{1000, -1000, inf, -inf, nan}, []float64{1, 0, 1, 0, nan}},
		{LeakyRelu, []float64{inf, -inf, nan}, []float64{inf, -inf, nan}},
		{Softsign, []float64{1000, nan}, []float64{1000. / 1001, nan}},
		{ThresholdedRelu, []float64{inf, -inf, nan}, []float64{inf, 0, 0}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
			optest.Run(t, c.def, []optest.Case{{
				Name: c.def.Name + " " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(len(c.in)), c.in...)),
				Want: optest.Want(optest.Filled(d, optest.Dims(len(c.in)), c.want...)), Tol: 1e-6,
			}})
		}
	}
}

// Rows longer than the blocks of the float32 kernels give what each number
// gives alone.
func TestActivationsOverBlocks(t *testing.T) {
	const n = 2*block + 77
	for _, c := range []struct {
		def   *op.Operator
		attrs []op.Value
		f     func(x, alpha, beta float64) float64
		alpha float64
	}{{Swish, nil, swish, 1}, {Gelu, optest.Attrs("approximate", "tanh"), gelu, 1}} {
		x, want := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(i%41)/4 - 5
			want[i] = c.f(x[i], c.alpha, 0)
		}
		optest.Run(t, c.def, []optest.Case{{Name: c.def.Name, Attrs: c.attrs, In: optest.In(optest.Filled(tensor.F32, optest.Dims(n), x...)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(n), want...)), Tol: 1e-6}})
	}
}

// The float32 kernels keep the digits of small results.
func TestActivationsOfSmallResults(t *testing.T) {
	x := []float64{-80, -40, -20, -17, -12, -3, -0.36, -0.34, -1e-3, -1e-7}
	for _, c := range []struct {
		def  *op.Operator
		f    func(x, alpha, beta float64) float64
		tune [2]float32
	}{{Softplus, softplus, [2]float32{}}, {Elu, elu, [2]float32{1}}, {Selu, selu, [2]float32{1.5, 2}}} {
		in, out := optest.Filled(tensor.F32, optest.Dims(len(x)), x...), optest.Filled(tensor.F32, optest.Dims(len(x)), x...)
		s := &tuned{alpha: c.tune[0], beta: c.tune[1], in: in, out: out}
		c.def.Def().DTypes.Row(tensor.F32).(tunedSpan)(s, 0, len(x))
		for i, y := range tensor.Elems[float32](out) {
			want := c.f(float64(float32(x[i])), float64(s.alpha), float64(s.beta))
			if math.Abs(float64(y)-want) > 1e-6*math.Abs(want) {
				t.Errorf("%s(%v) is %v, want %v", c.def.Name, x[i], y, want)
			}
		}
	}
}
