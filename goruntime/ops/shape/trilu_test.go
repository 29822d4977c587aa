package shape

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestTrilu(t *testing.T) {
	k := func(v int64) *tensor.View { return optest.I64(nil, v) }
	lower := optest.Attrs("upper", 0)
	shape := optest.Dims(3, 4)
	var cases []optest.Case
	for _, d := range Trilu.Def().DTypes.Types() {
		if d == tensor.Str || tensor.SmallOf(d) != nil || d == tensor.C64 || d == tensor.C128 { // Filled makes zeros of another sign
			continue
		}
		x := optest.Filled(d, shape, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3)
		for _, c := range []struct {
			name string
			c    optest.Case
			want []float64
		}{
			{"upper", optest.Case{In: optest.In(x)}, []float64{1, 2, 3, 4, 0, 6, 7, 8, 0, 0, 2, 3}},
			{"lower", optest.Case{In: optest.In(x), Attrs: lower}, []float64{1, 0, 0, 0, 5, 6, 0, 0, 9, 1, 2, 0}},
			{"upper above", optest.Case{In: optest.In(x, k(1))}, []float64{0, 2, 3, 4, 0, 0, 7, 8, 0, 0, 0, 3}},
			{"upper below", optest.Case{In: optest.In(x, k(-1))}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3}},
			{"lower below", optest.Case{In: optest.In(x, k(-1)), Attrs: lower}, []float64{0, 0, 0, 0, 5, 0, 0, 0, 9, 1, 0, 0}},
			{"lower above", optest.Case{In: optest.In(x, k(2)), Attrs: lower}, []float64{1, 2, 3, 0, 5, 6, 7, 8, 9, 1, 2, 3}},
			{"far above", optest.Case{In: optest.In(x, k(math.MaxInt64))}, make([]float64, 12)},
			{"far below", optest.Case{In: optest.In(x, k(math.MinInt64)), Attrs: lower}, make([]float64, 12)},
		} {
			c.c.Name, c.c.Want = d.String()+" "+c.name, optest.Want(optest.Filled(d, shape, c.want...))
			cases = append(cases, c.c)
		}
	}
	optest.Run(t, Trilu, append(cases,
		optest.Case{Name: "strings", In: optest.In(optest.Str(optest.Dims(2, 2), "a", "b", "c", "d")), Want: optest.Want(optest.Str(optest.Dims(2, 2), "a", "b", "", "d"))},
		optest.Case{
			Name: "complex", In: optest.In(optest.Make(tensor.C64, optest.Dims(2, 2), []complex64{1i, 2, 3, 4i})),
			Want: optest.Want(optest.Make(tensor.C64, optest.Dims(2, 2), []complex64{1i, 2, 0, 4i})),
		},
		optest.Case{
			Name: "wide complex", In: optest.In(optest.Make(tensor.C128, optest.Dims(2, 2), []complex128{1i, 2, 3, 4i})), Attrs: lower,
			Want: optest.Want(optest.Make(tensor.C128, optest.Dims(2, 2), []complex128{1i, 0, 3, 4i})),
		},
		optest.Case{Name: "batches", In: optest.In(optest.F32(optest.Dims(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8)), Want: optest.Want(optest.F32(optest.Dims(2, 2, 2), 1, 2, 0, 4, 5, 6, 0, 8))},
		optest.Case{Name: "nothing", In: optest.In(optest.F32(optest.Dims(2, 0))), Want: optest.Want(optest.F32(optest.Dims(2, 0)))},
		optest.Case{Name: "a vector", In: optest.In(optest.F32(optest.Dims(2), 1, 2)), Err: "the input has shape [2]: at least two dimensions are expected", Code: errs.Shape},
		optest.Case{Name: "two numbers", In: optest.In(optest.F32(optest.Dims(1, 1), 1), optest.Ints(1, 2)), Err: "k has 2 elements, one expected", Code: errs.Shape},
	))
}
