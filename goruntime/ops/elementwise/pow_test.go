package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestPow(t *testing.T) {
	three := optest.F32(optest.Dims(3), 1, 2, 3)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	optest.Run(t, Pow, []optest.Case{
		{Name: "the example of the specification", In: optest.In(three, optest.F32(optest.Dims(3), 4, 5, 6)), Want: optest.Want(optest.F32(optest.Dims(3), 1, 32, 729)), Version: 7},
		{Name: "a scalar exponent", In: optest.In(three, optest.F32(nil, 2)), Want: optest.Want(optest.F32(optest.Dims(3), 1, 4, 9))},
		{
			Name: "an exponent for each column", In: optest.In(optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6), three),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 1, 4, 27, 4, 25, 216)),
		},
		{Name: "the base broadcasts", In: optest.In(optest.F32(nil, 2), optest.F32(optest.Dims(2, 2), 0, 1, -1, 10)), Want: optest.Want(optest.F32(optest.Dims(2, 2), 1, 2, 0.5, 1024))},
		{Name: "an f32 to an i64", In: optest.In(three, optest.Ints(4, 5, 6)), Want: optest.Want(optest.F32(optest.Dims(3), 1, 32, 729))},
		{Name: "an i64 to an f32", In: optest.In(optest.Ints(1, 2, 3), optest.F32(optest.Dims(3), 4, 0.5, -1)), Want: optest.Want(optest.Ints(1, 1, 0))},
		{
			Name: "special numbers as in C", In: optest.In(optest.F32(optest.Dims(9), 0, nan, 1, -1, -8, 0, inf, -inf, 2), optest.F32(optest.Dims(9), 0, 0, nan, inf, 0.5, -1, -1, 3, 1000)),
			Want: optest.Want(optest.F32(optest.Dims(9), 1, 1, 1, 1, nan, inf, 0, -inf, inf)),
		},
		{
			Name: "the whole powers of whole numbers are exact", In: optest.In(optest.Ints(3, -3, 10, -1, -1, 2, 1), optest.Ints(39, 39, 18, -3, -2, -1, -7)),
			Want: optest.Want(optest.Ints(4052555153018976267, -4052555153018976267, 1000000000000000000, -1, 1, 0, 1)),
		},
		{
			Name: "they wrap around", In: optest.In(optest.Make(tensor.I8, optest.Dims(3), []int8{2, 3, -128}), optest.Make(tensor.U8, optest.Dims(3), []uint8{7, 5, 2})),
			Want: optest.Want(optest.Make(tensor.I8, optest.Dims(3), []int8{-128, -13, 0})),
		},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0)), optest.F32(nil, 2)), Want: optest.Want(optest.F32(optest.Dims(0)))},
		{Name: "no broadcast", In: optest.In(three, optest.F32(optest.Dims(2), 1, 2)), Err: "do not broadcast", Code: errs.Shape},
		{Name: "a bool exponent", In: optest.In(three, optest.Bool(nil, true)), Err: "input 1 is bool, one of", Code: errs.Type},
	})
	legacy(t, Pow1, tensor.F32, tensor.F32, 2)
}

// Every base type with every exponent type, dense and broadcast.
func TestPowDTypes(t *testing.T) {
	var cases []optest.Case
	for _, b := range Pow.Def().DTypes.Types() {
		for _, e := range Pow.Def().Also[1] {
			name := b.String() + " to " + e.String()
			cases = append(cases, optest.Case{
				Name: name, In: optest.In(optest.Filled(b, optest.Dims(2, 3), 0, 1, 2, 3, 4, 5), optest.Filled(e, optest.Dims(2, 3), 0, 5, 4, 3, 2, 1)),
				Want: optest.Want(optest.Filled(b, optest.Dims(2, 3), 1, 1, 16, 27, 16, 5)),
			}, optest.Case{
				Name: name + ", a cube", In: optest.In(optest.Filled(b, optest.Dims(3), 0, 1, 4), optest.Filled(e, optest.Dims(1), 3)),
				Want: optest.Want(optest.Filled(b, optest.Dims(3), 0, 1, 64)),
			}, optest.Case{
				Name: name + ", a square", In: optest.In(optest.Filled(b, optest.Dims(3), 0, 1, 11), optest.Filled(e, optest.Dims(1), 2)),
				Want: optest.Want(optest.Filled(b, optest.Dims(3), 0, 1, 121)),
			})
		}
	}
	optest.Run(t, Pow, cases)
}
