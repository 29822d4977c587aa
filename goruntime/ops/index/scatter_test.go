package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func reduced(by string, more ...any) []op.Value {
	return optest.Attrs(append([]any{"reduction", by}, more...)...)
}

func TestScatterElements(t *testing.T) {
	zeros := optest.F32(optest.Dims(3, 3), make([]float32, 9)...)
	rows := optest.In(zeros, optest.I64(optest.Dims(2, 3), 1, 0, 2, 0, 2, 1), optest.F32(optest.Dims(2, 3), 1.0, 1.1, 1.2, 2.0, 2.1, 2.2))
	placed := optest.Want(optest.F32(optest.Dims(3, 3), 2.0, 1.1, 0, 1.0, 0, 2.2, 0, 2.1, 1.2))
	five := optest.F32(optest.Dims(1, 5), 1, 2, 3, 4, 5)
	nan := float32(math.NaN())
	twice := func(a, b float32) []*tensor.View {
		return optest.In(five, optest.I32(optest.Dims(1, 2), 1, -4), optest.F32(optest.Dims(1, 2), a, b))
	}
	one := func(x float32) []*tensor.View { return optest.Want(optest.F32(optest.Dims(1, 5), 1, x, 3, 4, 5)) }
	optest.Run(t, ScatterElements, []optest.Case{
		{Name: "the first example of the specification", In: rows, Want: placed},
		{
			Name: "the second example", Attrs: optest.Attrs("axis", 1),
			In:   optest.In(five, optest.I64(optest.Dims(1, 2), 1, 3), optest.F32(optest.Dims(1, 2), 1.1, 2.1)),
			Want: optest.Want(optest.F32(optest.Dims(1, 5), 1, 1.1, 3, 2.1, 5)),
		},
		{Name: "of two updates the later wins", Attrs: optest.Attrs("axis", -1), In: twice(8, 9), Want: one(9)},
		{Name: "add", Attrs: reduced("add", "axis", 1), In: twice(8, 9), Want: one(19), Version: 16},
		{Name: "mul", Attrs: reduced("mul", "axis", 1), In: twice(8, 9), Want: one(144)},
		{Name: "max", Attrs: reduced("max", "axis", 1), In: twice(8, 1), Want: one(8)},
		{Name: "min keeps a NaN", Attrs: reduced("min", "axis", 1), In: twice(nan, 1), Want: one(nan)},
		{Name: "nothing to put", In: optest.In(five, optest.I64(optest.Dims(0, 5)), optest.F32(optest.Dims(0, 5))), Want: optest.Want(five)},
		{Name: "max before version 18", Attrs: reduced("max"), Version: 16, In: rows, Err: `reduction "max" is not one of version 16`, Code: errs.Argument},
		{Name: "another shape of updates", In: optest.In(five, optest.I64(optest.Dims(1, 1), 0), optest.F32(optest.Dims(1, 2), 0, 0)), Err: "they must be equal", Code: errs.Shape},
		{Name: "another type of updates", In: optest.In(five, optest.I64(optest.Dims(1, 1), 0), optest.I32(optest.Dims(1, 1), 0)), Err: "updates is i32, data is f32", Code: errs.Type},
		{Name: "out of range", In: optest.In(five, optest.I64(optest.Dims(1, 1), 1), optest.F32(optest.Dims(1, 1), 0)), Err: "index 1 at position 0 is out of range for axis 0 of size 1", Code: errs.Compute},
		{
			Name: "a sum of strings", Attrs: reduced("add"), In: optest.In(optest.Str(optest.Dims(1), "a"), optest.Ints(0), optest.Str(optest.Dims(1), "b")),
			Err: "reduction add is not defined for str", Code: errs.Unsupported,
		},
	})
	for _, def := range []*op.Operator{ScatterElements11, Scatter} {
		optest.Run(t, def, []optest.Case{{Name: def.Name, In: rows, Want: placed}})
	}
}

func TestScatterND(t *testing.T) {
	eight := optest.I64(optest.Dims(8), 1, 2, 3, 4, 5, 6, 7, 8)
	in := optest.In(eight, optest.I64(optest.Dims(4, 1), 4, 3, 1, 7), optest.Ints(9, 10, 11, 12))
	optest.Run(t, ScatterND, []optest.Case{
		{Name: "example 1 of the specification", In: in, Want: optest.Want(optest.I64(optest.Dims(8), 1, 11, 3, 10, 9, 6, 7, 12))},
		{
			Name: "slices, as in example 2", In: optest.In(optest.F32(optest.Dims(3, 2), 1, 2, 3, 4, 5, 6), optest.I64(optest.Dims(2, 1), 0, -1), optest.F32(optest.Dims(2, 2), 7, 8, 9, 10)),
			Want: optest.Want(optest.F32(optest.Dims(3, 2), 7, 8, 3, 4, 9, 10)),
		},
		{
			Name: "add at one place twice", Attrs: reduced("add"), In: optest.In(eight, optest.I64(optest.Dims(2, 1), 0, 0), optest.Ints(10, 20)),
			Want: optest.Want(optest.I64(optest.Dims(8), 31, 2, 3, 4, 5, 6, 7, 8)),
		},
		{
			Name: "tuples of nothing replace all", In: optest.In(optest.Ints(1, 2), optest.I64(optest.Dims(1, 0)), optest.I64(optest.Dims(1, 2), 3, 4)),
			Want: optest.Want(optest.Ints(3, 4)),
		},
		{Name: "too long tuples", In: optest.In(eight, optest.I64(optest.Dims(1, 2), 0, 0), optest.Ints(1)), Err: "tuples of 2", Code: errs.Shape},
		{Name: "another shape of updates", In: optest.In(eight, optest.I64(optest.Dims(2, 1), 0, 0), optest.Ints(1)), Err: "updates has shape [1]", Code: errs.Shape},
		{Name: "out of range", In: optest.In(eight, optest.I64(optest.Dims(1, 1), 8), optest.Ints(1)), Err: "index 8 at position 0 is out of range for axis 0 of size 8", Code: errs.Compute},
		{Name: "another reduction", Attrs: reduced("sum"), In: in, Err: `reduction "sum" is not one of version 18`},
	})
	optest.Run(t, ScatterND11, []optest.Case{{Name: "without reductions", In: in, Want: optest.Want(optest.I64(optest.Dims(8), 1, 11, 3, 10, 9, 6, 7, 12))}})
}

