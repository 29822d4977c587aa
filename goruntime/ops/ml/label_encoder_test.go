package ml

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestLabelEncoder(t *testing.T) {
	three := optest.Dims(3)
	types := LabelEncoder.Def().DTypes.Types()
	var cases []optest.Case
	for _, k := range types {
		keys, x := optest.Filled(k, three, 7, 8, 9), optest.Filled(k, optest.Dims(2, 2), 9, 7, 1, 8)
		for _, v := range types {
			cases = append(cases, optest.Case{
				Name: k.String() + " to " + v.String(), Attrs: optest.Attrs("keys_tensor", keys, "values_tensor", optest.Filled(v, three, 4, 5, 6), "default_tensor", optest.Filled(v, optest.Dims(1), 3)),
				In: optest.In(x), Want: optest.Want(optest.Filled(v, optest.Dims(2, 2), 6, 4, 3, 5)),
			})
		}
	}
	for _, c := range []struct{ values, missing *tensor.View }{
		{optest.Filled(tensor.I16, three, 4, 5, 6), optest.Filled(tensor.I16, nil, -1)},
		{optest.Filled(tensor.I32, three, 4, 5, 6), optest.Filled(tensor.I32, nil, -1)},
		{optest.Filled(tensor.I64, three, 4, 5, 6), optest.Filled(tensor.I64, nil, -1)},
		{optest.Str(three, "x", "y", "z"), optest.Str(nil, "_Unused")},
		{optest.Filled(tensor.F32, three, 4, 5, 6), optest.Filled(tensor.F32, nil, math.Copysign(0, -1))},
		{optest.Filled(tensor.F64, three, 4, 5, 6), optest.Filled(tensor.F64, nil, math.Copysign(0, -1))},
	} {
		cases = append(cases, optest.Case{Name: "the default of " + c.values.DType.String(), Attrs: optest.Attrs("keys_int64s", []int{1, 2, 3}, "values_tensor", c.values), In: optest.In(optest.I64(nil, 0)), Want: optest.Want(c.missing)})
	}
	nan := float32(math.NaN())
	floats := optest.In(optest.F32(optest.Dims(4), nan, 0, float32(math.Copysign(0, -1)), 3))
	optest.Run(t, LabelEncoder, append(cases,
		optest.Case{
			Name: "the example of the specification", Version: 2, Attrs: optest.Attrs("keys_strings", []string{"Amy", "Sally"}, "values_int64s", []int{5, 6}, "default_int64", -1),
			In: optest.In(optest.Str(optest.Dims(5), "Dori", "Amy", "Amy", "Sally", "Sally")), Want: optest.Want(optest.Ints(-1, 5, 5, 6, 6)),
		},
		optest.Case{Name: "a NaN key and zeros", Attrs: optest.Attrs("keys_floats", []float32{0, nan}, "values_strings", []string{"zero", "none"}, "default_string", "?"), In: floats, Want: optest.Want(optest.Str(optest.Dims(4), "none", "zero", "zero", "?"))},
		optest.Case{Name: "no NaN key", Attrs: optest.Attrs("keys_floats", []float32{0}, "values_floats", []float32{1}, "default_float", 9.0), In: floats, Want: optest.Want(optest.F32(optest.Dims(4), 9, 1, 1, 9))},
		optest.Case{Name: "the last of equal keys", Attrs: optest.Attrs("keys_int64s", []int{1, 1}, "values_int64s", []int{5, 6}), In: optest.In(optest.Ints(1)), Want: optest.Want(optest.Ints(6))},
		optest.Case{Name: "nothing", Attrs: optest.Attrs("keys_int64s", []int{1}, "values_strings", []string{"a"}), In: optest.In(optest.Ints()), Want: optest.Want(optest.Str(optest.Dims(0)))},
	))
	one := optest.In(optest.Ints(1))
	optest.Run(t, LabelEncoder, []optest.Case{
		{Name: "no values", Attrs: optest.Attrs("keys_int64s", []int{1}), In: one, Err: "0 of the values_ attributes are given: one is expected", Code: errs.Model},
		{Name: "no keys of the type", Attrs: optest.Attrs("keys_strings", []string{"a"}, "values_int64s", []int{1}), In: one, Err: "there are no keys of type i64, which X has", Code: errs.Model},
		{Name: "keys of another type", Attrs: optest.Attrs("keys_tensor", optest.F32(optest.Dims(1), 1), "values_int64s", []int{1}), In: one, Err: "keys_tensor is f32, X is i64", Code: errs.Type},
		{Name: "other lengths", Attrs: optest.Attrs("keys_int64s", []int{1}, "values_int64s", []int{1, 2}), In: one, Err: "1 keys and 2 values given: they must be as many", Code: errs.Model},
		{Name: "a default of another type", Attrs: optest.Attrs("keys_int64s", []int{1}, "values_int64s", []int{1}, "default_tensor", optest.F32(optest.Dims(1), 1)), In: one, Err: "default_tensor is f32[1]: one element of type i64 is expected", Code: errs.Model},
		{Name: "values of another type", Attrs: optest.Attrs("keys_int64s", []int{1}, "values_tensor", optest.U8(optest.Dims(1), 1)), In: one, Err: "values of type u8 are not supported", Code: errs.Unsupported},
	})
	classes := optest.Attrs("classes_strings", []string{"a", "b", "b"})
	optest.Run(t, LabelEncoder1, []optest.Case{
		{Name: "strings", Attrs: classes, In: optest.In(optest.Str(three, "a", "c", "")), Want: optest.Want(optest.Ints(0, -1, -1))},
		{Name: "places", Attrs: classes, In: optest.In(optest.Ints(1, 3, 0)), Want: optest.Want(optest.Str(three, "b", "_Unused", "a"))},
	})
}

func TestCategoryMapper(t *testing.T) {
	list := optest.Attrs("cats_int64s", []int{10, -2}, "cats_strings", []string{"ten", "minus two"})
	optest.Run(t, CategoryMapper, []optest.Case{
		{Name: "strings", Attrs: list, In: optest.In(optest.Str(optest.Dims(3), "minus two", "no", "ten")), Want: optest.Want(optest.Ints(-2, -1, 10))},
		{Name: "numbers", Attrs: list, In: optest.In(optest.I64(optest.Dims(1, 3), 10, 0, -2)), Want: optest.Want(optest.Str(optest.Dims(1, 3), "ten", "_Unused", "minus two"))},
		{Name: "defaults", Attrs: append(list, optest.Attrs("default_int64", 5)...), In: optest.In(optest.Str(nil, "")), Want: optest.Want(optest.I64(nil, 5))},
		{Name: "other lengths", Attrs: optest.Attrs("cats_int64s", []int{1}), In: optest.In(optest.Ints(1)), Err: "1 cats_int64s and 0 cats_strings given", Code: errs.Model},
		{Name: "f32", Attrs: list, In: optest.In(optest.F32(nil, 1)), Err: "f32 is not supported", Code: errs.Unsupported},
	})
}
