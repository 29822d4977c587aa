package sequence

import (
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// piece is where a part of a tensor lies along an axis: [outer, lo:lo+n of all,
// inner].
type piece struct{ outer, all, lo, n, inner int }

// move copies the piece of whole to part, or from part where join is set. Elements
// below a byte are spread for it.
func (p piece) move(whole, part *tensor.View, join bool) {
	bits := whole.DType.Bits()
	w, q, size := whole.Raw(), part.Raw(), bits/8
	if bits < 8 {
		w, q, size = make([]byte, whole.Elements()), make([]byte, part.Elements()), 1
		tensor.Unpack(w, whole.Raw(), bits)
		tensor.Unpack(q, part.Raw(), bits)
	}
	row := p.n * p.inner * size
	for o := range p.outer {
		a, b := w[(o*p.all+p.lo)*p.inner*size:][:row], q[o*row:][:row]
		if join {
			a, b = b, a
		}
		copy(b, a)
	}
	switch {
	case bits >= 8:
	case join:
		tensor.Pack(whole.Raw(), w, bits)
	default:
		tensor.Pack(part.Raw(), q, bits)
	}
}
