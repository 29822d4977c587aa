package igemm

import (
	"math"
	"slices"
	"testing"
)

func TestSpan(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		x         []float32
		low, high float32
	}{
		{nil, 0, 0},
		{[]float32{3, 5}, 0, 5},
		{[]float32{-3, nan, -5}, -5, 0},
		{[]float32{nan, -1, 2, nan}, -1, 2},
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

func TestQuantize(t *testing.T) {
	each(t, func(t *testing.T) {
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
