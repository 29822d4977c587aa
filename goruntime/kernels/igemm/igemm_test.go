package igemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// each runs f under every available variant.
func each(t *testing.T, f func(t *testing.T)) {
	all := variants
	defer func() { variants = all }()
	for _, v := range all {
		if v.available() {
			variants = []variant{v}
			t.Run(v.name, f)
		}
	}
}

func bytesOf(r *rand.Rand, n int) []byte {
	s := make([]byte, n)
	for i := range s {
		switch r.IntN(4) {
		case 0:
			s[i] = 0x80
		case 1:
			s[i] = 0xff
		default:
			s[i] = byte(r.Uint32())
		}
	}
	return s
}

func TestProductsAreExact(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, m := range []int{1, 2, 3, 4, 5, 7, 11, 12, 13, 25} {
			for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 70} {
				for _, k := range []int{0, 1, 3, 4, 5, 8, 64, 257} {
					check(t, r, m, n, k)
				}
			}
		}
	})
}

func check(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	a, b := bytesOf(r, m*Depths(k)), bytesOf(r, k*n)
	packed := make([]byte, PackedSize(k, n))
	PackB(packed, b, k, n, n, 1, 0)
	turned := make([]byte, k*n)
	for i := range k {
		for j := range n {
			turned[j*k+i] = b[i*n+j] ^ Flip
		}
	}
	again := make([]byte, len(packed))
	PackB(again, turned, k, n, 1, k, Flip)
	if !slices.Equal(packed, again) {
		t.Fatalf("%d x %d: a flipped transpose is packed differently", k, n)
	}
	sums := make([]int32, n)
	ColumnSums(sums, packed, k, n)
	init := make([]int32, n)
	for j := range init {
		init[j] = r.Int32() - 1<<30
	}
	for _, start := range [][]int32{nil, init} {
		got := slices.Repeat([]int32{77}, m*(n+1))
		g := &Args{M: m, N: n, K: k, A: a, LDA: Depths(k), B: packed, C: got, LDC: n + 1, Init: start}
		Run(g, 0, m, 0, n)
		for i := range m {
			for j := range n {
				want, sum := int32(0), int32(0)
				if start != nil {
					want = start[j]
				}
				for x := range k {
					want += int32(a[i*Depths(k)+x]) * int32(int8(b[x*n+j]))
					sum += int32(int8(b[x*n+j]))
				}
				if got[i*(n+1)+j] != want || sums[j] != sum {
					t.Fatalf("%dx%dx%d at %d,%d: %d, want %d; the column's sum is %d, want %d", m, n, k, i, j, got[i*(n+1)+j], want, sums[j], sum)
				}
			}
			if got[i*(n+1)+n] != 77 {
				t.Fatalf("%dx%dx%d: memory beside row %d was written", m, n, k, i)
			}
		}
	}
}

func TestPartsAddUp(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		const m, n, k = 29, 75, 40
		a, b := bytesOf(r, m*k), bytesOf(r, k*n)
		packed := make([]byte, PackedSize(k, n))
		PackB(packed, b, k, n, n, 1, 0)
		whole, parts := make([]int32, m*n), make([]int32, m*n)
		g := Args{M: m, N: n, K: k, A: a, LDA: k, B: packed, C: whole, LDC: n}
		Run(&g, 0, m, 0, n)
		g.C = parts
		for _, rows := range [][2]int{{0, 5}, {5, 29}} {
			for _, cols := range [][2]int{{0, 32}, {32, 75}} {
				Run(&g, rows[0], rows[1], cols[0], cols[1])
			}
		}
		if !slices.Equal(whole, parts) {
			t.Error("parts differ from the whole")
		}
	})
}

func BenchmarkRun(b *testing.B) {
	for _, s := range [][3]int{{128, 384, 384}, {1, 1024, 512}, {784, 128, 512}} {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("%dx%dx%d", m, n, k), func(b *testing.B) {
			g := &Args{M: m, N: n, K: k, A: make([]byte, m*k), LDA: k, B: make([]byte, PackedSize(k, n)), C: make([]int32, m*n), LDC: n}
			for b.Loop() {
				Run(g, 0, m, 0, n)
			}
			b.ReportMetric(2*float64(m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GOP/s")
		})
	}
}
