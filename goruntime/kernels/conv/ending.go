package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/chain"
)

// ending applies the tail of a run to what a chunk wrote.
type ending struct {
	tail   *chain.Bound
	room   []float32
	lo, hi int // elements that lie side by side and wait for more
}

// waiting is how many elements wait at most: what is in the cache.
const waiting = 4 << 10

func (p *Plan) ending(scratch unsafe.Pointer) ending {
	e := ending{tail: p.a.Tail}
	if e.tail != nil && e.tail.Scratch() > 0 {
		// SAFETY: the scratch of the tail lies behind that of the convolution.
		e.room = unsafe.Slice((*float32)(unsafe.Add(scratch, p.ends)), e.tail.Scratch())
	}
	return e
}

// add ends the pixels [n0, n1) of the filters [m0, m1) of an image; whole planes
// wait for those that follow.
func (e *ending) add(p *Plan, image, m0, m1, n0, n1 int) {
	if e.tail == nil {
		return
	}
	lo := (image*p.s.M+m0)*p.pixels + n0
	if n1-n0 < p.pixels {
		e.tail.Rows(lo, n1-n0, p.pixels, m1-m0, e.room)
		return
	}
	if lo != e.hi || e.hi-e.lo >= waiting {
		e.flush()
		e.lo = lo
	}
	e.hi = lo + (m1-m0)*p.pixels
}

// flush ends what waits.
func (e *ending) flush() {
	if e.tail != nil && e.hi > e.lo {
		e.tail.Run(e.lo, e.hi, e.room)
	}
	e.lo = e.hi
}
