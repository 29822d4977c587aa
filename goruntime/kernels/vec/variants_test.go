package vec

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// withEach runs f in every variant that this processor has.
func withEach(t *testing.T, f func(t *testing.T)) {
	all := variants
	defer func() {
		variants = all
		active.Store(nil)
	}()
	for _, v := range all {
		if v.level > cpu.Best() {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			variants = []variant{v}
			active.Store(nil)
			f(t)
			if chosen().name != v.name {
				t.Errorf("%s was tested", chosen().name)
			}
		})
	}
}

var special = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.5, 2.5, -0.5, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
	1e-40, -1e-40, 1e-45, math.MaxFloat32, -math.MaxFloat32, 88.7, 89, -87.4, -100, -104, 0.625, 0.927734375, 1e-10, 100, -100,
}

// numbers returns n numbers, special ones among them.
func numbers(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64() * 8)
		if r.IntN(3) == 0 {
			s[i] = special[r.IntN(len(special))]
		}
	}
	return s
}

var exact = [functions]struct {
	f    func(float64) float64
	ulps float64
}{
	Exponential:       {math.Exp, 1},
	Logarithm:         {math.Log, 1.5},
	HyperbolicTangent: {math.Tanh, 6},
	Logistic:          {func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 3},
	ErrorFunction:     {math.Erf, 1.1},
	Gelu:              {func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }, 0},
	SquareRoot:        {math.Sqrt, 0.5},
	Absolute:          {math.Abs, 0},
	Negative:          {func(x float64) float64 { return -x }, 0},
	Rectifier:         {func(x float64) float64 { return max(x, 0) }, 0},
	Floor:             {math.Floor, 0},
	Ceil:              {math.Ceil, 0},
	RoundEven:         {math.RoundToEven, 0},
	Reciprocal:        {func(x float64) float64 { return 1 / x }, 0.5},
	Swish:             {func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 0},
	SoftSign:          {softSign, 0},
	Sixth:             {sixth, 0},
	ToHalf:            {func(x float64) float64 { return float64(tensor.HalfOf(float32(x)).Float32()) }, 0},
	ToBrain:           {func(x float64) float64 { return float64(tensor.BFloat16Of(float32(x)).Float32()) }, 0},
}

// softSign rounds to float32 at each step.
func softSign(x float64) float64 {
	f := float32(x)
	return float64(f / (1 + float32(math.Abs(x))))
}

// sixth rounds to float32 at each step.
func sixth(x float64) float64 {
	f := float32(x)
	return float64(f * min(max(f+3, 0), 6) / 6)
}

func TestEveryFunctionAtEveryLength(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for f := range functions {
			for n := range 71 {
				src := numbers(r, n+1)[1:]
				dst := make([]float32, n+1)
				dst[n] = 77
				Apply(f, dst[:n:n], src)
				if dst[n] != 77 {
					t.Fatalf("function %d writes beyond element %d", f, n)
				}
				for i, x := range src {
					one := [1]float32{x}
					Apply(f, one[:], one[:])
					if math.Float32bits(one[0]) != math.Float32bits(dst[i]) {
						t.Fatalf("function %d of %v: %v at %d of %d, %v alone", f, x, dst[i], i, n, one[0])
					}
					near(t, f, x, dst[i])
				}
			}
		}
	})
}

func near(t *testing.T, f Function, x, got float32) {
	t.Helper()
	want := exact[f].f(float64(x))
	switch {
	case math.IsNaN(want):
		if got == got {
			t.Fatalf("function %d of %v is %v, want NaN", f, x, got)
		}
	case f == Gelu || f == Swish:
		if math.IsNaN(float64(got)) || got != float32(want) && !(math.Abs(float64(got)-want) <= 5e-7*max(1, math.Abs(want))) {
			t.Fatalf("function %d of %v is %v, want %v", f, x, got, want)
		}
	case math.IsNaN(float64(got)) || ulps(got, want) > exact[f].ulps+1e-3:
		t.Fatalf("function %d of %v is %v, want %v", f, x, got, want)
	}
}

