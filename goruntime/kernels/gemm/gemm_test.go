package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

func random[T Number](r *rand.Rand, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(r.NormFloat64() * scale[T]())
	}
	return s
}

// scale is 1 for floats; integers need it to be more than their signs.
func scale[T Number]() float64 {
	if ElementOf[T]() >= I32 {
		return 20
	}
	return 1
}

func address[T Number](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// reference computes in float64, in which the sums of small whole numbers are exact.
func reference[T Number](a, b, bias []T, m, n, k int, start Start, relu, apart bool, c []T) []float64 {
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
	t.Run("f32", func(t *testing.T) { testVariants[float32](t, 1e-5) })
	t.Run("f64", func(t *testing.T) { testVariants[float64](t, 1e-14) })
	t.Run("i32", func(t *testing.T) { testVariants[int32](t, 0) })
	t.Run("i64", func(t *testing.T) { testVariants[int64](t, 0) })
}

func testVariants[T Number](t *testing.T, tolerance float64) {
	r := rand.New(rand.NewPCG(1, 2))
	of := ElementOf[T]()
	all := vectors[of]
	defer func() { vectors[of] = all }()
	for _, v := range append(all[:len(all):len(all)], portables[of]) {
		if v.level > cpu.Best() {
			continue
		}
		vectors[of] = []variant{v}
		for _, m := range []int{1, 2, 5, 6, 7, 13, 16, 41} {
			for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 63, 64, 65, 130} {
				for _, k := range []int{0, 1, 3, 8, 15, 64, 257} {
					for start := Zero; start <= Add; start++ {
						check[T](t, r, v.name, m, n, k, start, of < I32 && (m+n+k)%2 == 0, false, tolerance)
						if of == F32 {
							check[T](t, r, v.name, m, n, k, start, (m+n+k)%2 == 0, true, tolerance)
						}
					}
				}
			}
		}
	}
}

func check[T Number](t *testing.T, r *rand.Rand, name string, m, n, k int, start Start, relu, apart bool, tolerance float64) {
	t.Helper()
	a, b, bias := random[T](r, m*k), random[T](r, k*n), random[T](r, max(m, n))
	c := random[T](r, m*n)
	want := reference(a, b, bias, m, n, k, start, relu, apart, c)
	packed := make([]T, PackedSize(k, n)+1)
	PackB(packed, b, k, n, n, 1)
	for _, ldb := range []int{0, n} {
		got := append([]T(nil), c...)
		g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: ldb, C: address(got), LDC: n, Start: start, Bias: address(bias), Relu: relu, Apart: apart, Of: ElementOf[T]()}
		if ldb == 0 {
			g.B = address(packed)
		}
		Run(g, 0, m, 0, n)
		for i, w := range want {
			if math.Abs(float64(got[i])-w) > tolerance*float64(k+10) {
				t.Fatalf("%s %dx%dx%d start %d ldb %d apart %v: element %d is %v, want %v", name, m, n, k, start, ldb, apart, i, got[i], w)
			}
		}
	}
}

func TestARowAloneHasTheSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][3]int{{13, 150, 77}, {57, 1, 64}, {57, 2, 30}, {57, 3, 8}, {57, 4, 77}, {57, 5, 9}, {57, 6, 16}, {57, 7, 17}, {57, 72, 33}} {
		alone[float32](t, r, size[0], size[1], size[2])
		alone[float64](t, r, size[0], size[1], size[2])
	}
}

func alone[T Number](t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	a, b := random[T](r, m*k), random[T](r, k*n)
	whole, single := make([]T, m*n), make([]T, m*n)
	for _, apart := range []bool{false, ElementOf[T]() == F32} {
		g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: n, C: address(whole), LDC: n, Apart: apart, Of: ElementOf[T]()}
		Run(g, 0, m, 0, n)
		g.C = address(single)
		for i := range m {
			for j := 0; j < n; j += Panel {
				Run(g, i, i+1, j, min(n, j+Panel))
			}
		}
		for i := range whole {
			if math.Float64bits(float64(whole[i])) != math.Float64bits(float64(single[i])) {
				t.Fatalf("%dx%dx%d apart %v, element %d: %v in the batch, %v alone", m, n, k, apart, i, whole[i], single[i])
			}
		}
	}
}

func TestReluKeepsNaN(t *testing.T) {
	t.Run("f32", testReluKeepsNaN[float32])
	t.Run("f64", testReluKeepsNaN[float64])
}

func testReluKeepsNaN[T float32 | float64](t *testing.T) {
	nan := T(math.NaN())
	a, b, c := []T{1}, make([]T, 20), make([]T, 20)
	for i := range b {
		b[i] = nan
	}
	b[3] = -1
	Run(&Args{M: 1, N: 20, K: 1, A: address(a), LDA: 1, B: address(b), LDB: 20, C: address(c), LDC: 20, Relu: true, Of: ElementOf[T]()}, 0, 1, 0, 20)
	for i, x := range c {
		if i == 3 && x != 0 || i != 3 && x == x {
			t.Errorf("element %d is %v", i, x)
		}
	}
}

// Products of integers wrap around, signed or not.
func TestIntegersWrapAround(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const m, n, k = 7, 37, 19
	a, b, got := make([]uint64, m*k), make([]uint64, k*n), make([]uint64, m*n)
	words := func(s []uint64) []uint32 {
		w := make([]uint32, len(s))
		for i, x := range s {
			w[i] = uint32(x)
		}
		return w
	}
	for _, s := range [][]uint64{a, b} {
		for i := range s {
			s[i] = r.Uint64()
		}
	}
	a32, b32, got32 := words(a), words(b), words(got)
	Run(&Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: n, C: address(got), LDC: n, Of: I64}, 0, m, 0, n)
	Run(&Args{M: m, N: n, K: k, A: address(a32), LDA: k, B: address(b32), LDB: n, C: address(got32), LDC: n, Of: I32}, 0, m, 0, n)
	for i := range got {
		var want uint64
		for x := range k {
			want += a[i/n*k+x] * b[x*n+i%n]
		}
		if got[i] != want || got32[i] != uint32(want) {
			t.Fatalf("element %d is %x of 64 bits and %x of 32, want %x", i, got[i], got32[i], want)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{128, 384, 384}, {128, 1536, 384}, {1, 512, 512}, {784, 128, 512}} {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("f32/%dx%dx%d", m, n, k), func(b *testing.B) { benchmark[float32](b, r, m, n, k) })
		b.Run(fmt.Sprintf("f64/%dx%dx%d", m, n, k), func(b *testing.B) { benchmark[float64](b, r, m, n, k) })
	}
}

func benchmark[T Number](b *testing.B, r *rand.Rand, m, n, k int) {
	a, bm, c := random[T](r, m*k), random[T](r, k*n), make([]T, m*n)
	p := make([]T, PackedSize(k, n))
	PackB(p, bm, k, n, n, 1)
	g := &Args{M: m, N: n, K: k, A: address(a), LDA: k, B: address(p), C: address(c), LDC: n, Of: ElementOf[T]()}
	for b.Loop() {
		Run(g, 0, m, 0, n)
	}
	b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func TestPackBOfATranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{0, 1, 15, 16, 17, 50} {
		for _, n := range []int{0, 1, 63, 64, 65, 130} {
			b := random[float32](r, k*n)
			turned := make([]float32, len(b))
			for i := range k {
				for j := range n {
					turned[j*k+i] = b[i*n+j]
				}
			}
			want, got := make([]float32, PackedSize(k, n)), random[float32](r, PackedSize(k, n))
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
