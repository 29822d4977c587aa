package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

var related = [relations]func(x, y float64) bool{
	Equal:   func(x, y float64) bool { return x == y },
	More:    func(x, y float64) bool { return x > y },
	Less:    func(x, y float64) bool { return x < y },
	NotLess: func(x, y float64) bool { return x >= y },
	NotMore: func(x, y float64) bool { return x <= y },
}

func TestRelations(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		for n := range 71 {
			floats, whole, long := numbers(r, 2*n+1), make([]int32, 2*n+1), make([]int64, 2*n+1)
			for i := range whole {
				whole[i] = int32(r.IntN(5)) - 2
				if r.IntN(9) == 0 {
					whole[i] = []int32{math.MaxInt32, math.MinInt32}[r.IntN(2)]
				}
				long[i] = int64(whole[i]) << 20
			}
			relatesAll(t, floats)
			relatesAll(t, whole)
			relatesAll(t, long)
		}
	})
}

// relatesAll checks every relation of the first half of a list to the second, and to the
// last number.
func relatesAll[T Number](t *testing.T, list []T) {
	t.Helper()
	n := len(list) / 2
	for rel := range relations {
		for _, y := range [][]T{list[n : 2*n], list[2*n:]} {
			if len(y) == 0 {
				continue
			}
			dst := make([]bool, n+1)
			Relate(rel, dst[:n], list[:n], y)
			for i, x := range list[:n] {
				if want := related[rel](float64(x), float64(y[i%len(y)])); dst[i] != want {
					t.Fatalf("relation %d of %v and %v, %d of %d: %v", rel, x, y[i%len(y)], i, n, dst[i])
				}
			}
			if dst[n] {
				t.Fatalf("relation %d writes beyond element %d", rel, n)
			}
		}
	}
}
