package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestSwiGLU(t *testing.T) {
	a, b := []float64{-4, -1, -0.5, 0, 0.5, 1, 4}, []float64{1, 2, -3, 4, 5, -6, 0.5}
	var cases []optest.Case
	for _, d := range SwiGLU.Def().DTypes.Types() {
		tol := map[tensor.DType]float64{tensor.F32: 1e-6, tensor.F64: 1e-15, tensor.F16: 1e-3, tensor.BF16: 8e-3}[d]
		for _, alpha := range []float64{1, 2} {
			want := make([]float64, len(a))
			for i, x := range a {
				want[i] = x / (1 + math.Exp(-alpha*x)) * b[i]
			}
			cases = append(cases, optest.Case{
				Name: d.String(), Attrs: optest.Attrs("alpha", alpha), In: optest.In(optest.Filled(d, optest.Dims(7), a...), optest.Filled(d, optest.Dims(7), b...)), Tol: tol,
				Want: optest.Want(optest.Filled(d, optest.Dims(7), want...)),
			})
		}
		cases = append(cases, optest.Case{Name: "empty " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(0)), optest.Filled(d, optest.Dims(0))), Want: optest.Want(optest.Filled(d, optest.Dims(0)))})
	}
	long := make([]float64, 2*block+3)
	want := make([]float64, len(long))
	for i := range long {
		long[i] = float64(i%9-4) / 2
		want[i] = long[i] * long[i] / (1 + math.Exp(-long[i]))
	}
	many := optest.Filled(tensor.F32, optest.Dims(len(long)), long...)
	cases = append(cases, optest.Case{Name: "several blocks", In: optest.In(many, many), Tol: 1e-6, Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(len(long)), want...))})
	optest.Run(t, SwiGLU, cases)
}

func TestSwiGLUErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), make([]float64, optest.Dims(d...).Elements())...)
	}
	optest.Run(t, SwiGLU, []optest.Case{
		{Name: "shapes", In: optest.In(f(2), f(1)), Err: "A has shape [2], B has shape [1]: they must be equal", Code: errs.Shape},
		{Name: "types", In: optest.In(f(2), optest.F64(optest.Dims(2), 1, 2)), Err: "they must be alike", Code: errs.Type},
	})
}
