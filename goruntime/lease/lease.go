// Package lease holds memory that has left the runtime: reference-counted
// headers that C can count down alone, from any thread, without the Go runtime,
// at interpreter exit and in a forked child.
//
// A header is a 64-byte slot in private off-heap memory that is never unmapped
// and holds no Go pointer. capi/lease.h describes the same layout to C; a test
// compares the two. A Handle is slot and generation: a stale or second release
// finds another generation or no count and is refused.
//
// The last release pushes the header on the return list of its arena's Control;
// the arena takes the whole list with one swap, so no list is popped from two
// sides. Each block of an arena keeps one header for all its leases. Invariant: a header
// is counted, or on one return list, or its arena's to begin a lease with.
package lease

import (
	"sync/atomic"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Handle names one counted lease: slot and generation.
type Handle struct {
	Header     *Header
	Generation uint32
}

// Header is one slot. All fields are written by Go before the first holder sees
// the lease and by the last release; State alone is shared.
type Header struct {
	State   uint64 // generation << 32 | references
	Next    uint64 // the next header on a return list, its address; the lowest bit says that Returned counts Bytes
	Data    uint64 // address of the first byte
	Size    uint64 // bytes that the holder sees
	Bytes   uint64 // bytes that the block retains
	Control uint64 // address of the Control it returns to
	Block   uint64 // the arena's number for the block
	Slot    uint64 // number of this header
}

// Bind says what the leases of h are on until the next Bind: memory at data, of which
// bytes are retained and which the arena knows by the number block. The last release
// pushes h on c's return list. There must be no lease now. How much of it holders see is
// the arena's to set in Size before each.
func (h *Header) Bind(c *Control, data unsafe.Pointer, bytes int, block uint64) {
	// SAFETY: a Control is off-heap and stays; data is off-heap too, or adopted
	// memory that its owner keeps until the arena releases it.
	h.Data, h.Bytes, h.Control, h.Block = uint64(uintptr(data)), uint64(bytes), uint64(uintptr(unsafe.Pointer(c))), block
}

// Generation returns that of the last lease.
func (h *Header) Generation() uint32 { return uint32(atomic.LoadUint64(&h.State) >> 32) }

// Counted reports whether there is a lease now.
func (h *Header) Counted() bool { return uint32(atomic.LoadUint64(&h.State)) != 0 }

// Begin starts the lease of the next generation, with refs references. Without any it
// ends that generation, for nobody to begin. It reports whether it could: false where
// there is a lease now or generation is not the next one.
//
// Concurrency: lock-free; of many with one generation, one can.
func (h *Header) Begin(generation uint32, refs int) (Handle, bool) {
	old := atomic.LoadUint64(&h.State)
	if uint32(old) != 0 || uint32(old>>32)+1 != generation {
		return Handle{}, false
	}
	return Handle{h, generation}, atomic.CompareAndSwapUint64(&h.State, old, uint64(generation)<<32|uint64(refs))
}

// Retain adds a reference.
//
// Errors: errs.Released where the lease was given back already.
func (h Handle) Retain() error {
	for {
		s := atomic.LoadUint64(&h.Header.State)
		if uint32(s>>32) != h.Generation || uint32(s) == 0 {
			return released()
		}
		if atomic.CompareAndSwapUint64(&h.Header.State, s, s+1) {
			return nil
		}
	}
}

// Release drops a reference; the last one returns the block to its arena.
//
// Concurrency: any goroutine; lock-free.
// Errors: errs.Released for a stale handle or one release too many.
func (h Handle) Release() error {
	for {
		s := atomic.LoadUint64(&h.Header.State)
		if uint32(s>>32) != h.Generation || uint32(s) == 0 {
			return released()
		}
		if !atomic.CompareAndSwapUint64(&h.Header.State, s, s-1) {
			continue
		}
		if uint32(s) == 1 {
			h.Header.giveBack()
		}
		return nil
	}
}

func released() error {
	return errs.New(errs.Released, "the lease was released already: each reference is released once")
}

// counted in Next says that the Control's Returned counts the header. Headers are
// aligned to 64 bytes.
const counted = 1

// giveBack pushes the header on its arena's return list. capi/lease.h has the
// same steps in C.
func (h *Header) giveBack() {
	// SAFETY: a Control is never unmapped.
	c := (*Control)(ptr(h.Control))
	// SAFETY: a header is never unmapped, the list may hold its address alone.
	me, mark := uint64(uintptr(unsafe.Pointer(h))), uint64(0)
	if atomic.LoadUint64(&c.Cap) != Never {
		atomic.AddUint64(&c.Returned, h.Bytes)
		mark = counted
	}
	for {
		head := atomic.LoadUint64(&c.Head)
		atomic.StoreUint64(&h.Next, head|mark)
		if atomic.CompareAndSwapUint64(&c.Head, head, me) {
			break
		}
	}
	// Asked after the push: an arena that lowers its cap, sets one or closes first
	// writes the cap, then looks at the list, so one of the two sees the other. By now
	// the header may serve another lease and the Control another arena, which is woken
	// for nothing then.
	top := atomic.LoadUint64(&c.Cap)
	if top != Never && (mark == 0 || atomic.LoadUint64(&c.Returned)+atomic.LoadUint64(&c.Retained) > top) {
		Wake()
	}
}

// ptr turns an off-heap address back into a pointer.
func ptr(address uint64) unsafe.Pointer {
	// SAFETY: the address is of memory from offheap, which the collector does not
	// move or free.
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// Address returns the lease's first byte.
func (h Handle) Address() unsafe.Pointer { return ptr(h.Header.Data) }

// Bytes returns how many bytes the holder sees.
func (h Handle) Bytes() int { return int(h.Header.Size) }
