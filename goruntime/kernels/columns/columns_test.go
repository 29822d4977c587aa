package columns

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe" //lint:allow unsafe columns are addresses
)

// cut returns columns of n rows of random bytes, each starting somewhere, and what
// their rows [lo, hi) are.
func cut(r *rand.Rand, n, k, lo, hi, width int) (from []unsafe.Pointer, want []byte) {
	want = make([]byte, (hi-lo)*k*width)
	for c := range k {
		skip := 1 + r.IntN(9)
		column := make([]byte, skip+n*width)
		for i := range column {
			column[i] = byte(r.Uint32())
		}
		column = column[skip:]
		from = append(from, unsafe.Pointer(unsafe.SliceData(column)))
		for i := lo; i < hi; i++ {
			copy(want[((i-lo)*k+c)*width:][:width], column[i*width:])
		}
	}
	return from, want
}

func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{1, 2, 4, 8} {
		for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30, 100} {
			for _, n := range []int{1, 3, 4, 7, 8, 9, 16, 63, 64, 65, 200} {
				lo := r.IntN(n)
				hi := lo + 1 + r.IntN(n-lo)
				for _, part := range [][2]int{{0, n}, {lo, hi}, {lo, lo}} {
					from, want := cut(r, n, k, part[0], part[1], width)
					got := make([]byte, len(want)+16)
					for i := range got {
						got[i] = 0xA5
					}
					Gather(unsafe.Pointer(&got[0]), from, part[0], part[1], width)
					if string(got[:len(want)]) != string(want) {
						t.Fatalf("width %d, %d rows %v of %d columns: wrong bytes", width, n, part, k)
					}
					for i, b := range got[len(want):] {
						if b != 0xA5 {
							t.Fatalf("width %d, %d rows %v of %d columns: byte %d behind the end was written", width, n, part, k, i)
						}
					}
				}
			}
		}
	}
}

func BenchmarkGather(b *testing.B) {
	for _, k := range []int{10, 30, 100} {
		b.Run(fmt.Sprintf("f32/10000x%d", k), func(b *testing.B) {
			from, out := cut(rand.New(rand.NewPCG(1, 2)), 10000, k, 0, 10000, 4)
			b.SetBytes(int64(len(out)))
			for b.Loop() {
				Gather(unsafe.Pointer(&out[0]), from, 0, 10000, 4)
			}
		})
	}
}
