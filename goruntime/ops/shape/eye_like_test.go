package shape

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestEyeLike(t *testing.T) {
	x := optest.I32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	cases := []optest.Case{
		{Name: "the type of the input", In: optest.In(x), Want: optest.Want(optest.I32(optest.Dims(2, 3), 1, 0, 0, 0, 1, 0))},
		{Name: "far above", Attrs: optest.Attrs("k", math.MaxInt), In: optest.In(x), Want: optest.Want(optest.I32(optest.Dims(2, 3), 0, 0, 0, 0, 0, 0))},
		{Name: "far below", Attrs: optest.Attrs("k", math.MinInt), In: optest.In(x), Want: optest.Want(optest.I32(optest.Dims(2, 3), 0, 0, 0, 0, 0, 0))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0, 3))), Want: optest.Want(optest.F32(optest.Dims(0, 3)))},
		{Name: "a vector", In: optest.In(optest.F32(optest.Dims(1), 1)), Err: "the input has shape [1], two dimensions expected", Code: errs.Shape},
		{Name: "no type", Attrs: optest.Attrs("dtype", 99), In: optest.In(x), Err: "dtype is 99, which is no element type", Code: errs.Argument},
		{Name: "strings", Attrs: optest.Attrs("dtype", 8), In: optest.In(x), Err: "element type str is not supported", Code: errs.Unsupported},
	}
	for _, d := range EyeLike.Def().DTypes.Types() {
		cases = append(cases,
			optest.Case{Name: d.String() + " above", Attrs: optest.Attrs("dtype", int(d), "k", 1), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 0, 1, 0, 0, 0, 1))},
			optest.Case{Name: d.String() + " below", Attrs: optest.Attrs("dtype", int(d), "k", -1), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 0, 0, 0, 1, 0, 0))},
		)
	}
	optest.Run(t, EyeLike, cases)
}
