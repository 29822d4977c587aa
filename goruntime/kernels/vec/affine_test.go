package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// Affine gives the bits of its operations one by one, also over what it reads.
func TestAffineGivesTheBitsOfItsOperations(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for n := 1; n < 71; n++ {
			for over := range 3 {
				rows, apart := 1+r.IntN(4), n+r.IntN(3)
				src, add := numbers(r, rows*apart), numbers(r, rows*apart)
				times, plus := numbers(r, rows), numbers(r, rows)
				low := [2]float32{float32(math.Inf(-1)), 0}[r.IntN(2)]
				dst, want := make([]float32, rows*apart), make([]float32, rows*apart)
				a := Affine{
					Src: first(src), Times: first(times), Plus: first(plus), N: n, Rows: rows,
					DstStep: 4 * apart, SrcStep: 4 * apart, AddStep: 4 * apart, TimesStep: 4, PlusStep: 4, Low: low,
				}
				if n%2 == 0 || over == 2 {
					a.Add = first(add)
				}
				from := src
				switch over {
				case 1:
					dst = src
				case 2:
					dst = add
				}
				from, plain := slices.Clone(from), slices.Clone(add)
				copy(want, dst)
				for i := range rows {
					row := want[i*apart:][:n]
					Bend(Line, row, from[i*apart:][:n], times[i], plus[i])
					if a.Add != nil {
						Combine(Plus, row, row, plain[i*apart:][:n])
					}
					if low == 0 {
						Apply(Rectifier, row, row)
					}
				}
				a.Dst = unsafe.Pointer(&dst[0])
				a.Run()
				for i := range want {
					if dst[i] != want[i] && (dst[i] == dst[i] || want[i] == want[i]) {
						t.Fatalf("%d rows of %d, over %d: element %d is %v, want %v", rows, n, over, i, dst[i], want[i])
					}
				}
			}
		}
	})
}
