package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestMod(t *testing.T) {
	inf := math.Inf(1)
	six := optest.Dims(6)
	a, b := []float64{-4, 7, 5, 4, -7, 8}, []float64{2, -3, 8, -2, 3, 5}
	fmod := optest.Attrs("fmod", 1)
	cases := []optest.Case{
		{Name: "the sign of the divisor", In: optest.In(optest.I32(six, -4, 7, 5, 4, -7, 8), optest.I32(six, 2, -3, 8, -2, 3, 5)), Want: optest.Want(optest.I32(six, 0, -2, 5, 0, 2, 3))},
		{Name: "the sign of the dividend", Attrs: fmod, In: optest.In(optest.I32(six, -4, 7, 5, 4, -7, 8), optest.I32(six, 2, -3, 8, -2, 3, 5)), Want: optest.Want(optest.I32(six, 0, 1, 5, 0, -1, 3))},
		{Name: "a zero divisor", In: optest.In(optest.I64(optest.Dims(2), 5, -5), optest.I64(nil, 0)), Want: optest.Want(optest.I64(optest.Dims(2), 0, 0))},
		{Name: "the lowest number by -1", Attrs: fmod, In: optest.In(optest.I64(nil, math.MinInt64), optest.I64(nil, -1)), Want: optest.Want(optest.I64(nil, 0))},
		{
			Name: "special floats", In: optest.In(optest.Filled(tensor.F64, optest.Dims(7), math.Copysign(0, -1), 0, inf, 1, 2, 2, math.NaN()), optest.Filled(tensor.F64, optest.Dims(7), 3, -3, 1, 0, inf, -inf, 1)),
			Want: optest.Want(optest.Filled(tensor.F64, optest.Dims(7), 0, math.Copysign(0, -1), math.NaN(), math.NaN(), 2, -inf, math.NaN())),
		},
		{
			Name: "special floats with fmod", Attrs: fmod, In: optest.In(optest.Filled(tensor.F32, optest.Dims(4), inf, 1, 2, -2), optest.Filled(tensor.F32, optest.Dims(4), 1, 0, inf, -inf)),
			Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(4), math.NaN(), math.NaN(), 2, -2)),
		},
		{Name: "another fmod", Attrs: optest.Attrs("fmod", 2), In: optest.In(optest.I32(nil, 1), optest.I32(nil, 1)), Err: "fmod is 2: it must be 0 or 1", Code: errs.Argument},
	}
	for _, d := range Mod.Def().DTypes.Types() {
		cases = append(cases, optest.Case{Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(3), 7, 8, 9), optest.Filled(d, nil, 4)), Want: optest.Want(optest.Filled(d, optest.Dims(3), 3, 0, 1))})
		if d.Float() {
			cases = append(cases,
				optest.Case{Name: "floored " + d.String(), In: optest.In(optest.Filled(d, six, a...), optest.Filled(d, six, b...)), Want: optest.Want(optest.Filled(d, six, 0, -2, 5, math.Copysign(0, -1), 2, 3))},
				optest.Case{Name: "fmod " + d.String(), Attrs: fmod, In: optest.In(optest.Filled(d, six, a...), optest.Filled(d, six, b...)), Want: optest.Want(optest.Filled(d, six, math.Copysign(0, -1), 1, 5, 0, -1, 3))})
		}
	}
	optest.Run(t, Mod, cases)
}
