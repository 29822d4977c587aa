package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestGatherND(t *testing.T) {
	data := optest.I32(optest.Dims(2, 2), 0, 1, 2, 3)
	cube := optest.I32(optest.Dims(2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7)
	optest.Run(t, GatherND, []optest.Case{
		{Name: "example 1 of the specification", In: optest.In(data, optest.I64(optest.Dims(2, 2), 0, 0, 1, 1)), Want: optest.Want(optest.I32(optest.Dims(2), 0, 3))},
		{Name: "example 2", Version: 11, In: optest.In(data, optest.I64(optest.Dims(2, 1), 1, 0)), Want: optest.Want(optest.I32(optest.Dims(2, 2), 2, 3, 0, 1))},
		{Name: "example 3", In: optest.In(cube, optest.I64(optest.Dims(2, 2), 0, 1, 1, 0)), Want: optest.Want(optest.I32(optest.Dims(2, 2), 2, 3, 4, 5))},
		{Name: "example 4", In: optest.In(cube, optest.I64(optest.Dims(2, 1, 2), 0, 1, 1, 0)), Want: optest.Want(optest.I32(optest.Dims(2, 1, 2), 2, 3, 4, 5))},
		{Name: "example 5, batch_dims", Attrs: optest.Attrs("batch_dims", 1), In: optest.In(cube, optest.I64(optest.Dims(2, 1), 1, 0)), Want: optest.Want(optest.I32(optest.Dims(2, 2), 2, 3, 4, 5))},
		{
			Name: "several tuples in each batch, negative", Attrs: optest.Attrs("batch_dims", 1),
			In: optest.In(cube, optest.I64(optest.Dims(2, 3, 2), -1, -1, 0, 0, 0, 1, 1, 0, 0, -2, 1, 1)), Want: optest.Want(optest.I32(optest.Dims(2, 3), 3, 0, 1, 6, 4, 7)),
		},
		{Name: "tuples of nothing take all", In: optest.In(data, optest.I64(optest.Dims(2, 0))), Want: optest.Want(optest.I32(optest.Dims(2, 2, 2), 0, 1, 2, 3, 0, 1, 2, 3))},
		{Name: "no tuples", In: optest.In(data, optest.I64(optest.Dims(0, 2))), Want: optest.Want(optest.I32(optest.Dims(0)))},
		{Name: "out of range", In: optest.In(data, optest.I64(optest.Dims(1, 2), 0, 2)), Err: "index 2 at position 0 is out of range for axis 1 of size 2", Code: errs.Compute},
		{Name: "too long tuples", In: optest.In(data, optest.I64(optest.Dims(1, 3), 0, 0, 0)), Err: "tuples of 3", Code: errs.Shape},
		{Name: "batch_dims too large", Attrs: optest.Attrs("batch_dims", 2), In: optest.In(data, optest.I64(optest.Dims(2, 1), 0, 0)), Err: "batch_dims is 2", Code: errs.Shape},
		{Name: "different batches", Attrs: optest.Attrs("batch_dims", 1), In: optest.In(data, optest.I64(optest.Dims(1, 1), 0)), Err: "the first 1 dimensions must be equal", Code: errs.Shape},
		{Name: "a scalar", In: optest.In(data, optest.I64(nil, 0)), Err: "neither may be a scalar", Code: errs.Shape},
	})
}

func TestGatherNDDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range GatherND.Def().DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(2, 2), 0, 1, 2, 3), optest.I64(optest.Dims(2, 1), 1, 0)),
			Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 2, 3, 0, 1)),
		})
	}
	optest.Run(t, GatherND, cases)
}
