package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Each reduction by its definition, one number after another.
var reduced = [reductions]struct {
	none float32
	join func(acc, x float64) float64
}{
	Added:           {0, func(acc, x float64) float64 { return acc + x }},
	AddedMagnitudes: {0, func(acc, x float64) float64 { return acc + math.Abs(x) }},
	AddedSquares:    {0, func(acc, x float64) float64 { return acc + x*x }},
	Most:            {float32(math.Inf(-1)), math.Max},
	Least:           {float32(math.Inf(1)), math.Min},
}

// whole numbers, whose sums are exact in any order, among them now and then a NaN.
func wholes(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		if s[i] = float32(r.IntN(41) - 20); r.IntN(200) == 0 {
			s[i] = float32(math.NaN())
		}
	}
	return s
}

func TestReductions(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for kind := range reductions {
			for n := range 150 {
				rows := r.IntN(6)
				step := n + r.IntN(5)
				src := wholes(r, rows*step+n)
				is := reduced[kind]
				along, across := make([]float32, rows+1), make([]float32, n+1)
				along[rows], across[n] = 77, 77
				Along(kind, along[:rows], src, n, step)
				Across(kind, across[:n], src, rows, step)
				want := make([]float64, rows+n)
				for i := range want {
					want[i] = float64(is.none)
				}
				for i := range rows {
					for k, x := range src[i*step : i*step+n] {
						want[i] = is.join(want[i], float64(x))
						want[rows+k] = is.join(want[rows+k], float64(x))
					}
				}
				for i, got := range append(along[:rows:rows], across[:n]...) {
					same(t, "reduced", got, float32(want[i]))
				}
				same(t, "behind what lies along", along[rows], 77)
				same(t, "behind what lies across", across[n], 77)
			}
		}
	})
}

// The order in which numbers are joined is that of the definition, in every variant.
func TestReductionsAreBitForBitPortable(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for kind := range reductions {
			for n := 1; n < 150; n++ {
				const rows = 4
				src := make([]float32, rows*n)
				for i := range src {
					src[i] = float32(r.NormFloat64())
				}
				got, want := make([]float32, rows+n), make([]float32, rows+n)
				Along(kind, got[:rows], src, n, n)
				Across(kind, got[rows:], src, rows, n)
				portableKernels.along[kind](&args{dst: first(want), a: first(src), all: n, rows: rows, step: 4 * n})
				portableKernels.across[kind](&args{dst: first(want[rows:]), a: first(src), all: n, rows: rows, step: 4 * n})
				for i := range want {
					same(t, "reduced", got[i], want[i])
				}
			}
		}
	})
}

func BenchmarkReductions(b *testing.B) {
	src, dst := make([]float32, 1<<16), make([]float32, 1<<10)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"along/64", func() { Along(Most, dst, src, 64, 64) }},
		{"along/4096", func() { Along(AddedSquares, dst[:16], src, 4096, 4096) }},
		{"across/64", func() { Across(Added, dst[:64], src, 1024, 64) }},
		{"across/1024", func() { Across(Most, dst, src, 64, 1024) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(len(src))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Ge/s")
		})
	}
}
