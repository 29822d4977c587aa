package vec

import (
	"math"
	"slices"
	"testing"
)

func TestIndex(t *testing.T) {
	withEach(t, func(t *testing.T) {
		for n := range 2*indexBlock + 3 {
			s, other := make([]float32, n), make([]float32, n)
			for i := range s {
				s[i], other[i] = float32(i%7), float32(math.NaN())
			}
			for _, x := range []float32{0, 3, 6, 7, float32(math.NaN())} {
				if got, want := Index(s, x), slices.Index(s, x); got != want {
					t.Fatalf("%v in %d numbers: %d, want %d", x, n, got, want)
				}
			}
			if n > 0 {
				s[n-1] = 9
			}
			if got := Index(s, 9); got != n-1 {
				t.Fatalf("the last of %d: %d", n, got)
			}
			at := make([]int64, n)
			for i := range at {
				if other[i] = 3; i%2 == 0 {
					at[i] = -1
				}
			}
			First(at, s, other, 5)
			for i := range at {
				want := int64(0)
				if i%2 == 0 {
					want = -1
					if s[i] == 3 {
						want = 5
					}
				}
				if at[i] != want {
					t.Fatalf("element %d of %d: %d, want %d", i, n, at[i], want)
				}
			}
		}
	})
}
