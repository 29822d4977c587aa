package lease

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/offheap"
)

// Control is what an arena shares with C: where released headers go and when
// somebody must look after them.
type Control struct {
	Head     uint64 // return list: address of the first header
	Returned uint64 // bytes on the return list, of what was released while there was a Cap
	Retained uint64 // free bytes that the arena held when it looked last
	Cap      uint64 // Retained + Returned above it wakes the janitor; Never wakes nobody
	_        [4]uint64
}

const controlSize = int(unsafe.Sizeof(Control{}))

// Never as Control.Cap wakes nobody.
const Never = ^uint64(0)

// NewControl returns a Control that wakes nobody, for FreeControl to take back. Its memory
// is never unmapped.
func NewControl() *Control {
	controls.Lock()
	defer controls.Unlock()
	if len(controls.free) == 0 {
		p := mustMap(offheap.Page)
		for i := range offheap.Page / controlSize {
			// SAFETY: the page holds as many controls.
			controls.free = append(controls.free, (*Control)(unsafe.Add(p, i*controlSize)))
		}
	}
	c := controls.free[len(controls.free)-1]
	controls.free = controls.free[:len(controls.free)-1]
	c.reset()
	return c
}

// reset prepares c for an arena. A release that pushed its header on c for the
// arena before may still read it.
func (c *Control) reset() {
	for _, word := range []*uint64{&c.Head, &c.Returned, &c.Retained} {
		atomic.StoreUint64(word, 0)
	}
	atomic.StoreUint64(&c.Cap, Never)
}

var controls struct {
	sync.Mutex // protects free
	free       []*Control
}

// FreeControl takes back a Control that no lease refers to.
func FreeControl(c *Control) {
	controls.Lock()
	defer controls.Unlock()
	controls.free = append(controls.free, c)
}

// Drain takes all headers from c's return list.
func (c *Control) Drain(dst []*Header) []*Header {
	if atomic.LoadUint64(&c.Head) == 0 {
		return dst
	}
	for at := atomic.SwapUint64(&c.Head, 0); at != 0; {
		// SAFETY: the list holds addresses of headers only.
		h := (*Header)(ptr(at))
		next := atomic.LoadUint64(&h.Next)
		if next&counted != 0 {
			atomic.AddUint64(&c.Returned, -h.Bytes)
		}
		at = next &^ counted
		dst = append(dst, h)
	}
	return dst
}