// TestScatterDTypes puts and reduces elements of every type.
func TestScatterDTypes(t *testing.T) {
	want := map[string][]float64{"none": {1, 0}, "add": {2, 1}, "mul": {1, 0}, "max": {1, 1}, "min": {1, 0}}
	var cases []optest.Case
	for by, values := range want {
		for _, d := range ScatterND.Def().DTypes.Types() {
			if table, ok := reductions[by]; ok && table.Row(d) == nil {
				continue
			}
			w := optest.Filled(d, optest.Dims(2), values...)
			if by == "mul" && (d == tensor.C64 || d == tensor.C128) {
				continue // Filled's complex numbers are not closed under products
			}
			cases = append(cases, optest.Case{
				Name: by + " " + d.String(), Attrs: reduced(by), Want: optest.Want(w),
				In: optest.In(optest.Filled(d, optest.Dims(2), 1, 1), optest.I64(optest.Dims(2, 1), 1, 0), optest.Filled(d, optest.Dims(2), 0, 1)),
			})
		}
	}
	optest.Run(t, ScatterND, append(cases, optest.Case{
		Name: "mul c64", Attrs: reduced("mul"), In: optest.In(
			optest.Make(tensor.C64, optest.Dims(1), []complex64{1 + 2i}), optest.I64(optest.Dims(1, 1), 0), optest.Make(tensor.C64, optest.Dims(1), []complex64{3 - 1i})),
		Want: optest.Want(optest.Make(tensor.C64, optest.Dims(1), []complex64{5 + 5i})),
	}))
}

// Rows of all lengths, some at one place: what is joined with it is joined in the order of
// the updates, rounded each time.
func TestScatterNDJoinsRowsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for by, join := range map[string]func(a, b float64) float64{
		"add": func(a, b float64) float64 { return a + b }, "mul": func(a, b float64) float64 { return a * b },
		"max": func(a, b float64) float64 { return max(a, b) }, "min": func(a, b float64) float64 { return min(a, b) },
	} {
		for _, n := range []int{1, fewest - 1, fewest, 100} {
			for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.I32, tensor.I64} {
				const places, updates = 5, 40
				data, added, at := make([]float64, places*n), make([]float64, updates*n), make([]int64, updates)
				for i := range data {
					data[i] = float64(int32(r.NormFloat64() * 100))
				}
				for i := range added {
					if added[i] = float64(r.IntN(5) - 2); d == tensor.F32 || d == tensor.F64 {
						added[i] = float64(float32(r.NormFloat64() * math.Pow(2, float64(r.IntN(9)-4))))
					}
				}
				want := slices.Clone(data)
				for i := range at {
					at[i] = int64(r.IntN(places))
					for k := range n {
						place := &want[int(at[i])*n+k]
						if *place = join(*place, added[i*n+k]); d == tensor.F32 {
							*place = float64(float32(*place))
						}
					}
				}
				optest.Run(t, ScatterND, []optest.Case{{
					Name: fmt.Sprintf("%s rows of %d %v", by, n, d), Attrs: reduced(by), Want: optest.Want(optest.Filled(d, optest.Dims(places, n), want...)),
					In: optest.In(optest.Filled(d, optest.Dims(places, n), data...), optest.I64(optest.Dims(updates, 1), at...), optest.Filled(d, optest.Dims(updates, n), added...)),
				}})
			}
		}
	}
}

// Data of more than one part is copied whole, its end too.
func TestScatterNDOfLargeData(t *testing.T) {
	data := make([]uint8, 2*copied+5)
	for i := range data {
		data[i] = uint8(i * 7)
	}
	want := slices.Clone(data)
	want[copied], want[len(want)-1] = 1, 2
	optest.Run(t, ScatterND, []optest.Case{{
		Name: "parts", In: optest.In(optest.U8(optest.Dims(len(data)), data...), optest.I64(optest.Dims(2, 1), copied, -1), optest.U8(optest.Dims(2), 1, 2)),
		Want: optest.Want(optest.U8(optest.Dims(len(data)), want...)),
	}})
}
