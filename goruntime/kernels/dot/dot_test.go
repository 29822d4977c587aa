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
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 3, 15, 16, 17, 31, 32, 67, 1000, 1007} {
		for _, rows := range []int{0, 1, 5} {
			for count := range 6 {
				xStep, yStep := n+3, n+2
				x, y := random(r, max(0, (rows-1)*xStep+n)), random(r, max(0, (count-1)*yStep+n))
				f := NewFactors(y, count, n, yStep)
				got, want := make([]float64, rows*f.Rows()+1), make([]float64, rows*f.Rows())
				got[len(want)] = 7
				f.Sums(got, x, rows, xStep)
				f.portable(want, x, rows, xStep)
				for i, w := range want {
					near(t, got[i], x[i/count*xStep:][:n], y[i%count*yStep:][:n])
					if math.Float64bits(got[i]) != math.Float64bits(w) {
						t.Errorf("%d products of %d rows by %d: %v, by the definition %v", n, rows, count, got[i], w)
					}
				}
				if got[len(want)] != 7 {
					t.Fatalf("%d products of %d rows by %d: written behind the end", n, rows, count)
				}
			}
		}
	}
}

// near compares a sum with that of exact arithmetic.
func near(t *testing.T, got float64, x, y []float32) {
	t.Helper()
	want, size := new(big.Float).SetPrec(300), 0.0
	for i := range x {
		p := new(big.Float).SetPrec(300).Mul(big.NewFloat(float64(x[i])), big.NewFloat(float64(y[i])))
		want.Add(want, p)
		size += math.Abs(float64(x[i]) * float64(y[i]))
	}
	if exact, _ := want.Float64(); math.Abs(got-exact) > 1e-14*size {
		t.Errorf("%d products: %v, want %v", len(x), got, exact)
	}
}

// What is no number stays, and does not come in from behind a row.
func TestWhatIsNoNumberStays(t *testing.T) {
	const n = 40
	x, y := make([]float32, n+1), make([]float32, n)
	for i := range y {
		x[i], y[i] = 1, 1
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		x[n] = float32(v)
		for at := range n {
			y[at] = float32(v)
			f := NewFactors(y, 1, n, n)
			var got [1]float64
			f.Sums(got[:], x, 1, n)
			if got := got[0]; got == got && !math.IsInf(v, 0) || math.IsInf(v, 0) && !math.IsInf(got, 1) {
				t.Errorf("%v at %d gives %v", v, at, got)
			}
			y[at] = 1
		}
		f := NewFactors(y, 1, n, n)
		var got [1]float64
		if f.Sums(got[:], x, 1, n); got[0] != n {
			t.Errorf("with %v behind the row: %v, want %v", v, got[0], n)
		}
	}
}

func TestSumsAllocateNothing(t *testing.T) {
	f := NewFactors(make([]float32, 200), 2, 100, 100)
	x, out := make([]float32, 1200), make([]float64, 24)
	if n := testing.AllocsPerRun(100, func() { f.Sums(out, x, 12, 100) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSums(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	f := NewFactors(random(r, 134), 2, 67, 67)
	x, out := random(r, 12*201), make([]float64, 24)
	for b.Loop() {
		f.Sums(out, x, 12, 201)
	}
}
