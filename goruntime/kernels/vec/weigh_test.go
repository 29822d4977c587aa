package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every variant rounds each product and each sum, in the order of the rows.
func TestWeigh(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, rows := range [][]int32{{0}, {2}, {1, 1}, {3, 0, 2}, {0, 0, 1, 4}, {4, 3, 2, 1, 0, 1, 2}} {
			for n := range 71 {
				step := n + 3
				src, weights := numbers(r, 5*step), numbers(r, len(rows))
				dst := make([]float32, n+1)
				dst[n] = 7
				Weigh(dst[:n], src, step, rows, weights)
				for i := range n {
					want := float32(src[int(rows[0])*step+i] * weights[0])
					for k := 1; k < len(rows); k++ {
						want += float32(src[int(rows[k])*step+i] * weights[k])
					}
					if got := dst[i]; math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
						t.Fatalf("rows %v of %d: element %d is %v, want %v", rows, n, i, got, want)
					}
				}
				if dst[n] != 7 {
					t.Fatalf("rows %v of %d: written behind the end", rows, n)
				}
			}
		}
	})
}
