package arena

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/lease"
)

// state is where a block is in its life.
type state uint8

const (
	gone state = iota // no memory: the record waits for the next block
	free              // kept for reuse
	live              // owned by a Handle or by a lease
)

// block is the record of one piece of memory. Records are reused, the
// generation tells handles of an earlier life.
type block struct {
	data  unsafe.Pointer
	bytes int // what the block retains: its class size
	class int
	num   uint64 // index in store.blocks
	gen   uint32
	state state
	slab  *slab         // that it was carved from, nil where it has a map of its own
	given func()        // releases adopted memory, nil otherwise
	lease *lease.Header // of all its leases, in an IOArena: gen is the next one's generation while a Handle owns the block

	history *history // under the invariants tag, else nil

	older, newer *block // free blocks by when they were freed
	above, below *block // free blocks of the class, the newest on top
}

// history is who had a block last.
type history struct{ made, ended invariants.Stack }

func (h *history) String() string {
	return "acquired by\n" + h.made.String() + "ended by\n" + h.ended.String()
}

// Handle owns one live block. It is moved, not copied: whoever has the last
// copy releases it, once. The zero Handle owns nothing.
type Handle struct {
	b    *block
	s    *store
	size int
	gen  uint32
}

// Valid reports whether h owns a block.
func (h Handle) Valid() bool { return h.b != nil }

// Data returns the first byte, 64-byte aligned.
func (h Handle) Data() unsafe.Pointer { return h.b.data }

// Size returns the bytes that were asked for.
func (h Handle) Size() int { return h.size }

// Capacity returns the bytes that the block retains.
func (h Handle) Capacity() int { return h.b.bytes }

// Release gives the block back to its arena. A second release of the same
// block is a bug: it panics under the invariants tag and is otherwise counted
// as Stats.Misuses, without harm to the free lists.
func (h Handle) Release() {
	if h.b != nil {
		h.s.release(h)
	}
}

// end takes the block from its other copies, which can then neither export nor release it.
func (h Handle) end() bool {
	if h.b.lease == nil {
		return true
	}
	_, ok := h.b.lease.Begin(h.gen, 0)
	return ok
}

// smallest size that gets a map of its own: smaller blocks share slabs, so that
// one held block keeps no more than a slab.
const ownMap = slabBytes / 4
