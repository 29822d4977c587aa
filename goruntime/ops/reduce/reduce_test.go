package reduce

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// example is the tensor of the specification's examples: [3, 2, 2], 1 to 12.
func example(d tensor.DType) *tensor.View {
	values := optest.Counting(12)
	for i := range values {
		values[i]++
	}
	return optest.Filled(d, optest.Dims(3, 2, 2), values...)
}

func TestReduceSum(t *testing.T) {
	var cases []optest.Case
	f32 := func(dims tensor.Shape, v ...float64) []*tensor.View {
		return optest.Want(optest.Filled(tensor.F32, dims, v...))
	}
	x := example(tensor.F32)
	cases = append(cases,
		optest.Case{Name: "one axis, not kept", Attrs: optest.Attrs("keepdims", 0), In: optest.In(x, optest.Ints(1)), Want: f32(optest.Dims(3, 2), 4, 6, 12, 14, 20, 22)},
		optest.Case{Name: "one axis, kept", In: optest.In(x, optest.Ints(1)), Want: f32(optest.Dims(3, 1, 2), 4, 6, 12, 14, 20, 22)},
		optest.Case{Name: "a negative axis", In: optest.In(x, optest.Ints(-2)), Want: f32(optest.Dims(3, 1, 2), 4, 6, 12, 14, 20, 22)},
		optest.Case{Name: "the first axis", In: optest.In(x, optest.Ints(0)), Want: f32(optest.Dims(1, 2, 2), 15, 18, 21, 24)},
		optest.Case{Name: "the outer axes", Attrs: optest.Attrs("keepdims", 0), In: optest.In(x, optest.Ints(0, 1)), Want: f32(optest.Dims(2), 36, 42)},
		optest.Case{Name: "the axes around one", Attrs: optest.Attrs("keepdims", 0), In: optest.In(x, optest.Ints(2, 0)), Want: f32(optest.Dims(2), 33, 45)},
		optest.Case{Name: "the inner axes", Attrs: optest.Attrs("keepdims", 0), In: optest.In(x, optest.Ints(-1, 1)), Want: f32(optest.Dims(3), 10, 26, 42)},
		optest.Case{Name: "an axis named twice", Attrs: optest.Attrs("keepdims", 0), In: optest.In(x, optest.Ints(1, -2)), Want: f32(optest.Dims(3, 2), 4, 6, 12, 14, 20, 22)},
		optest.Case{Name: "no axes are all", In: optest.In(x), Want: f32(optest.Dims(1, 1, 1), 78)},
		optest.Case{Name: "empty axes are all", Attrs: optest.Attrs("keepdims", 0), In: optest.In(x, optest.Ints()), Want: f32(optest.Dims(), 78)},
		optest.Case{Name: "empty axes are none if so told", Attrs: optest.Attrs("noop_with_empty_axes", 1), In: optest.In(x, optest.Ints()), Want: optest.Want(x)},
		optest.Case{Name: "omitted axes are none if so told", Attrs: optest.Attrs("noop_with_empty_axes", 1), In: optest.In(x), Want: optest.Want(x)},
		optest.Case{Name: "a scalar", In: optest.In(optest.F32(nil, 7)), Want: f32(optest.Dims(), 7)},
		optest.Case{Name: "an empty axis", Attrs: optest.Attrs("keepdims", 0), In: optest.In(optest.F32(optest.Dims(2, 0, 4)), optest.Ints(1)), Want: f32(optest.Dims(2, 4), make([]float64, 8)...)},
		optest.Case{Name: "nothing left", In: optest.In(optest.F32(optest.Dims(2, 0, 4)), optest.Ints(0)), Want: f32(optest.Dims(1, 0, 4))},
		optest.Case{Name: "all of nothing", In: optest.In(optest.F32(optest.Dims(0))), Want: f32(optest.Dims(1), 0)},
		optest.Case{
			Name: "special numbers", Attrs: optest.Attrs("keepdims", 0), Want: f32(optest.Dims(3), math.NaN(), math.NaN(), math.Inf(-1)),
			In: optest.In(optest.Filled(tensor.F32, optest.Dims(3, 2), math.NaN(), 1, math.Inf(1), math.Inf(-1), math.Inf(-1), 1), optest.Ints(1)),
		},
		optest.Case{Name: "an axis outside", In: optest.In(x, optest.Ints(3)), Err: "axis 3 is out of range for rank 3", Code: errs.Shape},
		optest.Case{Name: "an axis of a scalar", In: optest.In(optest.F32(nil, 7), optest.Ints(0)), Err: "axis 0 is out of range for rank 0", Code: errs.Shape},
		optest.Case{Name: "bool", In: optest.In(optest.Bool(optest.Dims(1), true)), Err: "element type bool is not supported", Code: errs.Unsupported},
		optest.Case{Name: "axes of a float", In: optest.In(x, optest.F32(optest.Dims(1), 1)), Err: "f32 given, i32 or i64 expected", Code: errs.Type},
	)
	for _, d := range ReduceSum.DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: optest.Attrs("keepdims", 0), In: optest.In(example(d), optest.Ints(2)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 2), 3, 7, 11, 15, 19, 23)),
		})
	}
	optest.Run(t, ReduceSum, append(cases, optest.Case{
		Name: "whole numbers wrap around", In: optest.In(optest.Ints(math.MaxInt64, 1)), Want: optest.Want(optest.Ints(math.MinInt64)),
	}))
}

