package reduce

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestCumSum(t *testing.T) {
	three := optest.Dims(3)
	axis := func(a int32) *tensor.View { return optest.I32(nil, a) }
	var cases []optest.Case
	for _, d := range CumSum.Def().DTypes.Types() {
		x, m := optest.Filled(d, three, 1, 2, 3), optest.Filled(d, optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
		cases = append(cases,
			optest.Case{Name: d.String(), In: optest.In(x, axis(0)), Want: optest.Want(optest.Filled(d, three, 1, 3, 6))},
			optest.Case{Name: d.String() + " exclusive", Attrs: optest.Attrs("exclusive", 1), In: optest.In(x, axis(0)), Want: optest.Want(optest.Filled(d, three, 0, 1, 3))},
			optest.Case{Name: d.String() + " reverse", Attrs: optest.Attrs("reverse", 1), In: optest.In(x, axis(0)), Want: optest.Want(optest.Filled(d, three, 6, 5, 3))},
			optest.Case{Name: d.String() + " both", Attrs: optest.Attrs("reverse", 1, "exclusive", 1), In: optest.In(x, axis(0)), Want: optest.Want(optest.Filled(d, three, 5, 3, 0))},
			optest.Case{Name: d.String() + " rows", In: optest.In(m, axis(-1)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 1, 3, 6, 4, 9, 15))},
			optest.Case{Name: d.String() + " columns", In: optest.In(m, optest.Ints(0)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 1, 2, 3, 5, 7, 9))},
			optest.Case{Name: d.String() + " an axis of one, exclusive", Attrs: optest.Attrs("exclusive", 1), In: optest.In(optest.Filled(d, optest.Dims(2, 1), 7, 8), axis(1)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 1), 0, 0))},
			optest.Case{Name: d.String() + " nothing", In: optest.In(optest.Filled(d, optest.Dims(2, 0)), axis(1)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 0)))},
		)
	}
	nan, inf := math.NaN(), math.Inf(1)
	optest.Run(t, CumSum, append(cases,
		optest.Case{Name: "NaN stays", In: optest.In(optest.F64(optest.Dims(4), 1, inf, -inf, 2), axis(0)), Want: optest.Want(optest.F64(optest.Dims(4), 1, inf, nan, nan))},
		optest.Case{Name: "the first is copied as it is", In: optest.In(optest.F32(optest.Dims(2, 2), float32(math.Copysign(0, -1)), 1, float32(math.Copysign(0, -1)), 2), axis(0)), Want: optest.Want(optest.F32(optest.Dims(2, 2), float32(math.Copysign(0, -1)), 1, float32(math.Copysign(0, -1)), 3))},
		optest.Case{Name: "so along rows", In: optest.In(optest.F64(optest.Dims(2), math.Copysign(0, -1), 0), axis(0)), Want: optest.Want(optest.F64(optest.Dims(2), math.Copysign(0, -1), 0))},
		optest.Case{Name: "integers wrap", In: optest.In(optest.I32(optest.Dims(2), math.MaxInt32, 1), axis(0)), Want: optest.Want(optest.I32(optest.Dims(2), math.MaxInt32, math.MinInt32))},
		// In f16 the sum would stay at 2048.
		optest.Case{Name: "halves are summed in f32", In: optest.In(optest.Filled(tensor.F16, three, 2048, 1, 1), axis(0)), Want: optest.Want(optest.Filled(tensor.F16, three, 2048, 2048, 2050))},
		optest.Case{Name: "an axis outside", In: optest.In(optest.F32(three, 1, 2, 3), axis(1)), Err: "axis 1 is out of range for rank 1", Code: errs.Shape},
		optest.Case{Name: "two axes", In: optest.In(optest.F32(three, 1, 2, 3), optest.Ints(0, 0)), Err: "axis has 2 elements, one expected", Code: errs.Shape},
		optest.Case{Name: "a scalar", In: optest.In(optest.F32(nil, 1), axis(0)), Err: "out of range for rank 0", Code: errs.Shape},
	))
}

// Long rows are taken by blocks, from either end.
func TestCumSumOfLongRows(t *testing.T) {
	const n = 300
	x, up, down := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = float32(i)
		up[i] = float32(i * (i + 1) / 2)
		down[i] = n*(n-1)/2 - float32(i*(i-1)/2)
	}
	in := optest.In(optest.F32(optest.Dims(n), x...), optest.Ints(0))
	optest.Run(t, CumSum, []optest.Case{
		{Name: "up", In: in, Want: optest.Want(optest.F32(optest.Dims(n), up...))},
		{Name: "down", Attrs: optest.Attrs("reverse", 1), In: in, Want: optest.Want(optest.F32(optest.Dims(n), down...))},
	})
}

func TestCumProd(t *testing.T) {
	three := optest.Dims(3)
	for _, d := range CumProd.Def().DTypes.Types() {
		x, m := optest.Filled(d, three, 1, 2, 3), optest.Filled(d, optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
		axis := optest.I32(nil, 0)
		optest.Run(t, CumProd, []optest.Case{
			{Name: d.String(), In: optest.In(x, axis), Want: optest.Want(optest.Filled(d, three, 1, 2, 6))},
			{Name: d.String() + " exclusive", Attrs: optest.Attrs("exclusive", 1), In: optest.In(x, axis), Want: optest.Want(optest.Filled(d, three, 1, 1, 2))},
			{Name: d.String() + " reverse", Attrs: optest.Attrs("reverse", 1), In: optest.In(x, axis), Want: optest.Want(optest.Filled(d, three, 6, 6, 3))},
			{Name: d.String() + " both", Attrs: optest.Attrs("reverse", 1, "exclusive", 1), In: optest.In(x, axis), Want: optest.Want(optest.Filled(d, three, 6, 3, 1))},
			{Name: d.String() + " columns", In: optest.In(m, axis), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 1, 2, 3, 4, 10, 18))},
		})
	}
}
