package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Any axes of any shape are folded as by one loop over the elements in float64.
func TestFoldsOfFloat32(t *testing.T) {
	rules := []rule[float64]{
		{sums, 0, nil},
		{magnitudes, 0, nil},
		{products, 1, nil},
		{squares, 0, func(s float64, _ int) float64 { return math.Sqrt(s) }},
		{largest, math.Inf(-1), nil},
		{smallest, math.Inf(1), nil},
	}
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{1, 2, 3, 7, 16, 17, 70, 130}
	for range 400 {
		shape := make(tensor.Shape, 1+r.IntN(4))
		for i := range shape {
			shape[i] = sizes[r.IntN(len(sizes))]
		}
		if shape.Elements() > 1<<18 {
			continue
		}
		if r.IntN(10) == 0 {
			shape = tensor.Shape{2, 3*partRun + r.IntN(20)}
		}
		mask := 1 + r.Uint64N(1<<len(shape)-1)
		x := make([]float32, shape.Elements())
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		f := newFold(shape, mask)
		n := len(x) / f.count
		got := make([]float32, n)
		f.in, f.out = view(t, shape, x), view(t, tensor.Shape{n}, got)
		for _, rule := range rules {
			cut := r.IntN(n + 1) // as by two threads
			kernel := reduce32(rule)
			kernel(f, 0, cut)
			kernel(f, cut, n)
			want, size := folds(rule, shape, mask, x)
			for i, w := range want {
				if rule.end != nil {
					w = rule.end(w, f.count)
				}
				if math.Abs(float64(got[i])-w) > 2e-6*size[i]+1e-37 {
					t.Fatalf("method %d of %v, axes %b: output %d is %v, want %v", rule.method, shape, mask, i, got[i], w)
				}
			}
		}
	}
}

// folds folds in float64, one element after another, and returns the magnitudes that
// rounding goes by.
func folds(r rule[float64], shape tensor.Shape, mask uint64, x []float32) (out, size []float64) {
	steps, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		if mask>>i&1 == 0 {
			steps[i] = n
			n *= shape[i]
		}
	}
	out, size = make([]float64, n), make([]float64, n)
	for i := range out {
		out[i], size[i] = r.neutral, 1e-30
	}
	for k, v := range x {
		at, rest := 0, k
		for d := len(shape) - 1; d >= 0; d-- {
			at += rest % shape[d] * steps[d]
			rest /= shape[d]
		}
		out[at] = alongRow(r.method, out[at], []float64{float64(v)})
		if r.method == products {
			size[at] = math.Abs(out[at])
		} else {
			size[at] += math.Abs(float64(v))
		}
	}
	return out, size
}

func view(t *testing.T, shape tensor.Shape, x []float32) *tensor.View {
	t.Helper()
	v, err := tensor.ViewOf(tensor.F32, shape, x)
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

// Sums that f32 has no room for on the way to them.
func TestFoldsBeyondFloat32(t *testing.T) {
	const most = math.MaxFloat32
	end := func(s float64, _ int) float64 { return math.Sqrt(s) }
	for _, c := range []struct {
		name string
		rule rule[float64]
		x    float32
		want float64 // of 40 numbers that are x, and of 20 that are x and 20 that are -x
		zero float64
	}{
		{"a root of squares", rule[float64]{squares, 0, end}, 1e30, 1e30 * math.Sqrt(40), 1e30 * math.Sqrt(40)},
		{"a root of small squares", rule[float64]{squares, 0, end}, 1e-30, 1e-30 * math.Sqrt(40), 1e-30 * math.Sqrt(40)},
		{"zeros", rule[float64]{squares, 0, end}, 0, 0, 0},
		{"a mean", rule[float64]{sums, 0, func(s float64, n int) float64 { return s / float64(n) }}, most, most, 0},
		{"a mean of magnitudes", rule[float64]{magnitudes, 0, func(s float64, n int) float64 { return s / float64(n) }}, -most, most, most},
	} {
		alike, opposite := make([]float32, 40), make([]float32, 40)
		for i := range alike {
			alike[i], opposite[i] = c.x, c.x
			if i >= 20 {
				opposite[i] = -c.x
			}
		}
		for _, shape := range []tensor.Shape{{40}, {40, 1}, {2, 20}, {20, 2}} {
			for x, want := range map[*float32]float64{&alike[0]: c.want, &opposite[0]: c.zero} {
				in := alike
				if x == &opposite[0] {
					in = opposite
				}
				f := newFold(shape, 1<<len(shape)-1)
				got := make([]float32, 1)
				f.in, f.out = view(t, shape, in), view(t, tensor.Shape{1}, got)
				reduce32(c.rule)(f, 0, 1)
				if math.Abs(float64(got[0])-want) > 1e-6*math.Abs(want) {
					t.Errorf("%s of %v: %v, want %v", c.name, shape, got[0], want)
				}
			}
		}
	}
}
