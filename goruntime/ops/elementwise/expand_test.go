package elementwise

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Many short rows, with each kind of repetition, against the rule of
// broadcasting; Sub tells its inputs apart.
func TestShortRows(t *testing.T) {
	for _, c := range []struct{ a, b, out tensor.Shape }{
		{optest.Dims(40, 3), optest.Dims(3), optest.Dims(40, 3)},
		{optest.Dims(40, 3), optest.Dims(40, 1), optest.Dims(40, 3)},
		{optest.Dims(3), optest.Dims(40, 1), optest.Dims(40, 3)},
		{optest.Dims(5, 1, 7), optest.Dims(6, 1), optest.Dims(5, 6, 7)},
		{optest.Dims(5, 6, 7), optest.Dims(6, 1), optest.Dims(5, 6, 7)},
		{optest.Dims(2, 1, 9, 2), optest.Dims(3, 1, 2), optest.Dims(2, 3, 9, 2)},
	} {
		a, b, want := make([]float64, c.a.Elements()), make([]float64, c.b.Elements()), make([]float64, c.out.Elements())
		for i := range a {
			a[i] = float64(i%97) + 20
		}
		for i := range b {
			b[i] = float64(i % 19)
		}
		for i := range want {
			want[i] = a[source(c.a, c.out, i)] - b[source(c.b, c.out, i)]
		}
		for _, d := range Sub.Def().DTypes.Types() {
			optest.Run(t, Sub, []optest.Case{{
				Name: d.String(), In: optest.In(optest.Filled(d, c.a, a...), optest.Filled(d, c.b, b...)), Want: optest.Want(optest.Filled(d, c.out, want...)),
			}})
		}
	}
}

// Inputs of different widths, and strings, which are longer than any number.
func TestShortRowsOfOtherTypes(t *testing.T) {
	two, names, want := make([]int64, 40), make([]string, 80), make([]bool, 80)
	base, squares := make([]float32, 80), make([]float32, 80)
	for i := range base {
		base[i], squares[i] = float32(i), float32(i*i)
		names[i], want[i] = string(rune('a'+i%3)), i%3 == i/2%2
	}
	other := make([]string, 40)
	for i := range two {
		two[i], other[i] = 2, string(rune('a'+i%2))
	}
	optest.Run(t, Pow, []optest.Case{{Name: "f32 to i64", In: optest.In(optest.F32(optest.Dims(40, 2), base...), optest.I64(optest.Dims(40, 1), two...)), Want: optest.Want(optest.F32(optest.Dims(40, 2), squares...))}})
	optest.Run(t, Equal, []optest.Case{{Name: "strings", In: optest.In(optest.Str(optest.Dims(40, 2), names...), optest.Str(optest.Dims(40, 1), other...)), Want: optest.Want(optest.Bool(optest.Dims(40, 2), want...))}})
	optest.Run(t, Mod, []optest.Case{{Name: "an operator of two forms", Attrs: []op.Value{}, In: optest.In(optest.F32(optest.Dims(40, 2), base...), optest.F32(optest.Dims(40, 1), base[40:]...)), Want: optest.Want(optest.F32(optest.Dims(40, 2), remainders32(base)...))}})
}

func remainders32(base []float32) []float32 {
	r := make([]float32, len(base))
	for i, x := range base {
		r[i] = float32(int(x) % int(base[40+i/2]))
	}
	return r
}