func TestFunctionsAreAccurateOverTheirRange(t *testing.T) {
	withEach(t, func(t *testing.T) {
		src, dst := make([]float32, 1<<16), make([]float32, 1<<16)
		for i := range src {
			// Every 65536th bit pattern: all exponents and signs.
			src[i] = math.Float32frombits(uint32(i)<<16 | 0x5a5a)
		}
		for f := range functions {
			Apply(f, dst, src)
			for i, x := range src {
				near(t, f, x, dst[i])
			}
		}
	})
}

func TestOperationsAgreeWithPortable(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for o := range operations {
			for n := range 71 {
				a, b := numbers(r, n+1)[1:], numbers(r, n)
				for form := range 3 {
					x, y := a, b
					if form == 1 && n > 0 {
						y = b[:1]
					}
					if form == 2 && n > 0 {
						x = a[:1]
					}
					got, want := make([]float32, n), make([]float32, n)
					Combine(o, got, x, y)
					p := args{dst: first(want), a: first(x), b: first(y), all: n, rows: 1}
					if n > 0 {
						portableKernels.binary[o][form](&p)
					}
					for i := range want {
						if got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
							t.Fatalf("operation %d form %d length %d: element %d is %v, want %v", o, form, n, i, got[i], want[i])
						}
					}
				}
			}
		}
	})
}

func TestCurvesAgreeWithPortable(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for c := range curves {
			for n := range 71 {
				src, k := numbers(r, n+1)[1:], numbers(r, 2)
				got, want := make([]float32, n), make([]float32, n)
				Bend(c, got, src, k[0], k[1])
				portableKernels.curves[c](&args{dst: first(want), a: first(src), s: k[0], r: k[1], all: n})
				for i := range want {
					if c == Bent && math.Abs(float64(got[i]-want[i])) <= 1e-6*math.Abs(float64(want[i])) {
						continue // its exponential is as near as Exponential
					}
					if c == Bell && math.Abs(float64(got[i]-want[i])) <= 1e-6*math.Abs(float64(src[i])*float64(k[1])) {
						continue // its error function is as near as that of ErrorFunction
					}
					if got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
						t.Fatalf("curve %d of %v with %v, length %d: %v, want %v", c, src[i], k, n, got[i], want[i])
					}
				}
			}
		}
	})
}

func TestCurves(t *testing.T) {
	nan := float32(math.NaN())
	withEach(t, func(t *testing.T) {
		for _, c := range []struct {
			curve Curve
			s, r  float32
			want  []float32 // of -4, -1, 0.5, 4 and NaN
		}{
			{Clamp, -2, 1, []float32{-2, -1, 0.5, 1, nan}},
			{Clamp, 2, 1, []float32{1, 1, 1, 1, nan}},
			{Clamp, nan, nan, []float32{-4, -1, 0.5, 4, nan}},
			{Line, 2, 1, []float32{-7, -1, 2, 9, nan}},
			{Ramp, 0.25, 0.5, []float32{0, 0.25, 0.625, 1, nan}},
			{Gate, 0.25, 0.5, []float32{0, -0.25, 0.3125, 4, nan}},
			{Bell, 0.0625, 0.25, []float32{0, 0, 0.25, 2, nan}},
			{Whole, -2, 3, []float32{-2, -1, 0, 3, -2}},
			{Bent, 2, 3, []float32{-5.8901062, -3.7927234, 1.5, 12, nan}},
			{Square, 2, 1, []float32{49, 1, 4, 81, nan}},
			{Cube, 2, 1, []float32{-343, -1, 8, 729, nan}},
		} {
			x := []float32{-4, -1, 0.5, 4, nan}
			Bend(c.curve, x, x, c.s, c.r)
			for i, w := range c.want {
				if x[i] != w && !(x[i] != x[i] && w != w) && !(c.curve == Bent && math.Abs(float64(x[i]-w)) < 1e-6) {
					t.Errorf("curve %d with %v and %v: %v, want %v", c.curve, c.s, c.r, x, c.want)
				}
			}
		}
	})
}

