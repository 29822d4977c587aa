package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestGatherElements(t *testing.T) {
	optest.Run(t, GatherElements, []optest.Case{
		{
			Name: "the first example of the specification", Attrs: optest.Attrs("axis", 1), Version: 11,
			In:   optest.In(optest.F32(optest.Dims(2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(2, 2), 0, 0, 1, 0)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), 1, 1, 4, 3)),
		},
		{
			Name: "the second example, negative",
			In:   optest.In(optest.F32(optest.Dims(3, 3), 1, 2, 3, 4, 5, 6, 7, 8, 9), optest.I32(optest.Dims(2, 3), 1, 2, 0, -1, 0, 0)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 4, 8, 3, 7, 2, 3)),
		},
		{
			Name: "fewer indices beside the axis, more on it", Attrs: optest.Attrs("axis", -2),
			In:   optest.In(optest.F32(optest.Dims(2, 2, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2, 3, 1), 0, 1, 0, 1, 1, 0)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3, 1), 0, 3, 0, 9, 9, 6)),
		},
		{
			Name: "no indices", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.I64(optest.Dims(0))), Want: optest.Want(optest.F32(optest.Dims(0))),
		},
		{
			Name: "an index out of range", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.I64(optest.Dims(2), 0, -3)),
			Err: "index -3 at position 1 is out of range for axis 0 of size 2", Code: errs.Compute,
		},
		{
			Name: "another rank", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.I64(optest.Dims(1, 1), 0)),
			Err: "the ranks must be equal", Code: errs.Shape,
		},
		{
			Name: "more indices beside the axis", In: optest.In(optest.F32(optest.Dims(1, 1), 1), optest.I64(optest.Dims(1, 2), 0, 0)),
			Err: "only axis 0 may be longer", Code: errs.Shape,
		},
		{
			Name: "scalars", In: optest.In(optest.F32(nil, 1), optest.I64(nil, 0)), Err: "axis 0 is out of range for rank 0", Code: errs.Shape,
		},
	})
}

func TestGatherElementsDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range GatherElements.Def().DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(2, 2), 0, 1, 2, 3), optest.I64(optest.Dims(2, 2), 1, 0, 0, 1)),
			Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 2, 1, 0, 3)),
		})
	}
	optest.Run(t, GatherElements, cases)
}
