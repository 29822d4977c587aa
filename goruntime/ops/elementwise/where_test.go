package elementwise

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestWhere(t *testing.T) {
	cases := []optest.Case{
		{
			Name: "the example of the specification", In: optest.In(optest.Bool(optest.Dims(2, 2), true, false, true, true), optest.F32(optest.Dims(2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(2, 2), 9, 8, 7, 6)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), 1, 8, 3, 4)), Version: 9,
		},
		{
			Name: "all three broadcast", In: optest.In(optest.Bool(optest.Dims(3), true, false, true), optest.F32(optest.Dims(2, 1), 1, 2), optest.F32(nil, 0)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 1, 0, 1, 2, 0, 2)),
		},
		{
			Name: "a condition for each row", In: optest.In(optest.Bool(optest.Dims(2, 1), false, true), optest.F32(optest.Dims(1, 3), 1, 2, 3), optest.F32(optest.Dims(2, 3), 4, 5, 6, 7, 8, 9)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 4, 5, 6, 1, 2, 3)),
		},
		{
			Name: "a condition for each row, of one element or a row", In: optest.In(optest.Bool(optest.Dims(2, 1), false, true), optest.F32(nil, 1), optest.F32(optest.Dims(3), 4, 5, 6)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 4, 5, 6, 1, 1, 1)),
		},
		{
			Name: "runs of conditions", In: optest.In(optest.Bool(optest.Dims(20), false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, false, true), optest.F32(nil, 7), optest.F32(optest.Dims(20), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)),
			Want: optest.Want(optest.F32(optest.Dims(20), 0, 1, 2, 3, 4, 5, 6, 7, 8, 7, 7, 7, 7, 7, 7, 7, 7, 7, 18, 7)),
		},
		{Name: "scalars", In: optest.In(optest.Bool(nil, false), optest.F32(nil, 1), optest.F32(nil, 2)), Want: optest.Want(optest.F32(nil, 2))},
		{Name: "nothing", In: optest.In(optest.Bool(optest.Dims(0), []bool{}...), optest.F32(optest.Dims(1), 1), optest.F32(nil, 2)), Want: optest.Want(optest.F32(optest.Dims(0)))},
		{Name: "different types", In: optest.In(optest.Bool(nil, true), optest.F32(nil, 1), optest.I64(nil, 1)), Err: "X is f32 and Y is i64", Code: errs.Type},
		{Name: "not broadcastable", In: optest.In(optest.Bool(optest.Dims(2), true, true), optest.F32(optest.Dims(3), 1, 2, 3), optest.F32(nil, 1)), Err: "do not broadcast", Code: errs.Shape},
	}
	for _, d := range Where.Def().DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: d.String(), In: optest.In(optest.Bool(optest.Dims(3), true, false, true), optest.Filled(d, optest.Dims(3), 1, 1, 1), optest.Filled(d, optest.Dims(3), 0, 0, 0)),
			Want: optest.Want(optest.Filled(d, optest.Dims(3), 1, 0, 1)),
		})
	}
	optest.Run(t, Where, cases)
}
