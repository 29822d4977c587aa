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
	eachLoop(t, func(t *testing.T) {
		sums := []int32{0, 3, 5, math.MaxInt32, math.MinInt32, -3}
		unsigned, signed := []uint8{10, 12, 12, 255, 0, 8}, []int8{-10, -8, -8, 127, -128, -12}
		for n := range 60 {
			list, scales := make([]int32, n), make([]float32, n)
			wantU, wantS := make([]uint8, n), make([]int8, n)
			for i := range list {
				list[i], scales[i], wantU[i], wantS[i] = sums[i%6], 0.5, unsigned[i%6], signed[i%6]
			}
			for _, s := range [][]float32{scales, {0.5}} {
				if len(s) == 0 {
					continue
				}
				u, v := slices.Repeat([]uint8{9}, n+1), slices.Repeat([]int8{9}, n+1)
				Requantize(u[:n], list, s, 10)
				Requantize(v[:n], list, s, -10)
				if !slices.Equal(u[:n], wantU) || !slices.Equal(v[:n], wantS) || u[n] != 9 || v[n] != 9 {
					t.Fatalf("%d sums, %d scales: %v and %v, want %v and %v", n, len(s), u, v, wantU, wantS)
				}
			}
			if Requantize(Bytes(list)[:n], list, []float32{0.5}, 10); !slices.Equal(Bytes(list)[:n], wantU) {
				t.Fatalf("%d sums in their own place: %v, want %v", n, Bytes(list)[:n], wantU)
			}
		}
	})
}

func TestAddProducts(t *testing.T) {
	eachLoop(t, func(t *testing.T) {
		for n := range 40 {
			for _, flip := range []byte{0, Flip} {
				x, sums := make([]byte, n), make([]int32, n)
				for i := range x {
					x[i], sums[i] = byte(i*37), int32(i)
				}
				addProducts(sums, x, flip, 100, -7)
				for i, v := range x {
					if want := int32(i) - 7*(int32(v^flip)-100); sums[i] != want {
						t.Fatalf("%d of %d, flip %#x: %d, want %d", i, n, flip, sums[i], want)
					}
				}
			}
		}
	})
}

func TestTurn(t *testing.T) {
	all := turnVariants
	defer func() { turnVariants = all }()
	for _, list := range [][]turnVariant{all, nil} {
		turnVariants = list
		for _, rows := range []int{0, 1, 3, 15, 16, 17, 48} {
			for _, cols := range []int{0, 1, 7, 16, 33, 64} {
				for _, flip := range []byte{0, Flip} {
					src := make([]byte, rows*(cols+2)+1)
					for i := range src {
						src[i] = byte(i * 7)
					}
					dst := slices.Repeat([]byte{9}, cols*(rows+3)+1)
					Turn(dst, rows+3, src, cols+2, rows, cols, flip)
					for c := range cols {
						for r := range rows + 3 {
							want := byte(9)
							if r < rows {
								want = src[r*(cols+2)+c] ^ flip
							}
							if got := dst[c*(rows+3)+r]; got != want {
								t.Fatalf("%d x %d at %d, %d: %d, want %d", rows, cols, r, c, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Few rows without a gap between the columns: nothing is written behind the last one.
func TestTurnOfFewRows(t *testing.T) {
	all := fewVariants
	defer func() { fewVariants = all }()
	for _, list := range [][]fewVariant{all, nil} {
		fewVariants = list
		for rows := 1; rows <= 5; rows++ {
			for cols := range 70 {
				src := make([]byte, rows*(cols+2))
				for i := range src {
					src[i] = byte(i * 7)
				}
				dst := slices.Repeat([]byte{9}, rows*cols+16)
				Turn(dst, rows, src, cols+2, rows, cols, Flip)
				for i, got := range dst {
					want := byte(9)
					if i < rows*cols {
						want = src[i%rows*(cols+2)+i/rows] ^ Flip
					}
					if got != want {
						t.Fatalf("%d x %d, byte %d: %d, want %d", rows, cols, i, got, want)
					}
				}
			}
		}
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
