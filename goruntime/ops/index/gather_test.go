package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestGather(t *testing.T) {
	data := optest.F32(optest.Dims(3, 2), 1.0, 1.2, 2.3, 3.4, 4.5, 5.7)
	optest.Run(t, Gather, []optest.Case{
		{
			Name: "rows, the first example of the specification",
			In:   optest.In(data, optest.I64(optest.Dims(2, 2), 0, 1, 1, 2)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2, 2), 1.0, 1.2, 2.3, 3.4, 2.3, 3.4, 4.5, 5.7)),
		},
		{
			Name: "columns, the second example", Attrs: optest.Attrs("axis", 1), Version: 1,
			In:   optest.In(optest.F32(optest.Dims(3, 3), 1.0, 1.2, 1.9, 2.3, 3.4, 3.9, 4.5, 5.7, 5.9), optest.I64(optest.Dims(1, 2), 0, 2)),
			Want: optest.Want(optest.F32(optest.Dims(3, 1, 2), 1.0, 1.9, 2.3, 3.9, 4.5, 5.9)),
		},
		{
			Name: "negative axis and indices of i32", Attrs: optest.Attrs("axis", -2),
			In:   optest.In(data, optest.I32(optest.Dims(2), -1, -3)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), 4.5, 5.7, 1.0, 1.2)),
		},
		{
			Name: "a scalar index removes the axis",
			In:   optest.In(data, optest.I64(optest.Dims(), 1)),
			Want: optest.Want(optest.F32(optest.Dims(2), 2.3, 3.4)),
		},
		{
			Name: "no indices",
			In:   optest.In(data, optest.I64(optest.Dims(0))),
			Want: optest.Want(optest.F32(optest.Dims(0, 2))),
		},
		{
			Name: "indices into an axis beside an empty one", Attrs: optest.Attrs("axis", 1),
			In:   optest.In(optest.F32(optest.Dims(0, 3)), optest.I64(optest.Dims(2), 2, 0)),
			Want: optest.Want(optest.F32(optest.Dims(0, 2))),
		},
		{
			Name: "an index out of range",
			In:   optest.In(data, optest.I64(optest.Dims(2), 0, 3)),
			Err:  "index 3 at position 1 is out of range for axis size 3", Code: errs.Compute,
		},
		{
			Name: "an index far below", In: optest.In(data, optest.I64(optest.Dims(1), -4)),
			Err: "index -4 at position 0 is out of range", Code: errs.Compute,
		},
		{
			Name: "an axis out of range", Attrs: optest.Attrs("axis", 2),
			In: optest.In(data, optest.I64(optest.Dims(1), 0)), Err: "axis 2 is out of range for rank 2", Code: errs.Shape,
		},
	})
}

func TestGatherDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range Gather.Def().DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: d.String(),
			In:   optest.In(optest.Filled(d, optest.Dims(2, 3), 0, 1, 2, 3, 4, 5), optest.I64(optest.Dims(2), 2, 0)),
			Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 2, 0, 5, 3)), Attrs: optest.Attrs("axis", 1),
		})
	}
	if len(cases) != 21 || Gather.Def().DTypes.Row(tensor.Str) == nil {
		t.Errorf("%d element types have a row, want all 21 from a byte on", len(cases))
	}
	optest.Run(t, Gather, cases)
}
