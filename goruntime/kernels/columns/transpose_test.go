package columns

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	t.Run("bytes", func(t *testing.T) { transposes(t, func() uint8 { return uint8(r.Uint32()) }) })
	t.Run("words of 2 bytes", func(t *testing.T) { transposes(t, func() uint16 { return uint16(r.Uint32()) }) })
	t.Run("words of 4 bytes", func(t *testing.T) { transposes(t, r.Uint32) })
	t.Run("words of 8 bytes", func(t *testing.T) { transposes(t, r.Uint64) })
	t.Run("words of 16 bytes", func(t *testing.T) { transposes(t, func() [2]uint64 { return [2]uint64{r.Uint64(), 1} }) })
}

func transposes[T comparable](t *testing.T, draw func() T) {
	for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 16, 63, 64, 65, 71, 130} {
		for _, k := range []int{0, 1, 2, 4, 5, 8, 11, 64, 65, 72, 100, 129} {
			step := n + k%3 // rows may lie apart
			src, dst := make([]T, k*step+n), make([]T, n*k+8)
			for i := range src {
				src[i] = draw()
			}
			for i := range dst {
				dst[i] = draw()
			}
			behind := append([]T(nil), dst[n*k:]...)
			Transpose(dst[:n*k], src, n, k, step)
			for i := range n {
				for j := range k {
					if got, want := dst[i*k+j], src[i+j*step]; got != want {
						t.Fatalf("%d x %d, element %d of row %d: %v, want %v", n, k, j, i, got, want)
					}
				}
			}
			for i, x := range behind {
				if dst[n*k+i] != x {
					t.Fatalf("%d x %d: element %d behind the end was written", n, k, i)
				}
			}
		}
	}
}

func BenchmarkTranspose(b *testing.B) {
	for _, s := range [][2]int{{32, 65}, {256, 512}, {1024, 1024}} {
		b.Run(fmt.Sprintf("f32/%dx%d", s[0], s[1]), func(b *testing.B) {
			src, dst := make([]float32, s[0]*s[1]), make([]float32, s[0]*s[1])
			b.SetBytes(int64(8 * len(src)))
			for b.Loop() {
				Transpose(dst, src, s[0], s[1], s[0])
			}
		})
	}
}
