package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The operators that tell a shape or make elements.

func TestShape(t *testing.T) {
	x := optest.F32(optest.Dims(2, 0, 4))
	from := func(a ...any) []op.Value { return optest.Attrs(a...) }
	optest.Run(t, Shape, []optest.Case{
		{Name: "all", In: optest.In(x), Want: optest.Want(optest.Ints(2, 0, 4)), Version: 1},
		{Name: "from 1", Attrs: from("start", 1), In: optest.In(x), Want: optest.Want(optest.Ints(0, 4))},
		{Name: "to -1", Attrs: from("end", -1), In: optest.In(x), Want: optest.Want(optest.Ints(2, 0))},
		{Name: "clamped", Attrs: from("start", -9, "end", 9), In: optest.In(x), Want: optest.Want(optest.Ints(2, 0, 4))},
		{Name: "nothing", Attrs: from("start", 2, "end", 1), In: optest.In(x), Want: optest.Want(optest.Ints())},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 1)), Want: optest.Want(optest.Ints())},
	})
	optest.Run(t, Size, []optest.Case{
		{Name: "none", In: optest.In(x), Want: optest.Want(optest.I64(nil, 0))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 1)), Want: optest.Want(optest.I64(nil, 1))},
		{Name: "of strings", In: optest.In(optest.Str(optest.Dims(1, 2), "a", "b")), Want: optest.Want(optest.I64(nil, 2))},
	})
}

func TestConstantOfShape(t *testing.T) {
	cases := []optest.Case{
		{Name: "zeros where no value is given", In: optest.In(optest.Ints(2, 1)), Want: optest.Want(optest.F32(optest.Dims(2, 1), 0, 0))},
		{Name: "a scalar", Attrs: optest.Attrs("value", optest.I64(optest.Dims(1), 7)), In: optest.In(optest.Ints()), Want: optest.Want(optest.I64(nil, 7))},
		{Name: "empty", In: optest.In(optest.Ints(0, 3)), Want: optest.Want(optest.F32(optest.Dims(0, 3)))},
		{Name: "negative", In: optest.In(optest.Ints(2, -1)), Err: "a dimension must not be negative", Code: errs.Shape},
		{Name: "huge", In: optest.In(optest.Ints(1<<40, 1<<40)), Err: "takes more than 2^56 bytes", Code: errs.Shape},
		{Name: "two values", Attrs: optest.Attrs("value", optest.Ints(1, 2)), In: optest.In(optest.Ints(1)), Err: "value has 2 elements, one expected"},
	}
	for _, d := range all() {
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: optest.Attrs("value", optest.Filled(d, optest.Dims(1), 1)), In: optest.In(optest.Ints(5)),
			Want: optest.Want(optest.Filled(d, optest.Dims(5), 1, 1, 1, 1, 1)),
		})
	}
	optest.Run(t, ConstantOfShape, cases)
}

func TestRange(t *testing.T) {
	optest.Run(t, Range, []optest.Case{
		{Name: "example 1 of the specification", In: optest.In(optest.I64(nil, 3), optest.I64(nil, 9), optest.I64(nil, 3)), Want: optest.Want(optest.Ints(3, 6))},
		{Name: "example 2", In: optest.In(optest.I32(nil, 10), optest.I32(nil, 4), optest.I32(nil, -2)), Want: optest.Want(optest.I32(optest.Dims(3), 10, 8, 6))},
		{Name: "f32, a part of a step", In: optest.In(optest.F32(nil, 1), optest.F32(nil, 2.25), optest.F32(nil, 0.5)), Want: optest.Want(optest.F32(optest.Dims(3), 1, 1.5, 2))},
		{Name: "three tenths of f32", In: optest.In(optest.F32(nil, 0), optest.F32(nil, 0.3), optest.F32(nil, 0.1)), Want: optest.Want(optest.F32(optest.Dims(3), 0, 0.1, 0.2))},
		{Name: "f64", In: optest.In(optest.F64(nil, 0), optest.F64(nil, -1), optest.F64(nil, -0.5)), Want: optest.Want(optest.F64(optest.Dims(2), 0, -0.5))},
		{Name: "i16", In: optest.In(optest.Filled(tensor.I16, nil, -32768), optest.Filled(tensor.I16, nil, 32767), optest.Filled(tensor.I16, nil, 30000)), Want: optest.Want(optest.Make(tensor.I16, optest.Dims(3), []int16{-32768, -2768, 27232}))},
		{Name: "over the whole of i64", In: optest.In(optest.I64(nil, -1<<63), optest.I64(nil, 1<<63-1), optest.I64(nil, 1<<62)), Want: optest.Want(optest.Ints(-1<<63, -1<<62, 0, 1<<62))},
		{Name: "nothing", In: optest.In(optest.F32(nil, 2), optest.F32(nil, 1), optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(0)))},
		{Name: "f16", In: optest.In(optest.Filled(tensor.F16, nil, 1), optest.Filled(tensor.F16, nil, 2), optest.Filled(tensor.F16, nil, 0.5)), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(2), 1, 1.5))},
		{
			Name: "bf16 is computed in f32", In: optest.In(optest.Filled(tensor.BF16, nil, 256), optest.Filled(tensor.BF16, nil, 260), optest.Filled(tensor.BF16, nil, 1)),
			Want: optest.Want(optest.Filled(tensor.BF16, optest.Dims(4), 256, 256, 258, 260)),
		},
		{
			Name: "f16 that stashes f16", Attrs: optest.Attrs("stash_type", 10), In: optest.In(optest.Filled(tensor.F16, nil, 0), optest.Filled(tensor.F16, nil, 3), optest.Filled(tensor.F16, nil, 1)),
			Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(3), 0, 1, 2)),
		},
		{Name: "no step", In: optest.In(optest.I64(nil, 0), optest.I64(nil, 1), optest.I64(nil, 0)), Err: "delta is 0", Code: errs.Compute},
		{Name: "no float step", In: optest.In(optest.F32(nil, 0), optest.F32(nil, 1), optest.F32(nil, 0)), Err: "delta is 0", Code: errs.Compute},
		{Name: "no end", In: optest.In(optest.F64(nil, 0), optest.F64(nil, 1e300), optest.F64(nil, 1)), Err: "has no end", Code: errs.Compute},
		{Name: "no scalar", In: optest.In(optest.Ints(0, 1), optest.I64(nil, 1), optest.I64(nil, 1)), Err: "input 0 has 2 elements, a scalar is expected", Code: errs.Shape},
		{Name: "different types", In: optest.In(optest.I64(nil, 0), optest.F32(nil, 1), optest.I64(nil, 1)), Err: "input 1 is f32, input 0 is i64", Code: errs.Type},
	})
	optest.Run(t, Range11, []optest.Case{{Name: "version 11", In: optest.In(optest.I64(nil, 0), optest.I64(nil, 2), optest.I64(nil, 1)), Want: optest.Want(optest.Ints(0, 1))}})
}