func TestEvery(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for step := 1; step < 6; step++ {
			for n := range 71 {
				src := numbers(r, max(0, (n-1)*step+1))
				dst := make([]float32, n+1)
				dst[n] = 7
				Every(dst[:n], src, step)
				for i := range n {
					if math.Float32bits(dst[i]) != math.Float32bits(src[i*step]) {
						t.Fatalf("step %d length %d: element %d is %v, want %v", step, n, i, dst[i], src[i*step])
					}
				}
				if dst[n] != 7 {
					t.Fatalf("step %d length %d: written behind the end", step, n)
				}
			}
		}
	})
}

func TestReductionsAgreeWithPortable(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 300 {
			s := make([]float32, n+1)[1:]
			for i := range s {
				s[i] = float32(r.NormFloat64()) - 3
			}
			var acc [lanes]float32
			for i, x := range s {
				acc[i%lanes] += x
			}
			if got, want := Sum(s), fold(&acc); got != want {
				t.Fatalf("sum of %d is %v, want %v", n, got, want)
			}
			top := float32(math.Inf(-1))
			for _, x := range s {
				top = max(top, x)
			}
			if got := Max(s); got != top {
				t.Fatalf("max of %d is %v, want %v", n, got, top)
			}
			if n == 0 {
				continue
			}
			rows(t, s)
			s[r.IntN(n)] = float32(math.NaN())
			if got := Max(s); got == got {
				t.Fatalf("max of %d loses a NaN: %v", n, got)
			}
		}
	})
}

// rows checks softmax and normalization against float64.
func rows(t *testing.T, s []float32) {
	t.Helper()
	n := len(s)
	var mean, variance, sum float64
	for _, x := range s {
		mean += float64(x) / float64(n)
		sum += math.Exp(float64(x))
	}
	for _, x := range s {
		variance += (float64(x) - mean) * (float64(x) - mean) / float64(n)
	}
	scale, bias := make([]float32, n), make([]float32, n)
	for i := range s {
		scale[i], bias[i] = float32(i%5)-2, float32(i%3)
	}
	soft, norm := make([]float32, n), make([]float32, n)
	Softmax(soft, s, len(s))
	Normalize(norm, s, scale, bias, nil, 1e-2)
	for i, x := range s {
		if want := math.Exp(float64(x)) / sum; math.Abs(float64(soft[i])-want) > 1e-6 {
			t.Fatalf("softmax of %d: element %d is %v, want %v", n, i, soft[i], want)
		}
		want := (float64(x)-mean)/math.Sqrt(variance+1e-2)*float64(scale[i]) + float64(bias[i])
		if math.Abs(float64(norm[i])-want) > 2e-5 {
			t.Fatalf("normalization of %d: element %d is %v, want %v", n, i, norm[i], want)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	for _, c := range []struct {
		name string
		f    Function
	}{{"exp", Exponential}, {"log", Logarithm}, {"tanh", HyperbolicTangent}, {"sigmoid", Logistic}, {"erf", ErrorFunction}, {"gelu", Gelu}, {"relu", Rectifier}} {
		for _, n := range []int{4096, 65536} {
			b.Run(c.name+"/f32/"+strconv.Itoa(n), func(b *testing.B) {
				src, dst := make([]float32, n), make([]float32, n)
				for i := range src {
					src[i] = float32(i%100) / 20
				}
				for b.Loop() {
					Apply(c.f, dst, src)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Ge/s")
			})
		}
	}
}

func BenchmarkSoftmax(b *testing.B) {
	s, d := make([]float32, 384), make([]float32, 384)
	for b.Loop() {
		Softmax(d, s, len(s))
	}
	b.ReportMetric(384*float64(b.N)/b.Elapsed().Seconds()/1e9, "Ge/s")
}

// What is odd keeps the sign of zero.
func TestOddFunctionsKeepTheSignOfZero(t *testing.T) {
	withEach(t, func(t *testing.T) {
		zero := float32(math.Copysign(0, -1))
		for _, f := range []Function{HyperbolicTangent, ErrorFunction, SquareRoot, Floor, Ceil, RoundEven} {
			x := slices.Repeat([]float32{zero, 0}, 20)
			Apply(f, x, x)
			for i, y := range x {
				if negative := math.Signbit(float64(y)); y != 0 || negative != (i%2 == 0) {
					t.Fatalf("function %d of a zero is %v, sign %v, want sign %v", f, y, negative, !negative)
				}
			}
		}
	})
}

// A row of a softmax has the same bits beside others as alone, in place too, and
// keeps its NaN to itself.
func TestSoftmaxOfRows(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{1, 7, 15, 16, 17, 31, 32, 33, 65, 128} {
			s := make([]float32, 4*n)
			for i := range s {
				s[i] = float32(r.NormFloat64() * 9)
			}
			s[n+n/2] = float32(math.NaN())
			s[2*n] = float32(math.Inf(-1))
			all := slices.Clone(s)
			Softmax(all, all, n)
			for i := range 4 {
				one := make([]float32, n)
				Softmax(one, s[i*n:(i+1)*n], n)
				for k, x := range one {
					got := all[i*n+k]
					if math.Float32bits(got) != math.Float32bits(x) && (got == got || x == x) {
						t.Fatalf("row %d of %d: %v among others, %v alone", i, n, got, x)
					}
					if lost := i == 1 || i == 2 && n == 1; lost != (x != x) {
						t.Fatalf("row %d of %d: element %d is %v", i, n, k, x)
					}
				}
			}
		}
	})
}

// Rows that are summed, or combined with a number each, have the bits that they have
// alone, and nothing is written beyond them.
func TestRowsHaveTheBitsOfOneRow(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for _, n := range []int{1, 3, 8, 15, 16, 17, 49, 64} {
			const rows = 5
			x, each := numbers(r, rows*n), numbers(r, rows)
			sums := make([]float32, rows+1)
			sums[rows] = 77
			Along(Added, sums[:rows], x, n, n)
			for i := range rows {
				same(t, "sum", sums[i], Sum(x[i*n:(i+1)*n]))
			}
			same(t, "behind the sums", sums[rows], 77)
			for o := range operations {
				for _, turned := range []bool{false, true} {
					dst, want := make([]float32, rows*n+1), make([]float32, n)
					dst[rows*n] = 77
					a, b := x, each
					if turned {
						a, b = each, x
					}
					CombineRows(o, dst[:rows*n], a, b, turned)
					for i := range rows {
						row, one := x[i*n:(i+1)*n], each[i:i+1]
						if turned {
							row, one = one, row
						}
						Combine(o, want, row, one)
						for k := range want {
							same(t, "combined", dst[i*n+k], want[k])
						}
					}
					same(t, "behind the rows", dst[rows*n], 77)
				}
			}
		}
	})
}

