package index

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestTopK(t *testing.T) {
	var cases []optest.Case
	for _, d := range TopK.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(3, 4), optest.Counting(12)...)
		ties := optest.Filled(d, optest.Dims(2, 5), 1, 3, 3, 1, 2, 0, 0, 0, 0, 0)
		cases = append(cases,
			optest.Case{
				Name: d.String() + " the greatest", Attrs: optest.Attrs("axis", 1), In: optest.In(x, optest.Ints(3)),
				Want: optest.Want(optest.Filled(d, optest.Dims(3, 3), 3, 2, 1, 7, 6, 5, 11, 10, 9), optest.I64(optest.Dims(3, 3), 3, 2, 1, 3, 2, 1, 3, 2, 1)),
			},
			optest.Case{
				Name: d.String() + " the smallest of another axis", Attrs: optest.Attrs("axis", -2, "largest", 0), In: optest.In(x, optest.Ints(2)),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 4), 0, 1, 2, 3, 4, 5, 6, 7), optest.I64(optest.Dims(2, 4), 0, 0, 0, 0, 1, 1, 1, 1)),
			},
			optest.Case{
				Name: d.String() + " ties", In: optest.In(ties, optest.Ints(3)),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 3, 3, 2, 0, 0, 0), optest.I64(optest.Dims(2, 3), 1, 2, 4, 0, 1, 2)),
			},
			optest.Case{
				Name: d.String() + " ties, the smallest", Attrs: optest.Attrs("largest", 0, "sorted", 0), In: optest.In(ties, optest.Ints(4)),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 4), 1, 1, 2, 3, 0, 0, 0, 0), optest.I64(optest.Dims(2, 4), 0, 3, 4, 1, 0, 1, 2, 3)),
			},
			optest.Case{Name: d.String() + " indices alone", In: optest.In(ties, optest.Ints(1)), Want: optest.Want(nil, optest.I64(optest.Dims(2, 1), 1, 0))},
			optest.Case{Name: d.String() + " none", In: optest.In(x, optest.Ints(0)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 0)), optest.I64(optest.Dims(3, 0)))},
			optest.Case{Name: d.String() + " of nothing", In: optest.In(optest.Filled(d, optest.Dims(0, 2)), optest.Ints(1)), Want: optest.Want(optest.Filled(d, optest.Dims(0, 1)), optest.I64(optest.Dims(0, 1)))},
		)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	odd := optest.F32(optest.Dims(6), 0, nan, -inf, inf, nan, float32(math.Copysign(0, -1)))
	optest.Run(t, TopK, append(cases,
		optest.Case{Name: "NaN is the greatest", In: optest.In(odd, optest.Ints(6)), Want: optest.Want(optest.F32(optest.Dims(6), nan, nan, inf, 0, float32(math.Copysign(0, -1)), -inf), optest.Ints(1, 4, 3, 0, 5, 2))},
		optest.Case{Name: "NaN is not small", Attrs: optest.Attrs("largest", 0), In: optest.In(odd, optest.Ints(5)), Want: optest.Want(optest.F32(optest.Dims(5), -inf, 0, float32(math.Copysign(0, -1)), inf, nan), optest.Ints(2, 0, 5, 3, 1))},
		optest.Case{Name: "wide numbers", In: optest.In(optest.Make(tensor.U64, optest.Dims(3), []uint64{1 << 63, math.MaxUint64, 1}), optest.Ints(2)), Want: optest.Want(optest.Make(tensor.U64, optest.Dims(2), []uint64{math.MaxUint64, 1 << 63}), optest.Ints(1, 0))},
		optest.Case{Name: "too many", In: optest.In(odd, optest.Ints(7)), Err: "K is 7, dimension 0 of [6] is 6: it must lie in [0, 6]", Code: errs.Shape},
		optest.Case{Name: "negative", In: optest.In(odd, optest.Ints(-1)), Err: "K is -1", Code: errs.Shape},
		optest.Case{Name: "two numbers", In: optest.In(odd, optest.Ints(1, 2)), Err: "K has 2 elements, one expected", Code: errs.Shape},
		optest.Case{Name: "axis", Attrs: optest.Attrs("axis", 1), In: optest.In(odd, optest.Ints(1)), Err: "axis 1 is out of range for rank 1", Code: errs.Shape},
	))
}

func TestTopKBefore11(t *testing.T) {
	for _, d := range TopK1.Def().DTypes.Types() {
		x := optest.In(optest.Filled(d, optest.Dims(2, 3), 5, 1, 7, 2, 2, 3))
		want := optest.Want(optest.Filled(d, optest.Dims(2, 2), 7, 5, 3, 2), optest.I64(optest.Dims(2, 2), 2, 0, 2, 0))
		optest.Run(t, TopK1, []optest.Case{{Name: d.String(), Attrs: optest.Attrs("k", 2), In: x, Want: want}})
		optest.Run(t, TopK10, []optest.Case{{Name: d.String(), In: append(x, optest.Ints(2)), Want: want}})
	}
	optest.Run(t, TopK1, []optest.Case{{Name: "no k", In: optest.In(optest.F32(optest.Dims(1), 1)), Err: `attribute "k" is required and missing`, Code: errs.Model}})
}

// Long rows with many equal elements, against a stable sort.
func TestTopKIsAStableSort(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(1, 2))
	x, order := make([]float32, n), make([]int64, n)
	for i := range x {
		x[i], order[i] = float32(r.IntN(50)), int64(i)
	}
	slices.SortStableFunc(order, func(a, b int64) int { return int(x[b] - x[a]) })
	for _, k := range []int{1, 2, 7, 64, 500, n} {
		values := make([]float32, k)
		for i := range values {
			values[i] = x[order[i]]
		}
		optest.Run(t, TopK, []optest.Case{{Name: optest.Dims(k).String(), In: optest.In(optest.F32(optest.Dims(n), x...), optest.Ints(int64(k))), Want: optest.Want(optest.F32(optest.Dims(k), values...), optest.Ints(order[:k]...))}})
	}
}
