package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// halfUlp is what rounding once leaves, and a little for a float64 that is not exact.
const halfUlp = 0.5 + 1e-4

func TestExact(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for f := range exacts {
			for n := range 1200 {
				if n > 70 && n%97 != 0 {
					continue
				}
				src, dst := numbers(r, n), make([]float32, n+1)
				for i := range src {
					switch r.IntN(5) {
					case 0:
						src[i] = float32(r.NormFloat64() * math.Pow(2, float64(r.IntN(22))))
					case 1:
						src[i] = float32(float64(r.IntN(4000)) * math.Pi / 2) // next to zeros
					case 2:
						if !(src[i] >= known[f].least && src[i] <= known[f].most) {
							src[i] = max(known[f].least, min(known[f].most, float32(1+r.ExpFloat64())))
						}
					case 3:
						src[i] = float32(r.Float64()*2-1) * float32(math.Pow(2, float64(r.IntN(12)-10)))
					}
				}
				dst[n] = 77
				ApplyExact(f, dst[:n], src)
				for i, x := range src {
					want := inFloat64[f](float64(x))
					if got := dst[i]; (got != got) != (want != want) || got == got && ulps(got, want) > halfUlp {
						t.Fatalf("function %d of %v (%d of %d): %v, want %v", f, x, i, n, got, want)
					}
				}
				same(t, "behind", dst[n], 77)
			}
		}
	})
}

func TestPowers(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 1200 {
			if n > 70 && n%97 != 0 {
				continue
			}
			for _, plain := range []bool{true, false} {
				x, y := numbers(r, n), numbers(r, n)
				for i := range x {
					if plain {
						x[i], y[i] = float32(math.Exp(r.NormFloat64()*20)), float32(r.NormFloat64()*5)
					}
				}
				for _, to := range [][]float32{y, y[:min(1, n)]} {
					dst := make([]float32, n+1)
					dst[n] = 77
					Powers(dst[:n], x, to)
					for i := range x {
						want := math.Pow(float64(x[i]), float64(to[i%len(to)]))
						got := dst[i]
						if float32(want) == got || want != want && got != got {
							continue
						}
						if ulps(got, want) > halfUlp || want != want || got != got {
							t.Fatalf("%v to the %v: %v, want %v", x[i], to[i%len(to)], got, want)
						}
					}
					same(t, "behind", dst[n], 77)
				}
			}
		}
	})
}

// An element has the same bits alone and beside any others: numbers that are not plain
// and a part's place decide nothing.
func TestExactBitsStandAlone(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 2 * mostTurned, -3e38, 1e-45}
		// A kernel rounds the sine, the cosine and the fifth power of these to another
		// neighbour than the definition.
		unlike := []float32{math.Float32frombits(0x40e178ad), math.Float32frombits(0x4010a4bf), 31. / 64, -31. / 64}
		const n = 700
		x, beside, to := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], to[i] = float32(r.NormFloat64()*100), float32(r.IntN(9)-4)
			if i%3 == 0 {
				x[i] /= 200
			}
			if i%5 == 0 {
				x[i], to[i] = unlike[r.IntN(len(unlike))], 5
			}
			if beside[i] = x[i]; i%7 == 3 {
				beside[i] = odd[r.IntN(len(odd))]
			}
		}
		one := []float32{5}
		tests := map[string]func(dst, src []float32, i int){
			"powers":   func(dst, src []float32, i int) { Powers(dst, src, to[i:i+len(src)]) },
			"to power": func(dst, src []float32, _ int) { Powers(dst, src, one) },
		}
		for f := range exacts {
			tests[fmt.Sprint("function ", f)] = func(dst, src []float32, _ int) { ApplyExact(f, dst, src) }
		}
		for name, f := range tests {
			for _, src := range [][]float32{x, beside} {
				all := make([]float32, n)
				f(all, src, 0)
				for i := range src {
					var alone [1]float32
					f(alone[:], src[i:i+1], i)
					same(t, name, alone[0], all[i])
				}
			}
		}
	})
}

// The power of three has the same bits with an exponent for all and with one of its own,
// beside others, in place and out of it.
func TestCubes(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 9))
		for _, n := range []int{1, 2, 15, 40, 600, 1100} {
			x, threes, mixed, got := numbers(r, n), make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range x {
				threes[i], mixed[i] = 3, float32(1+i%3)
			}
			Powers(got, x, []float32{3})
			own, some := slices.Clone(threes), slices.Clone(x)
			Powers(own, x, own)
			Powers(some, some, mixed)
			for i, f := range x {
				same(t, fmt.Sprintf("the cube of %v", f), got[i], float32(float64(f)*float64(f)*float64(f)))
				same(t, "with an exponent of its own", own[i], got[i])
				if i%3 == 2 {
					same(t, "beside others", some[i], got[i])
				}
			}
		}
	})
}
