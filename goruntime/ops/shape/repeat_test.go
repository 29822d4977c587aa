package shape

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

// The operators on a strided copy: Expand, Tile, Slice.

func TestExpand(t *testing.T) {
	x := optest.F32(optest.Dims(3, 1), 1, 2, 3)
	optest.Run(t, Expand, []optest.Case{
		{Name: "more dimensions", In: optest.In(x, optest.Ints(2, 1, 2)), Version: 8, Want: optest.Want(optest.F32(optest.Dims(2, 3, 2), 1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3))},
		{Name: "a 1 keeps", In: optest.In(x, optest.Ints(1, 1)), Want: optest.Want(x)},
		{Name: "fewer dimensions", In: optest.In(x, optest.Ints(2)), Want: optest.Want(optest.F32(optest.Dims(3, 2), 1, 1, 2, 2, 3, 3))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 4), optest.Ints(2)), Want: optest.Want(optest.F32(optest.Dims(2), 4, 4))},
		{Name: "to nothing", In: optest.In(x, optest.Ints(3, 0)), Want: optest.Want(optest.F32(optest.Dims(3, 0)))},
		{Name: "not broadcastable", In: optest.In(x, optest.Ints(2, 1)), Err: "do not broadcast", Code: errs.Shape},
		{Name: "negative", In: optest.In(x, optest.Ints(3, -1)), Err: "has a negative dimension", Code: errs.Shape},
		{Name: "huge", In: optest.In(x, optest.Ints(1<<60, 1, 1)), Err: "takes more than 2^56 bytes", Code: errs.Shape},
	})
	moves(t, Expand, from8(), optest.Dims(2, 1), optest.In(optest.Ints(1, 2)), nil, optest.Dims(2, 2), 0, 0, 1, 1)
}

func TestTile(t *testing.T) {
	x := optest.F32(optest.Dims(2, 2), 1, 2, 3, 4)
	optest.Run(t, Tile, []optest.Case{
		{Name: "the example of the specification", In: optest.In(x, optest.Ints(1, 2)), Want: optest.Want(optest.F32(optest.Dims(2, 4), 1, 2, 1, 2, 3, 4, 3, 4))},
		{Name: "both ways", In: optest.In(x, optest.Ints(2, 2)), Want: optest.Want(optest.F32(optest.Dims(4, 4), 1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4))},
		{Name: "no times", In: optest.In(x, optest.Ints(0, 2)), Want: optest.Want(optest.F32(optest.Dims(0, 4)))},
		{Name: "an empty tensor", In: optest.In(optest.F32(optest.Dims(0)), optest.Ints(3)), Want: optest.Want(optest.F32(optest.Dims(0)))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 1), optest.Ints()), Want: optest.Want(optest.F32(nil, 1))},
		{Name: "too few", In: optest.In(x, optest.Ints(2)), Err: "1 repeats given for shape [2, 2]", Code: errs.Shape},
		{Name: "negative", In: optest.In(x, optest.Ints(2, -1)), Err: "a dimension must not be negative", Code: errs.Shape},
	})
	optest.Run(t, Tile1, []optest.Case{
		{Name: "along one axis", In: optest.In(x, optest.F32(nil, 2), optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(2, 4), 1, 2, 1, 2, 3, 4, 3, 4))},
		{Name: "out of range", In: optest.In(x, optest.F32(nil, 2), optest.F32(nil, 2)), Err: "axis 2 is out of range for rank 2"},
	})
	moves(t, Tile, from8(), optest.Dims(2), optest.In(optest.Ints(2)), nil, optest.Dims(4), 0, 1, 0, 1)
}

func TestSlice(t *testing.T) {
	x := optest.I64(optest.Dims(2, 4), 1, 2, 3, 4, 5, 6, 7, 8)
	v := optest.Ints(0, 1, 2, 3, 4)
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	optest.Run(t, Slice, []optest.Case{
		{Name: "example 1 of the specification", Version: 10, In: optest.In(x, optest.Ints(1, 0), optest.Ints(2, 3), optest.Ints(0, 1), optest.Ints(1, 2)), Want: optest.Want(optest.I64(optest.Dims(1, 2), 5, 7))},
		{Name: "example 2", In: optest.In(x, optest.Ints(0, 1), optest.Ints(-1, 1000)), Want: optest.Want(optest.I64(optest.Dims(1, 3), 2, 3, 4))},
		{Name: "reversed from INT_MAX to INT_MIN", In: optest.In(v, optest.Ints(most), optest.Ints(least), nil, optest.Ints(-1)), Want: optest.Want(optest.Ints(4, 3, 2, 1, 0))},
		{Name: "all from INT_MIN to INT_MAX", In: optest.In(v, optest.Ints(least), optest.Ints(most)), Want: optest.Want(v)},
		{Name: "a negative step over two", In: optest.In(v, optest.Ints(-1), optest.Ints(0), nil, optest.Ints(-2)), Want: optest.Want(optest.Ints(4, 2))},
		{Name: "a step of INT_MIN", In: optest.In(v, optest.Ints(3), optest.Ints(least), nil, optest.Ints(least)), Want: optest.Want(optest.Ints(3))},
		{Name: "a step of INT_MAX", In: optest.In(v, optest.Ints(1), optest.Ints(most), nil, optest.Ints(most)), Want: optest.Want(optest.Ints(1))},
		{Name: "i32, axes in another order", In: optest.In(x, optest.I32(optest.Dims(2), 2, 1), optest.I32(optest.Dims(2), math.MaxInt32, math.MaxInt32), optest.I32(optest.Dims(2), -1, 0)), Want: optest.Want(optest.I64(optest.Dims(1, 2), 7, 8))},
		{Name: "nothing", In: optest.In(v, optest.Ints(3), optest.Ints(1)), Want: optest.Want(optest.Ints())},
		{Name: "of nothing, backwards", In: optest.In(optest.Ints(), optest.Ints(-1), optest.Ints(least), nil, optest.Ints(-1)), Want: optest.Want(optest.Ints())},
		{Name: "no ranges", In: optest.In(optest.F32(nil, 1), optest.Ints(), optest.Ints()), Want: optest.Want(optest.F32(nil, 1))},
		{Name: "no step", In: optest.In(v, optest.Ints(0), optest.Ints(1), nil, optest.Ints(0)), Err: "the step of axis 0 is 0", Code: errs.Shape},
		{Name: "another number of ends", In: optest.In(v, optest.Ints(0), optest.Ints(1, 2)), Err: "1 starts, 2 ends", Code: errs.Shape},
		{Name: "out of range", In: optest.In(v, optest.Ints(0), optest.Ints(1), optest.Ints(1)), Err: "axis 1 is out of range for rank 1", Code: errs.Shape},
	})
	optest.Run(t, Slice1, []optest.Case{
		{Name: "attributes", Attrs: optest.Attrs("starts", []int{1, 0}, "ends", []int{2, 3}, "axes", []int{0, 1}), In: optest.In(x), Want: optest.Want(optest.I64(optest.Dims(1, 3), 5, 6, 7))},
		{Name: "without axes", Attrs: optest.Attrs("starts", []int{0, 1}, "ends", []int{-1, 1000}), In: optest.In(x), Want: optest.Want(optest.I64(optest.Dims(1, 3), 2, 3, 4))},
	})
	moves(t, Slice, from8(), optest.Dims(2, 3), optest.In(optest.Ints(2), optest.Ints(-9), optest.Ints(1), optest.Ints(-1)), nil, optest.Dims(2, 3), 2, 1, 0, 5, 4, 3)
}
