package vec

import (
	"math/rand/v2"
	"testing"
)

func TestChoose(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := 1; n < 90; n++ {
			x, y, cond, dst := make([]uint32, n), make([]uint32, n), make([]bool, n), make([]uint32, n+1)
			for i := range x {
				x[i], y[i], cond[i] = r.Uint32(), r.Uint32(), r.IntN(2) == 0
			}
			for form := range 4 {
				a, b := x, y
				if form&1 != 0 {
					a = x[:1]
				}
				if form&2 != 0 {
					b = y[:1]
				}
				dst[n] = 77
				Choose(dst[:n], cond, a, b)
				for i, c := range cond {
					want := b[i%len(b)]
					if c {
						want = a[i%len(a)]
					}
					if dst[i] != want {
						t.Fatalf("form %d of %d, element %d: %x, want %x", form, n, i, dst[i], want)
					}
				}
				if dst[n] != 77 {
					t.Fatalf("form %d of %d: written behind the end", form, n)
				}
			}
		}
	})
}
