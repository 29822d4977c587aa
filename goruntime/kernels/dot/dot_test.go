package dot

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func random(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

// Sums are those of exact arithmetic but for the last bits of float64, and every variant
// has the bits of the definition.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 3, 15, 16, 17, 31, 32, 100, 1000, 1007} {
		x, y := random(r, n+3)[3:], random(r, n)
		want, size := new(big.Float).SetPrec(300), 0.0
		for i := range x {
			p := new(big.Float).SetPrec(300).Mul(big.NewFloat(float64(x[i])), big.NewFloat(float64(y[i])))
			want.Add(want, p)
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		exact, _ := want.Float64()
		if got := Wide(x, y); math.Abs(got-exact) > 1e-14*size {
			t.Errorf("%d products: %v, want %v", n, got, exact)
		}
		whole := n / lanes * lanes
		if got, want := rows(x[:whole], y[:whole]), portable(x[:whole], y[:whole]); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%d products in rows: %v, by the definition %v", whole, got, want)
		}
	}
}

func TestWhatIsNoNumberStays(t *testing.T) {
	x, y := make([]float32, 40), make([]float32, 40)
	for i := range x {
		x[i], y[i] = 1, 1
	}
	for _, at := range []int{0, 17, 39} {
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			y[at] = float32(v)
			if got := Wide(x, y); got == got && !math.IsInf(v, 0) || math.IsInf(v, 0) && !math.IsInf(got, 1) {
				t.Errorf("%v at %d gives %v", v, at, got)
			}
			y[at] = 1
		}
	}
}

func BenchmarkWide(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := random(r, 600), random(r, 600)
	for b.Loop() {
		Wide(x, y)
	}
}
