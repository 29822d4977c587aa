package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The operators whose output is the input under another shape.

func TestReshape(t *testing.T) {
	x := optest.F32(optest.Dims(2, 3), 0, 1, 2, 3, 4, 5)
	empty := optest.F32(optest.Dims(0, 3))
	as := func(d ...int) []*tensor.View { return optest.Want(optest.F32(d, 0, 1, 2, 3, 4, 5)) }
	zero := optest.Attrs("allowzero", 1)
	optest.Run(t, Reshape, []optest.Case{
		{Name: "given", In: optest.In(x, optest.Ints(3, 2)), Want: as(3, 2), Version: 5},
		{Name: "-1 is what is left", In: optest.In(x, optest.Ints(-1, 1, 2)), Want: as(3, 1, 2)},
		{Name: "0 keeps", In: optest.In(x, optest.Ints(0, 1, -1)), Want: as(2, 1, 3)},
		{Name: "to a scalar", In: optest.In(optest.F32(optest.Dims(1, 1), 7), optest.Ints()), Want: optest.Want(optest.F32(nil, 7))},
		{Name: "0 with allowzero", Attrs: zero, In: optest.In(empty, optest.Ints(3, 0)), Want: optest.Want(optest.F32(optest.Dims(3, 0)))},
		{Name: "0 keeps a 0", In: optest.In(empty, optest.Ints(0, 3)), Want: optest.Want(empty)},
		{Name: "0 and -1 with allowzero", Attrs: zero, In: optest.In(empty, optest.Ints(0, -1)), Err: "cannot be given the shape [0, ?]", Code: errs.Shape},
		{Name: "two of -1", In: optest.In(x, optest.Ints(-1, -1)), Err: "more than one -1", Code: errs.Shape},
		{Name: "-2", In: optest.In(x, optest.Ints(-2, 3)), Err: "has the dimension -2", Code: errs.Shape},
		{Name: "0 beyond the rank", In: optest.In(x, optest.Ints(2, 3, 0)), Err: "copies dimension 2 of the input", Code: errs.Shape},
		{Name: "another number of elements", In: optest.In(x, optest.Ints(4, 2)), Err: "the 6 elements of shape [2, 3] cannot be given the shape [4, 2] of 8", Code: errs.Shape},
		{Name: "a rest that does not divide", In: optest.In(x, optest.Ints(4, -1)), Err: "the 6 elements of shape [2, 3] cannot be given", Code: errs.Shape},
		{Name: "dimensions whose product overflows to 0", Attrs: zero, In: optest.In(empty, optest.Ints(1<<32, 1<<32)), Err: "takes more than 2^56 bytes", Code: errs.Shape},
	})
	optest.Run(t, Reshape1, []optest.Case{{Name: "an attribute", Attrs: optest.Attrs("shape", []int{-1, 2}), In: optest.In(x), Want: as(3, 2)}})
	moves(t, Reshape, all(), optest.Dims(3), optest.In(optest.Ints(1, 3)), nil, optest.Dims(1, 3), 0, 1, 2)
}

func TestSqueeze(t *testing.T) {
	x := optest.F32(optest.Dims(1, 3, 1), 0, 1, 2)
	as := func(d ...int) []*tensor.View { return optest.Want(optest.F32(d, 0, 1, 2)) }
	optest.Run(t, Squeeze, []optest.Case{
		{Name: "all", In: optest.In(x), Want: as(3)},
		{Name: "the last", In: optest.In(x, optest.Ints(-1)), Want: as(1, 3)},
		{Name: "named none", In: optest.In(x, optest.Ints()), Want: as(1, 3, 1)},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 1)), Want: optest.Want(optest.F32(nil, 1))},
		{Name: "not 1", In: optest.In(x, optest.Ints(1)), Err: "axis 1 has size 3", Code: errs.Shape},
		{Name: "out of range", In: optest.In(x, optest.Ints(3)), Err: "axis 3 is out of range for rank 3", Code: errs.Shape},
	})
	optest.Run(t, Squeeze1, []optest.Case{
		{Name: "an attribute", Attrs: optest.Attrs("axes", []int{0}), In: optest.In(x), Want: as(3, 1)},
		{Name: "all", In: optest.In(x), Want: as(3), Version: 1},
	})
	moves(t, Squeeze, all(), optest.Dims(3, 1), nil, nil, optest.Dims(3), 0, 1, 2)
}

func TestUnsqueeze(t *testing.T) {
	x := optest.F32(optest.Dims(3), 0, 1, 2)
	as := func(d ...int) []*tensor.View { return optest.Want(optest.F32(d, 0, 1, 2)) }
	optest.Run(t, Unsqueeze, []optest.Case{
		{Name: "front and back, in any order", In: optest.In(x, optest.Ints(2, 0)), Want: as(1, 3, 1)},
		{Name: "negative", In: optest.In(x, optest.Ints(-1)), Want: as(3, 1)},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 1), optest.Ints(0)), Want: optest.Want(optest.F32(optest.Dims(1), 1))},
		{Name: "twice", In: optest.In(x, optest.Ints(0, -3)), Err: "name the dimension 0 of the output twice", Code: errs.Shape},
		{Name: "out of range", In: optest.In(x, optest.Ints(2)), Err: "axis 2 is out of range for rank 2", Code: errs.Shape},
	})
	optest.Run(t, Unsqueeze1, []optest.Case{{Name: "an attribute", Attrs: optest.Attrs("axes", []int{0, 2}), In: optest.In(x), Want: as(1, 3, 1)}})
	moves(t, Unsqueeze, all(), optest.Dims(3), optest.In(optest.Ints(0)), nil, optest.Dims(1, 3), 0, 1, 2)
}

func TestFlatten(t *testing.T) {
	x := optest.F32(optest.Dims(2, 1, 3), 0, 1, 2, 3, 4, 5)
	as := func(d ...int) []*tensor.View { return optest.Want(optest.F32(d, 0, 1, 2, 3, 4, 5)) }
	axis := func(a int) optest.Case { return optest.Case{Attrs: optest.Attrs("axis", a), In: optest.In(x)} }
	named := func(c optest.Case, name string, want []*tensor.View) optest.Case {
		c.Name, c.Want = name, want
		return c
	}
	optest.Run(t, Flatten, []optest.Case{
		{Name: "axis 1 where none is given", In: optest.In(x), Want: as(2, 3), Version: 1},
		named(axis(0), "axis 0", as(1, 6)), named(axis(3), "axis 3", as(6, 1)), named(axis(-1), "axis -1", as(2, 3)),
		{Name: "a scalar", Attrs: optest.Attrs("axis", 0), In: optest.In(optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(1, 1), 1))},
		{Name: "empty", In: optest.In(optest.F32(optest.Dims(0, 3))), Want: optest.Want(optest.F32(optest.Dims(0, 3)))},
		{Name: "out of range", Attrs: optest.Attrs("axis", 4), In: optest.In(x), Err: "axis 4 is out of range for rank 3", Code: errs.Shape},
	})
	moves(t, Flatten, all(), optest.Dims(3), nil, nil, optest.Dims(3, 1), 0, 1, 2)
}

func TestIdentity(t *testing.T) {
	moves(t, Identity, all(), optest.Dims(5), nil, nil, optest.Dims(5), 0, 1, 2, 3, 4)
	moves(t, Identity, all(), optest.Dims(0, 2), nil, nil, optest.Dims(0, 2))
}
