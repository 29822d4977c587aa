package reduce

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestArg(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		def, old       *op.Operator
		example        []int64 // of [[2,1],[3,10]] along axis 1
		first, last    []int64 // of [[2,2,1],[1,1,2],[2,2,2]] along axis 1
		columns, lastC []int64 // along axis 0
	}{
		{ArgMax, ArgMax1, []int64{0, 1}, []int64{0, 2, 0}, []int64{1, 2, 2}, []int64{0, 0, 1}, []int64{2, 2, 2}},
		{ArgMin, ArgMin1, []int64{1, 0}, []int64{2, 0, 0}, []int64{2, 1, 2}, []int64{1, 1, 0}, []int64{1, 1, 0}},
	} {
		t.Run(c.def.Name, func(t *testing.T) {
			ties := []float64{2, 2, 1, 1, 1, 2, 2, 2, 2}
			cases := []optest.Case{
				{Name: "the example of the specification", Attrs: optest.Attrs("axis", 1), In: optest.In(optest.F32(optest.Dims(2, 2), 2, 1, 3, 10)), Want: optest.Want(optest.I64(optest.Dims(2, 1), c.example...))},
				{Name: "a negative axis, dropped", Attrs: optest.Attrs("axis", -1, "keepdims", 0), In: optest.In(optest.F32(optest.Dims(2, 2), 2, 1, 3, 10)), Want: optest.Want(optest.I64(optest.Dims(2), c.example...))},
				{Name: "NaN, the first", In: optest.In(optest.F32(optest.Dims(4), 5, nan, 9, nan)), Want: optest.Want(optest.Ints(1))},
				{Name: "NaN, the last", Attrs: optest.Attrs("select_last_index", 1), In: optest.In(optest.F32(optest.Dims(4), 5, nan, nan, 9)), Want: optest.Want(optest.Ints(2))},
				{Name: "NaN in a column", In: optest.In(optest.F32(optest.Dims(3, 2), nan, 1, 2, nan, nan, 0)), Want: optest.Want(optest.I64(optest.Dims(1, 2), 0, 1))},
				{Name: "no outputs", Attrs: optest.Attrs("axis", 1), In: optest.In(optest.F32(optest.Dims(0, 3))), Want: optest.Want(optest.I64(optest.Dims(0, 1)))},
				{Name: "nothing to find", Attrs: optest.Attrs("axis", 1), In: optest.In(optest.F32(optest.Dims(3, 0))), Err: "dimension 1 of [3, 0] is empty", Code: errs.Shape},
				{Name: "an axis that does not exist", Attrs: optest.Attrs("axis", 1), In: optest.In(optest.F32(optest.Dims(3), 1, 2, 3)), Err: "axis 1", Code: errs.Shape},
			}
			for _, d := range c.def.Def().DTypes.Types() {
				in := optest.In(optest.Filled(d, optest.Dims(3, 3), ties...))
				cases = append(cases,
					optest.Case{Name: "first " + d.String(), Attrs: optest.Attrs("axis", 1), In: in, Want: optest.Want(optest.I64(optest.Dims(3, 1), c.first...))},
					optest.Case{Name: "last " + d.String(), Attrs: optest.Attrs("axis", 1, "select_last_index", 1), In: in, Want: optest.Want(optest.I64(optest.Dims(3, 1), c.last...))},
					optest.Case{Name: "columns " + d.String(), In: in, Want: optest.Want(optest.I64(optest.Dims(1, 3), c.columns...))},
					optest.Case{Name: "columns, last " + d.String(), Attrs: optest.Attrs("select_last_index", 1), In: in, Want: optest.Want(optest.I64(optest.Dims(1, 3), c.lastC...))})
			}
			optest.Run(t, c.def, cases)
			optest.Run(t, c.old, cases[:2])
		})
	}
}

// The largest element behind the first block of a row and of a column.
func TestArgOverBlocks(t *testing.T) {
	const n = 2*block + 9
	x := make([]float64, n*n)
	want := make([]float64, n)
	for i := range n {
		k := (i*37 + block) % n
		x[i*n+k], want[i] = 1, float64(k)
	}
	optest.Run(t, ArgMax, []optest.Case{
		{Name: "rows", Attrs: optest.Attrs("axis", 1, "keepdims", 0), In: optest.In(optest.Filled(tensor.F32, optest.Dims(n, n), x...)), Want: optest.Want(optest.Filled(tensor.I64, optest.Dims(n), want...))},
	})
	turned := make([]float64, n*n)
	for i := range n {
		for k := range n {
			turned[k*n+i] = x[i*n+k]
		}
	}
	optest.Run(t, ArgMax, []optest.Case{
		{Name: "columns", Attrs: optest.Attrs("keepdims", 0), In: optest.In(optest.Filled(tensor.F16, optest.Dims(n, n), turned...)), Want: optest.Want(optest.Filled(tensor.I64, optest.Dims(n), want...))},
	})
}
