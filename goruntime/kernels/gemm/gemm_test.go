package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

func address(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// reference computes in float64.
func reference(a, b, bias []float32, m, n, k int, start Start, relu, apart bool, c []float32) []float64 {
	out := make([]float64, m*n)
	for i := range m {
		for j := range n {
			s := 0.0
			switch start {
			case Columns:
				s = float64(bias[j])
			case Rows:
				s = float64(bias[i])
			case Add:
				s = float64(c[i*n+j])
			}
			for x := range k {
				l, r := float64(a[i*k+x]), float64(b[x*n+j])
				if apart {
					l -= r
					r = l
				}
				s += l * r
			}
			if relu {
				s = max(s, 0)
			}
			out[i*n+j] = s
		}
	}
	return out
}

func TestEveryVariantAgreesWithFloat64(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, v := range variants {
		if v.level > cpu.Best() {
			continue
		}
		old := variants
		variants = []variant{v}
		for _, m := range []int{1, 2, 5, 6, 7, 13, 16, 41} {
			for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 63, 64, 65, 130} {
				for _, k := range []int{0, 1, 3, 8, 15, 64, 257} {
					for start := Zero; start <= Add; start++ {
						check(t, r, v.name, m, n, k, start, (m+n+k)%2 == 0, false)
						check(t, r, v.name, m, n, k, start, (m+n+k)%2 == 0, true)
					}
				}
			}
		}
		variants = old
	}
}

func check(t *testing.T, r *rand.Rand, name string, m, n, k int, start Start, relu, apart bool) {
	t.Helper()
	a, b, bias := random(r, m*k), random(r, k*n), random(r, max(m, n))
	c := random(r, m*n)
	want := reference(a, b, bias, m, n, k, start, relu, apart, c)
	packed := make([]float32, PackedSize(k, n)+1)
	PackB(packed, b, k, n, n, 1)
	for _, ldb := range []int{0, n} {
		got := append([]float32(nil), c...)
		g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: ldb, C: address(got), LDC: n, Start: start, Bias: address(bias), Relu: relu, Apart: apart}
		if ldb == 0 {
			g.B = address(packed)
		}
		Run(g, 0, m, 0, n)
		for i, w := range want {
			if math.Abs(float64(got[i])-w) > 1e-5*float64(k+10) {
				t.Fatalf("%s %dx%dx%d start %d ldb %d apart %v: element %d is %v, want %v", name, m, n, k, start, ldb, apart, i, got[i], w)
			}
		}
	}
}

func TestARowAloneHasTheSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][3]int{{13, 150, 77}, {57, 1, 64}, {57, 2, 30}, {57, 3, 8}, {57, 4, 77}, {57, 5, 9}, {57, 6, 16}, {57, 7, 17}, {57, 72, 33}} {
		alone(t, r, size[0], size[1], size[2])
	}
}

func alone(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	a, b := random(r, m*k), random(r, k*n)
	whole, single := make([]float32, m*n), make([]float32, m*n)
	for _, apart := range []bool{false, true} {
		g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: n, C: address(whole), LDC: n, Apart: apart}
		Run(g, 0, m, 0, n)
		g.C = address(single)
		for i := range m {
			for j := 0; j < n; j += Panel {
				Run(g, i, i+1, j, min(n, j+Panel))
			}
		}
		for i := range whole {
			if math.Float32bits(whole[i]) != math.Float32bits(single[i]) {
				t.Fatalf("%dx%dx%d apart %v, element %d: %v in the batch, %v alone", m, n, k, apart, i, whole[i], single[i])
			}
		}
	}
}

func TestReluKeepsNaN(t *testing.T) {
	nan := float32(math.NaN())
	a, b, c := []float32{1}, make([]float32, 20), make([]float32, 20)
	for i := range b {
		b[i] = nan
	}
	b[3] = -1
	Run(&Args{M: 1, N: 20, K: 1, A: address(a), LDA: 1, B: address(b), LDB: 20, C: address(c), LDC: 20, Relu: true}, 0, 1, 0, 20)
	for i, x := range c {
		if i == 3 && x != 0 || i != 3 && x == x {
			t.Errorf("element %d is %v", i, x)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{128, 384, 384}, {128, 1536, 384}, {1, 512, 512}, {784, 128, 512}} {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("f32/%dx%dx%d", m, n, k), func(b *testing.B) {
			a, bm, c := random(r, m*k), random(r, k*n), make([]float32, m*n)
			p := make([]float32, PackedSize(k, n))
			PackB(p, bm, k, n, n, 1)
			g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(p), C: address(c), LDC: n}
			for b.Loop() {
				Run(g, 0, m, 0, n)
			}
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func TestPackBOfATranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{0, 1, 15, 16, 17, 50} {
		for _, n := range []int{0, 1, 63, 64, 65, 130} {
			b := random(r, k*n)
			turned := make([]float32, len(b))
			for i := range k {
				for j := range n {
					turned[j*k+i] = b[i*n+j]
				}
			}
			want, got := make([]float32, PackedSize(k, n)), random(r, PackedSize(k, n))
			PackB(want, b, k, n, n, 1)
			PackB(got, turned, k, n, 1, k)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%d x %d: element %d is %v, want %v", k, n, i, got[i], want[i])
				}
			}
		}
	}
}
