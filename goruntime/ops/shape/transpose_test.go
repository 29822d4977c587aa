package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestTranspose(t *testing.T) {
	x := optest.F32(optest.Dims(2, 1, 3), 1, 2, 3, 4, 5, 6)
	optest.Run(t, Transpose, []optest.Case{
		{
			Name: "without perm the dimensions are reversed", Version: 1, In: optest.In(x),
			Want: optest.Want(optest.F32(optest.Dims(3, 1, 2), 1, 4, 2, 5, 3, 6)),
		},
		{
			Name: "the example of the specification", Attrs: optest.Attrs("perm", []int{1, 0, 2}), In: optest.In(x),
			Want: optest.Want(optest.F32(optest.Dims(1, 2, 3), 1, 2, 3, 4, 5, 6)),
		},
		{
			Name: "the middle axis last", Attrs: optest.Attrs("perm", []int{0, 2, 1}),
			In:   optest.In(optest.F32(optest.Dims(2, 2, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3, 2), 0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11)),
		},
		{
			Name: "heads: axes 1 and 2 of four", Attrs: optest.Attrs("perm", []int{0, 2, 1, 3}),
			In:   optest.In(optest.I64(optest.Dims(1, 2, 3, 2), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
			Want: optest.Want(optest.I64(optest.Dims(1, 3, 2, 2), 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11)),
		},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 7)), Want: optest.Want(optest.F32(nil, 7))},
		{
			Name: "a scalar with an empty perm", Attrs: optest.Attrs("perm", []int{}),
			In: optest.In(optest.F32(nil, 7)), Want: optest.Want(optest.F32(nil, 7)),
		},
		{
			Name: "an empty dimension", In: optest.In(optest.F32(optest.Dims(2, 0, 3))),
			Want: optest.Want(optest.F32(optest.Dims(3, 0, 2))),
		},
		{
			Name: "a perm of another length", Attrs: optest.Attrs("perm", []int{1, 0}), In: optest.In(x),
			Err: "perm [1 0] has 2 entries, the input has rank 3", Code: errs.Shape,
		},
		{
			Name: "a repeated axis", Attrs: optest.Attrs("perm", []int{1, 0, 1}), In: optest.In(x),
			Err: "perm [1 0 1] is not a permutation", Code: errs.Shape,
		},
		{
			Name: "a negative axis", Attrs: optest.Attrs("perm", []int{1, 0, -1}), In: optest.In(x),
			Err: "perm [1 0 -1] is not a permutation", Code: errs.Shape,
		},
	})
}

func TestTransposeDTypes(t *testing.T) {
	moves(t, Transpose, all(), optest.Dims(3, 3), nil, nil, optest.Dims(3, 3), 0, 3, 6, 1, 4, 7, 2, 5, 8)
}
