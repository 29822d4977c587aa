package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestOneHot(t *testing.T) {
	values := optest.F32(optest.Dims(2), 0, 1)
	optest.Run(t, OneHot, []optest.Case{
		{
			Name: "negative indices count from the end, those outside have all off", In: optest.In(optest.Ints(0, -1, 3, -4), optest.I64(nil, 3), optest.F32(optest.Dims(2), 2, 5)),
			Want: optest.Want(optest.F32(optest.Dims(4, 3), 5, 2, 2, 2, 2, 5, 2, 2, 2, 2, 2, 2)),
		},
		{
			Name: "axis 0", Attrs: optest.Attrs("axis", 0), In: optest.In(optest.I32(optest.Dims(2), 1, 0), optest.Ints(3), values),
			Want: optest.Want(optest.F32(optest.Dims(3, 2), 0, 1, 1, 0, 0, 0)),
		},
		{
			Name: "axis -2 of a matrix", Attrs: optest.Attrs("axis", -2), In: optest.In(optest.I64(optest.Dims(2, 2), 0, 1, 1, 1), optest.I64(nil, 2), values),
			Want: optest.Want(optest.F32(optest.Dims(2, 2, 2), 1, 0, 0, 1, 0, 0, 1, 1)),
		},
		{Name: "a scalar, numbers cut", In: optest.In(optest.F32(nil, 1.9), optest.F64(nil, 2.5), values), Want: optest.Want(optest.F32(optest.Dims(2), 0, 1))},
		{Name: "depth 0", In: optest.In(optest.Ints(0), optest.I64(nil, 0), values), Want: optest.Want(optest.F32(optest.Dims(1, 0)))},
		{Name: "no indices", In: optest.In(optest.Ints(), optest.I64(nil, 2), values), Want: optest.Want(optest.F32(optest.Dims(0, 2)))},
		{Name: "a huge u64 index", In: optest.In(optest.Filled(13, optest.Dims(1), -1), optest.I64(nil, 2), values), Want: optest.Want(optest.F32(optest.Dims(1, 2), 0, 0))},
		{Name: "a negative depth", In: optest.In(optest.Ints(0), optest.I64(nil, -1), values), Err: "depth is -1", Code: errs.Compute},
		{Name: "two depths", In: optest.In(optest.Ints(0), optest.Ints(1, 2), values), Err: "depth has 2 elements, one expected", Code: errs.Shape},
		{Name: "three values", In: optest.In(optest.Ints(0), optest.I64(nil, 1), optest.F32(optest.Dims(3), 0, 1, 2)), Err: "values has shape [3]", Code: errs.Shape},
		{Name: "an axis out of range", Attrs: optest.Attrs("axis", 2), In: optest.In(optest.Ints(0), optest.I64(nil, 1), values), Err: "axis 2 is out of range for rank 2"},
	})
	optest.Run(t, OneHot9, []optest.Case{{
		Name: "version 9 has no negative indices", In: optest.In(optest.Ints(-1, 1), optest.I64(nil, 2), values),
		Want: optest.Want(optest.F32(optest.Dims(2, 2), 0, 0, 0, 1)),
	}})
}

func TestOneHotDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range OneHot.Def().DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: "values " + d.String(), In: optest.In(optest.Ints(1), optest.I64(nil, 3), optest.Filled(d, optest.Dims(2), 0, 1)),
			Want: optest.Want(optest.Filled(d, optest.Dims(1, 3), 0, 1, 0)),
		})
	}
	for _, d := range wholeTypes {
		cases = append(cases, optest.Case{
			Name: "indices " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(1), 1), optest.Filled(d, nil, 2), optest.U8(optest.Dims(2), 3, 4)),
			Want: optest.Want(optest.U8(optest.Dims(1, 2), 3, 4)),
		})
	}
	optest.Run(t, OneHot, cases)
}
