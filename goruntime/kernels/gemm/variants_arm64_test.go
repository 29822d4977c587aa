//go:build !portable && !race

package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Vectors give the bits of the definition, whose products and sums the compiler fuses on
// arm64: columns behind the last whole vector are computed by it. Relu keeps NaN and both
// zeros.
func TestVectorsRoundAsTheDefinition(t *testing.T) {
	if F32.variant().name != "neon" {
		t.Fatalf("the variant is %q", F32.variant().name)
	}
	r := rand.New(rand.NewPCG(7, 8))
	bits := func(c []float32) []uint32 {
		list := make([]uint32, len(c))
		for i, x := range c {
			list[i] = math.Float32bits(x)
		}
		return list
	}
	all := vectors[F32]
	defer func() { vectors[F32] = all }()
	for _, size := range [][3]int{{1, 4, 1}, {1, 16, 4}, {5, 7, 3}, {6, 16, 64}, {7, 19, 6}, {13, 66, 33}, {12, 130, 7}} {
		m, n, k := size[0], size[1], size[2]
		a, b, bias, c := random[float32](r, m*k), random[float32](r, k*n), random[float32](r, max(m, n)), random[float32](r, m*n)
		a[0] = float32(math.NaN())
		for i := range n {
			c[i*m/n*n+i] = float32(math.Copysign(0, -1))
		}
		for start := Zero; start <= Add; start++ {
			for _, relu := range []bool{false, true} {
				run := func(list []variant) []uint32 {
					vectors[F32] = list
					got := slices.Clone(c)
					g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: n, C: address(got), LDC: n, Start: start, Bias: address(bias), Relu: relu}
					Run(g, 0, m, 0, n)
					return bits(got)
				}
				if got, want := run(all), run(nil); !slices.Equal(got, want) {
					t.Errorf("%dx%dx%d, start %d, relu %v: %x, want %x", m, n, k, start, relu, got, want)
				}
			}
		}
	}
}
