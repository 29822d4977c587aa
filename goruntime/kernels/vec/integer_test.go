package vec

import (
	"math/rand/v2"
	"testing"
)

func TestIntegers(t *testing.T) {
	is := [integers]func(x, y uint32) uint32{
		BitAnd: func(x, y uint32) uint32 { return x & y }, BitOr: func(x, y uint32) uint32 { return x | y }, BitXor: func(x, y uint32) uint32 { return x ^ y },
		IntPlus: func(x, y uint32) uint32 { return x + y }, IntMinus: func(x, y uint32) uint32 { return x - y }, IntTimes: func(x, y uint32) uint32 { return x * y },
	}
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for o := range integers {
			for n := range 80 {
				a, b, dst := make([]uint32, n), make([]uint32, n), make([]uint32, n+1)
				for i := range a {
					a[i], b[i] = r.Uint32(), r.Uint32()
				}
				for _, y := range [][]uint32{b, b[:min(1, n)]} {
					dst[n] = 77
					Integers(o, dst[:n], a, y)
					for i := range a {
						if want := is[o](a[i], y[i%len(y)]); dst[i] != want {
							t.Fatalf("operation %d of %d, element %d: %x, want %x", o, n, i, dst[i], want)
						}
					}
					if dst[n] != 77 {
						t.Fatalf("operation %d of %d: written behind the end", o, n)
					}
				}
				if o > BitXor {
					continue
				}
				x, y, z := make([]byte, 5*n), make([]byte, 5*n), make([]byte, 5*n+1)
				for i := range x {
					x[i], y[i] = byte(r.Uint32()), byte(r.Uint32())
				}
				for _, y := range [][]byte{y, y[:min(1, 5*n)]} {
					Bits(o, z[:5*n], x, y)
					for i := range x {
						if want := byte(is[o](uint32(x[i]), uint32(y[i%len(y)]))); z[i] != want {
							t.Fatalf("operation %d of %d bytes, byte %d: %x, want %x", o, 5*n, i, z[i], want)
						}
					}
					if z[5*n] != 0 {
						t.Fatalf("operation %d of %d bytes: written behind the end", o, 5*n)
					}
				}
			}
		}
	})
}
