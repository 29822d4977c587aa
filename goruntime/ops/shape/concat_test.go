package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestConcat(t *testing.T) {
	a, b := optest.F32(optest.Dims(2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(2, 2), 5, 6, 7, 8)
	optest.Run(t, Concat, []optest.Case{
		{
			Name: "axis 0", Attrs: optest.Attrs("axis", 0), In: optest.In(a, b), Version: 4,
			Want: optest.Want(optest.F32(optest.Dims(4, 2), 1, 2, 3, 4, 5, 6, 7, 8)),
		},
		{
			Name: "axis -1", Attrs: optest.Attrs("axis", -1), In: optest.In(a, b),
			Want: optest.Want(optest.F32(optest.Dims(2, 4), 1, 2, 5, 6, 3, 4, 7, 8)),
		},
		{
			Name: "parts of different sizes, one empty", Attrs: optest.Attrs("axis", 1),
			In:   optest.In(a, optest.F32(optest.Dims(2, 0)), optest.F32(optest.Dims(2, 1), 9, 10)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 1, 2, 9, 3, 4, 10)),
		},
		{Name: "one input", Attrs: optest.Attrs("axis", 0), In: optest.In(a), Want: optest.Want(a)},
		{
			Name: "nothing at all", Attrs: optest.Attrs("axis", 0),
			In: optest.In(optest.F32(optest.Dims(0)), optest.F32(optest.Dims(0))), Want: optest.Want(optest.F32(optest.Dims(0))),
		},
		{Name: "no axis", In: optest.In(a, b), Err: `attribute "axis" is required and missing`, Code: errs.Model},
		{
			Name: "scalars", Attrs: optest.Attrs("axis", 0), In: optest.In(optest.F32(nil, 1), optest.F32(nil, 2)),
			Err: "axis 0 is out of range for rank 0", Code: errs.Shape,
		},
		{
			Name: "different ranks", Attrs: optest.Attrs("axis", 0), In: optest.In(a, optest.F32(optest.Dims(2), 1, 2)),
			Err: "the ranks must be equal", Code: errs.Shape,
		},
		{
			Name: "a difference beside the axis", Attrs: optest.Attrs("axis", 0), In: optest.In(a, optest.F32(optest.Dims(1, 1), 1)),
			Err: "they may differ in axis 0 only", Code: errs.Shape,
		},
		{
			Name: "different types", Attrs: optest.Attrs("axis", 0), In: optest.In(a, optest.I64(optest.Dims(1, 2), 1, 2)),
			Err: "input 1 is i64, input 0 is f32", Code: errs.Type,
		},
	})
	optest.Run(t, Concat1, []optest.Case{{
		Name: "the axis of version 1 is 1", In: optest.In(a, b),
		Want: optest.Want(optest.F32(optest.Dims(2, 4), 1, 2, 5, 6, 3, 4, 7, 8)),
	}})
}

func TestConcatDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range from8() {
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: optest.Attrs("axis", 1),
			In:   optest.In(optest.Filled(d, optest.Dims(2, 1), 0, 1), optest.Filled(d, optest.Dims(2, 2), 2, 3, 4, 5)),
			Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 0, 2, 3, 1, 4, 5)),
		})
	}
	optest.Run(t, Concat, cases)
}
