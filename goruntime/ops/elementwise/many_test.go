package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
)

var nan32 = float32(math.NaN())

func TestVariadic(t *testing.T) {
	for _, c := range []struct {
		def  *op.Operator
		want [3]float32 // of 3 2 1, 1 4 4, 2 5 0
		two  float32    // of 3 and 5
	}{
		{Max, [3]float32{3, 5, 4}, 5}, {Min, [3]float32{1, 2, 0}, 3}, {Sum, [3]float32{6, 11, 5}, 8}, {Mean, [3]float32{2, 11. / 3, 5. / 3}, 4},
	} {
		t.Run(c.def.Name, func(t *testing.T) {
			three := optest.In(optest.F32(optest.Dims(3), 3, 2, 1), optest.F32(optest.Dims(3), 1, 4, 4), optest.F32(optest.Dims(3), 2, 5, 0))
			cases := []optest.Case{
				{Name: "the example of the specification", In: three, Want: optest.Want(optest.F32(optest.Dims(3), c.want[:]...))},
				{Name: "one input", In: three[:1], Want: optest.Want(three[0])},
				{
					Name: "broadcast from both sides", Version: 8,
					In:   optest.In(optest.F32(optest.Dims(2, 1), 3, 3), optest.F32(optest.Dims(3), 5, 5, 5)),
					Want: optest.Want(optest.F32(optest.Dims(2, 3), c.two, c.two, c.two, c.two, c.two, c.two)),
				},
				{Name: "a scalar", In: optest.In(optest.F32(nil, 3), optest.F32(nil, 5)), Want: optest.Want(optest.F32(nil, c.two))},
				{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0, 2)), optest.F32(optest.Dims(2), 1, 2)), Want: optest.Want(optest.F32(optest.Dims(0, 2)))},
				{Name: "NaN on either side", In: optest.In(optest.F32(optest.Dims(2), nan32, 1), optest.F32(optest.Dims(2), 1, nan32)), Want: optest.Want(optest.F32(optest.Dims(2), nan32, nan32))},
				{Name: "different types", In: optest.In(optest.F32(nil, 1), optest.F64(nil, 1)), Err: "input 1 is f64 and input 0 is f32", Code: errs.Type},
				{Name: "not broadcastable", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.F32(optest.Dims(3), 1, 2, 3)), Err: "dimension 0 is 2 there and 3 here", Code: errs.Shape},
			}
			for _, d := range c.def.Def().DTypes.Types() {
				cases = append(cases, optest.Case{
					Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(2), 3, 3), optest.Filled(d, optest.Dims(2), 5, 5)),
					Want: optest.Want(optest.Filled(d, optest.Dims(2), float64(c.two), float64(c.two))),
				})
			}
			optest.Run(t, c.def, cases)
		})
	}
}

func TestVariadicBeforeBroadcasting(t *testing.T) {
	optest.Run(t, Sum1, []optest.Case{
		{Name: "alike", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.F32(optest.Dims(2), 3, 4)), Want: optest.Want(optest.F32(optest.Dims(2), 4, 6))},
		{Name: "another shape", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.F32(optest.Dims(1), 3)), Err: "before version 8 they must be equal", Code: errs.Shape},
	})
}

// Rows longer than a block and not a multiple of it, against plain loops.
func TestVariadicOverBlocks(t *testing.T) {
	const rows, n = 3, 2*block + 7
	a, b, c, want := make([]float64, rows*n), make([]float64, n), make([]float64, rows), make([]float64, rows*n)
	for i := range b {
		b[i] = float64(i % 19)
	}
	for r := range c {
		c[r] = float64(100 * r)
	}
	for i := range a {
		a[i] = float64(i % 7)
		want[i] = a[i] + b[i%n] + c[i/n]
	}
	for _, d := range Sum.Def().DTypes.Types() {
		optest.Run(t, Sum, []optest.Case{{
			Name: d.String(),
			In:   optest.In(optest.Filled(d, optest.Dims(rows, n), a...), optest.Filled(d, optest.Dims(n), b...), optest.Filled(d, optest.Dims(rows, 1), c...)),
			Want: optest.Want(optest.Filled(d, optest.Dims(rows, n), want...)),
		}})
	}
}