func TestReduceMean(t *testing.T) {
	var cases []optest.Case
	for _, d := range ReduceMean.DTypes.Types() {
		cases = append(cases, optest.Case{
			Name: d.String(), In: optest.In(example(d), optest.Ints(0)), Want: optest.Want(optest.Filled(d, optest.Dims(1, 2, 2), 5, 6, 7, 8)),
		}, optest.Case{
			Name: "a fraction of " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(4), 1, 2, 2, 1)), Want: optest.Want(optest.Filled(d, optest.Dims(1), 1.5)),
		})
	}
	u64 := func(v ...uint64) *tensor.View { return optest.Make(tensor.U64, optest.Dims(len(v)), v) }
	many, ones := make([]int8, 300), optest.Make(tensor.I8, optest.Dims(1), []int8{0})
	many[299] = 100
	optest.Run(t, ReduceMean, append(cases,
		optest.Case{Name: "a negative fraction is cut off", In: optest.In(optest.Ints(-1, -2)), Want: optest.Want(optest.Ints(-1))},
		optest.Case{Name: "above the signed numbers", In: optest.In(u64(1<<63, 2)), Want: optest.Want(u64(1<<62 + 1))},
		optest.Case{Name: "more numbers than the type counts", In: optest.In(optest.Make(tensor.I8, optest.Dims(300), many)), Want: optest.Want(ones)},
		optest.Case{Name: "of nothing", In: optest.In(optest.F32(optest.Dims(0, 2)), optest.Ints(0)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(1, 2), math.NaN(), math.NaN()))},
		optest.Case{Name: "of no whole numbers", In: optest.In(optest.Ints()), Want: optest.Want(optest.Ints(0))},
	))
}

// In the versions before the axes are an attribute.
func TestReductionsByAttribute(t *testing.T) {
	for _, c := range []struct {
		def  *op.Def
		want []float64
	}{{ReduceSum1, []float64{4, 6, 12, 14, 20, 22}}, {ReduceMean1, []float64{2, 3, 6, 7, 10, 11}}} {
		for v := range c.def.Versions {
			optest.Run(t, c.def, []optest.Case{
				{
					Name: fmt.Sprintf("%s %d", c.def.Name, v), Version: v, Attrs: optest.Attrs("axes", []int{1}, "keepdims", 0),
					In: optest.In(example(tensor.F64)), Want: optest.Want(optest.Filled(tensor.F64, optest.Dims(3, 2), c.want...)),
				},
				{Name: "an axis outside", Version: v, Attrs: optest.Attrs("axes", []int{-4}), In: optest.In(example(tensor.F32)), Err: "axis -4 is out of range", Code: errs.Shape},
			})
		}
	}
}

// Long rows, short columns: each against a plain sum of exact numbers.
func TestReductionsOfOddSizes(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 63, 64, 65, 257} {
		x := make([]float64, 3*n)
		rows, columns := make([]float64, 3), make([]float64, n)
		for i := range x {
			x[i] = float64(i * i % 11)
			rows[i/n] += x[i]
			columns[i%n] += x[i]
		}
		in := optest.Filled(tensor.F32, optest.Dims(3, n), x...)
		optest.Run(t, ReduceSum, []optest.Case{
			{Name: fmt.Sprintf("rows of %d", n), In: optest.In(in, optest.Ints(1)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(3, 1), rows...))},
			{Name: fmt.Sprintf("columns, %d", n), In: optest.In(in, optest.Ints(0)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(1, n), columns...))},
		})
	}
}