func same(t *testing.T, what string, got, want float32) {
	t.Helper()
	if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// While rows are worked on the collector finds no address behind the operands: with
// this length their end is in no object, and it would stop the program.
func TestNoAddressBehindTheOperands(t *testing.T) {
	rows, n := 3, 3000 // no constants: the operands are to lie on the heap
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	withEach(t, func(t *testing.T) {
		for range 3000 {
			x, y, totals := make([]float32, rows*n+16), make([]float32, rows*n+16), make([]float32, rows)
			Softmax(y[16:], x[16:], n)
			Along(Added, totals, x[16:], n, n)
			runtime.KeepAlive(x)
			if math.Abs(float64(y[16])*float64(n)-1) > 1e-5 || totals[rows-1] != 0 {
				t.Fatalf("%v, %v", y[16], totals[rows-1])
			}
		}
	})
	close(stop)
	<-done
}

// A grid rounds where its operations one after another round.
func TestGridsAreTheirOperations(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for n := range 71 {
			src := numbers(r, n)
			by, low, high := numbers(r, 1)[0], float32(-r.IntN(256)), float32(r.IntN(256))
			for g, o := range map[Grid]Operation{WholeOver: Over, WholeTimes: Times, Snap: Over} {
				got, want := make([]float32, n), make([]float32, n)
				Round(g, got, src, by, low, high)
				Combine(o, want, src, []float32{by})
				Bend(Whole, want, want, low, high)
				if g == Snap {
					Combine(Times, want, want, []float32{by})
				}
				for i := range want {
					same(t, "grid", got[i], want[i])
				}
			}
		}
	})
}
