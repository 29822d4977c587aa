package vec

import (
	"math/rand/v2"
	"testing"
)

func TestBits(t *testing.T) {
	is := [bitwises]func(x, y byte) byte{
		BitAnd: func(x, y byte) byte { return x & y }, BitOr: func(x, y byte) byte { return x | y }, BitXor: func(x, y byte) byte { return x ^ y },
	}
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for o := range bitwises {
			for n := range 80 {
				x, y, z := make([]byte, 5*n), make([]byte, 5*n), make([]byte, 5*n+1)
				for i := range x {
					x[i], y[i] = byte(r.Uint32()), byte(r.Uint32())
				}
				for _, y := range [][]byte{y, y[:min(1, 5*n)]} {
					Bits(o, z[:5*n], x, y)
					for i := range x {
						if want := is[o](x[i], y[i%len(y)]); z[i] != want {
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
