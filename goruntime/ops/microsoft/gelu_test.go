package microsoft

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// tolerance is how far results of a type may be off, rounding and summing in f32.
var tolerance = map[tensor.DType]float64{tensor.F32: 3e-6, tensor.F64: 1e-14, tensor.F16: 2e-3, tensor.BF16: 1.6e-2}

// numbers is n numbers between -2 and 2 that every float type holds.
func numbers(n, salt int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*i*7+i*13+salt*29)%33-16) / 8
	}
	return list
}

// f is a tensor of such numbers.
func f(d tensor.DType, salt int, dims ...int) *tensor.View {
	return optest.Filled(d, optest.Dims(dims...), numbers(optest.Dims(dims...).Elements(), salt)...)
}

func TestActivations(t *testing.T) {
	erf := func(x, _ float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }
	for _, a := range []struct {
		def   *op.Operator
		attrs []op.Value
		alpha float64
		f     func(x, alpha float64) float64
	}{
		{Gelu, nil, 0, erf},
		{BiasGelu, nil, 0, erf},
		{FastGelu, nil, 0, func(x, _ float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
		{QuickGelu, nil, float64(float32(1.702)), func(x, alpha float64) float64 { return x / (1 + math.Exp(-alpha*x)) }},
		{QuickGelu, optest.Attrs("alpha", 0.5), 0.5, func(x, alpha float64) float64 { return x / (1 + math.Exp(-alpha*x)) }},
	} {
		var cases []optest.Case
		for _, d := range a.def.Def().DTypes.Types() {
			for _, rows := range []int{0, 1, 3, 50} {
				const width = 37
				x, bias := numbers(rows*width, 1), numbers(width, 2)
				want, with := make([]float64, len(x)), make([]float64, len(x))
				for i, v := range x {
					want[i], with[i] = a.f(v, a.alpha), a.f(v+bias[i%width], a.alpha)
				}
				if a.def != BiasGelu {
					cases = append(cases, optest.Case{Name: d.String(), Attrs: a.attrs, In: optest.In(f(d, 1, rows, width)), Tol: tolerance[d], Want: optest.Want(optest.Filled(d, optest.Dims(rows, width), want...))})
				}
				if a.def != Gelu && a.def != QuickGelu {
					cases = append(cases, optest.Case{Name: "bias " + d.String(), Attrs: a.attrs, In: optest.In(f(d, 1, rows, width), f(d, 2, width)), Tol: tolerance[d], Want: optest.Want(optest.Filled(d, optest.Dims(rows, width), with...))})
				}
			}
		}
		t.Run(a.def.Name, func(t *testing.T) { optest.Run(t, a.def, cases) })
	}
}

func TestActivationErrors(t *testing.T) {
	optest.Run(t, BiasGelu, []optest.Case{
		{Name: "no bias", In: optest.In(f(tensor.F32, 1, 2)), Err: "the bias is missing", Code: errs.Model},
		{Name: "the bias of another size", In: optest.In(f(tensor.F32, 1, 2), f(tensor.F32, 1, 3)), Err: "X has shape [2], the bias has shape [3]: the last dimension expected", Code: errs.Shape},
		{Name: "types", In: optest.In(f(tensor.F64, 1, 2), f(tensor.F32, 1, 2)), Err: "input 1 is f32, input 0 is f64: they must be alike", Code: errs.Type},
		{Name: "whole numbers", In: optest.In(optest.I64(optest.Dims(1), 1), optest.I64(optest.Dims(1), 1)), Err: "element type i64 is not supported", Code: errs.Unsupported},
	})
}
