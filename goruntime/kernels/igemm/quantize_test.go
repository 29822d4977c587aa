package igemm

import (
	"math"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

func TestSpan(t *testing.T) { eachLoop(t, testSpan) }

func testSpan(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		x         []float32
		low, high float32
	}{
		{nil, 0, 0},
		{[]float32{3, 5}, 0, 5},
		{[]float32{-3, nan, -5}, -5, 0},
		{[]float32{nan, -1, 2, nan}, -1, 2},
		{slices.Repeat([]float32{nan, -1, 2, nan, 1, 1, 1}, 9), -1, 2},
	} {
		if low, high := Span(c.x); low != c.low || high != c.high {
			t.Errorf("%v: %v to %v, want %v to %v", c.x, low, high, c.low, c.high)
		}
	}
	for n := range 70 { // the extremes anywhere
		x := make([]float32, 70)
		x[n], x[(n+33)%70] = -2, 7
		if low, high := Span(x); low != -2 || high != 7 {
			t.Errorf("extremes at %d: %v to %v", n, low, high)
		}
	}
}

// eachLoop runs f with every available implementation of the loops, and with
// none.
func eachLoop(t *testing.T, f func(t *testing.T)) {
	all := elementVariants
	defer func() { elementVariants = all }()
	for _, v := range all {
		if v.level <= cpu.Best() {
			elementVariants = []elementVariant{v}
			t.Run(v.level.String(), f)
		}
	}
	elementVariants = nil
	t.Run("portable", f)
}

func TestQuantize(t *testing.T) {
	eachLoop(t, func(t *testing.T) {
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		x := []float32{0, 0.5, 1.5, 2.5, -0.5, -1.5, 1000, -1000, nan, inf, -inf, 3, 253, 254}
		want := []uint8{3, 3, 5, 5, 3, 1, 255, 0, 0, 255, 0, 6, 255, 255}
		for n := range 100 {
			long, codes := make([]float32, n), make([]uint8, n)
			for i := range long {
				long[i], codes[i] = x[i%len(x)]*0.25, want[i%len(x)]
			}
			got := slices.Repeat([]uint8{9}, n+1)
			Quantize(got[:n], long, 0.25, 3)
			if !slices.Equal(got[:n], codes) || got[n] != 9 {
				t.Fatalf("%d numbers: %v, want %v", n, got, codes)
			}
		}
	})
}

func TestRequantize(t *testing.T) {
	sums := []int32{0, 0, 3, 0, 5, 0, math.MaxInt32, 0, math.MinInt32, 0, -3}
	got := make([]uint8, 6)
	Requantize(got, sums, 2, 0.5, 10, Unsigned)
	if want := []uint8{10, 12, 12, 255, 0, 8}; !slices.Equal(got, want) {
		t.Errorf("unsigned: %v, want %v", got, want)
	}
	signs := make([]int8, 6)
	Requantize(signs, sums, 2, 0.5, -10, Signed)
	if want := []int8{-10, -8, -8, 127, -128, -12}; !slices.Equal(signs, want) {
		t.Errorf("signed: %v, want %v", signs, want)
	}
}

// Signed bytes, and back: every code at every place.
func TestDequantize(t *testing.T) {
	eachLoop(t, func(t *testing.T) {
		for n := range 70 {
			q, u, x := make([]int8, n), make([]uint8, n), make([]float32, n+1)
			for i := range q {
				q[i], u[i] = int8(i*11-128), uint8(i*11)
			}
			x[n] = 77
			Dequantize(x[:n], q, 0.5, -3)
			for i, v := range q {
				if want := float32(int(v)+3) / 2; x[i] != want {
					t.Fatalf("signed %d of %d: %v, want %v", i, n, x[i], want)
				}
			}
			back := make([]int8, n)
			Quantize(back, x[:n], 0.5, -3)
			if !slices.Equal(back, q) {
				t.Fatalf("%d signed numbers come back as %v, want %v", n, back, q)
			}
			Dequantize(x[:n], u, 0.25, 200)
			for i, v := range u {
				if want := float32(int(v)-200) / 4; x[i] != want {
					t.Fatalf("unsigned %d of %d: %v, want %v", i, n, x[i], want)
				}
			}
			if x[n] != 77 {
				t.Fatalf("memory behind %d numbers was written", n)
			}
		}
	})
}

func TestRescale(t *testing.T) {
	eachLoop(t, func(t *testing.T) {
		for n := range 40 {
			sums, columns, scales, base := make([]int32, n), make([]int32, n), make([]float32, n), make([]float32, n)
			for i := range sums {
				sums[i], columns[i], scales[i], base[i] = int32(i*1000-5000), int32(i-7), float32(i%5)+0.1, float32(i)/3
			}
			got := slices.Repeat([]float32{77}, n+1)
			Rescale(got[:n], sums, columns, 130, 0.37, scales, base)
			for i := range sums {
				product := float32(sums[i]-130*columns[i]) * (float32(0.37) * scales[i])
				if want := base[i] + product; got[i] != want {
					t.Fatalf("%d of %d: %v, want %v", i, n, got[i], want)
				}
			}
			if got[n] != 77 {
				t.Fatalf("memory behind %d numbers was written", n)
			}
		}
	})
}

func BenchmarkQuantize(b *testing.B) {
	x, q := make([]float32, 4096), make([]uint8, 4096)
	b.Run("Quantize", func(b *testing.B) {
		for b.Loop() {
			Quantize(q, x, 0.5, 3)
		}
	})
	b.Run("Dequantize", func(b *testing.B) {
		for b.Loop() {
			Dequantize(x, q, 0.5, 3)
		}
	})
	b.Run("Span", func(b *testing.B) {
		for b.Loop() {
			Span(x)
		}
	})
}
