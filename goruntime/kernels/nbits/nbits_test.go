package nbits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// each runs f under every available variant and without any.
func each(t *testing.T, f func(t *testing.T)) {
	all := variants
	defer func() { variants = all }()
	for _, v := range all {
		if v.level <= cpu.Best() {
			variants = []variant{v}
			t.Run(v.name, f)
		}
	}
	variants = nil
	t.Run("portable", f)
}

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

func TestRunAgreesWithFloat64(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, bits := range []int{2, 4, 8} {
			for _, block := range []int{16, 32, 64, 128} {
				for _, m := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 34} {
					for _, k := range []int{0, 1, 16, 31, 64, 100, 300, 1100} {
						check(t, r, bits, block, m, 5, k, m%2 == 1 && k > 0)
					}
				}
			}
		}
	})
}

func check(t *testing.T, r *rand.Rand, bits, block, m, n, k int, grouped bool) {
	t.Helper()
	blocks, length := Blocks(k, block), RowLength(k, block)
	g := &Args{
		M: m, N: n, K: k, Bits: bits, Block: block, A: make([]float32, m*length), B: make([]byte, n*blocks*block*bits/8),
		Scales: random(r, n*blocks), Zeros: random(r, n*blocks), C: random(r, m*n),
	}
	if grouped && block == 64 {
		g.Groups = make([]int32, k)
		for i := range g.Groups {
			g.Groups[i] = r.Int32N(int32(blocks))
		}
	}
	for i := range g.B {
		g.B[i] = byte(r.Uint32())
	}
	a := random(r, m*k)
	for i := range m {
		copy(g.A[i*length:], a[i*k:(i+1)*k])
		g.Arrange(g.A[i*length : (i+1)*length])
	}
	Run(g, 0, 1)
	Run(g, 1, n)
	for i := range m {
		for j := range n {
			want, size := 0.0, 1.0
			for x := range k {
				q := int(g.B[(j*blocks*block+x)*bits/8]) >> ((j*blocks*block + x) * bits % 8) & (1<<bits - 1)
				at := j*blocks + x/block
				if g.Groups != nil {
					at = j*blocks + int(g.Groups[x])
				}
				v := float64(a[i*k+x]) * (float64(q) - float64(g.Zeros[at])) * float64(g.Scales[at])
				want += v
				size += math.Abs(v)
			}
			if got := float64(g.C[i*n+j]); math.Abs(got-want) > 1e-6*size {
				t.Fatalf("%d bits, blocks of %d, %dx%dx%d at %d,%d: %v, want %v", bits, block, m, n, k, i, j, got, want)
			}
		}
	}
}

// Rows give the same bits alone and among others, few or many, and columns in whatever
// parts they are asked for.
func TestRowsDoNotDependOnEachOther(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, bits := range []int{4, 8} {
			for _, block := range []int{32, 64, 512, 1024} {
				for _, m := range []int{11, 12, 13, 33, 67} {
					n, k := 3+m, 41*32 // several parts, the last one shorter
					if m == 33 {
						k = 50
					}
					blocks, length := Blocks(k, block), RowLength(k, block)
					g := Args{
						M: m, N: n, K: k, Bits: bits, Block: block, A: random(r, m*length), B: make([]byte, n*blocks*block*bits/8),
						Scales: random(r, n*blocks), Zeros: random(r, n*blocks), C: make([]float32, m*n),
					}
					for i := range g.B {
						g.B[i] = byte(r.Uint32())
					}
					Run(&g, 0, m/2)
					Run(&g, m/2, n)
					for i := range m {
						one := g
						one.M, one.A, one.C = 1, g.A[i*length:(i+1)*length], make([]float32, n)
						Run(&one, 0, n)
						for j := range n {
							if one.C[j] != g.C[i*n+j] {
								t.Fatalf("%d bits, blocks of %d, row %d of %d, column %d: %v alone, %v among others", bits, block, i, m, j, one.C[j], g.C[i*n+j])
							}
						}
					}
				}
			}
		}
	})
}

func BenchmarkRun(b *testing.B) {
	for _, m := range []int{1, 128} {
		b.Run(fmt.Sprintf("%dx2048x2048", m), func(b *testing.B) {
			const n, k = 2048, 2048
			g := &Args{M: m, N: n, K: k, Bits: 4, Block: 32, A: make([]float32, m*k), B: make([]byte, n*k/2), Scales: make([]float32, n*k/32), Zeros: make([]float32, n*k/32), C: make([]float32, m*n)}
			for b.Loop() {
				Run(g, 0, n)
			}
			b.ReportMetric(2*float64(m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
		})
	}
}
