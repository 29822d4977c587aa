package flight

import (
	"sync"

	"google.golang.org/grpc/mem"
)

// frames is gRPC's pool of receive buffers. Unlike gRPC's own it does not clear them,
// which would write every buffer once more than it is read; a frame is cut to what was
// received before anything looks at it.
type frames struct{ tiers []tier }

type tier struct {
	size int
	pool *sync.Pool
}

var _ mem.BufferPool = (*frames)(nil)

// newFrames returns a pool of buffers of these sizes, ascending.
func newFrames(sizes ...int) *frames {
	f := &frames{}
	for _, n := range sizes {
		f.tiers = append(f.tiers, tier{n, &sync.Pool{New: func() any {
			b := make([]byte, n)
			return &b
		}}})
	}
	return f
}

// Get returns a buffer of n bytes, of any content.
func (f *frames) Get(n int) *[]byte {
	for _, t := range f.tiers {
		if n <= t.size {
			b, _ := t.pool.Get().(*[]byte)
			*b = (*b)[:n]
			return b
		}
	}
	b := make([]byte, n)
	return &b
}

// Put takes a buffer back.
func (f *frames) Put(b *[]byte) {
	for _, t := range f.tiers {
		if cap(*b) == t.size {
			t.pool.Put(b)
			return
		}
	}
}
