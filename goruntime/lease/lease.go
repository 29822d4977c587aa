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
// sides. Invariant: a header is reachable from exactly one of its arena (free),
// its holders (counted) or one return list.
package lease

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/offheap"
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

// Control is what an arena shares with C: where released headers go and when
// somebody must look after them.
type Control struct {
	Head     uint64 // return list: address of the first header
	Returned uint64 // bytes on the return list, of what was released while there was a Cap
	Retained uint64 // free bytes that the arena held when it looked last
	Cap      uint64 // Retained + Returned above it wakes the janitor; MaxUint64 is never
	_        [4]uint64
}

// Never as Control.Cap wakes nobody.
const Never = ^uint64(0)

// Shared is one word block for the process: the janitor's futex and the flag of
// a forked child, at a fixed place that C is told once.
type Shared struct {
	Futex  uint32 // counts wake-ups; the janitor sleeps on it
	Forked uint32 // 1 in a forked child: nothing is woken there
}

const headersPerChunk = 1024

// table is where headers come from. Chunks are never given back.
var table struct {
	sync.Mutex // protects all below
	free       []*Header
	chunks     []unsafe.Pointer
}

// Cache keeps some free headers beside an arena, under the arena's lock, so that a
// lease in steady state asks the table for nothing.
type Cache []*Header

const cacheSize = 64

var shared atomic.Pointer[Shared]

// Share makes w, which C knows and which is never moved or freed, the process's Shared.
// It is called once, when the program starts.
func Share(w *Shared) {
	if !shared.CompareAndSwap(nil, w) {
		invariants.Bug("the words that leases share were in use already")
	}
}

// SharedWords returns the process's Shared.
func SharedWords() *Shared {
	if w := shared.Load(); w != nil {
		return w
	}
	shared.CompareAndSwap(nil, (*Shared)(mustMap(offheap.Page))) // who comes second leaves a page unused
	return shared.Load()
}

func mustMap(n int) unsafe.Pointer {
	p, err := offheap.MapForever(n)
	if err != nil {
		invariants.Bug("no memory for %d bytes of lease headers: %v", n, err)
	}
	return p
}

// NewControl returns a Control that wakes nobody. It is never given back.
func NewControl() *Control {
	controls.Lock()
	defer controls.Unlock()
	if len(controls.free) == 0 {
		p := mustMap(offheap.Page)
		for i := range offheap.Page / 64 {
			// SAFETY: the page holds as many controls of 64 bytes.
			controls.free = append(controls.free, (*Control)(unsafe.Add(p, i*64)))
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

// New returns a lease with refs references on n bytes at data, in a header from the
// cache of its arena. The last
// release pushes it on c's return list with the arena's number block. bytes is
// what the block retains.
func New(from *Cache, c *Control, data unsafe.Pointer, n, bytes int, block uint64, refs int) Handle {
	h := from.take()
	// SAFETY: a Control is off-heap and stays; data is off-heap too, or adopted
	// memory that its owner keeps until the arena releases it.
	h.Data, h.Size, h.Bytes, h.Control = uint64(uintptr(data)), uint64(n), uint64(bytes), uint64(uintptr(unsafe.Pointer(c)))
	h.Block = block
	gen := uint32(atomic.LoadUint64(&h.State)>>32) + 1
	atomic.StoreUint64(&h.State, uint64(gen)<<32|uint64(refs))
	return Handle{h, gen}
}

func (c *Cache) take() *Header {
	if n := len(*c); n > 0 {
		h := (*c)[n-1]
		*c = (*c)[:n-1]
		return h
	}
	table.Lock()
	defer table.Unlock()
	if len(table.free) == 0 {
		p := mustMap(headersPerChunk * 64)
		for i := headersPerChunk - 1; i >= 0; i-- {
			// SAFETY: the chunk holds as many headers of 64 bytes.
			h := (*Header)(unsafe.Add(p, i*64))
			h.Slot = uint64(len(table.chunks)*headersPerChunk + i)
			table.free = append(table.free, h)
		}
		table.chunks = append(table.chunks, p)
	}
	h := table.free[len(table.free)-1]
	table.free = table.free[:len(table.free)-1]
	return h
}

// InUse returns how many headers are counted.
func InUse() int {
	table.Lock()
	defer table.Unlock()
	n := 0
	for _, p := range table.chunks {
		for i := range headersPerChunk {
			// SAFETY: the chunk holds as many headers of 64 bytes.
			if uint32(atomic.LoadUint64(&(*Header)(unsafe.Add(p, i*64)).State)) != 0 {
				n++
			}
		}
	}
	return n
}

// Recycle takes back headers that were released. Their state stays: no reference of
// the last generation is left, and New begins the next.
func (c *Cache) Recycle(list []*Header) {
	n := min(len(list), cacheSize-len(*c))
	*c = append(*c, list[:n]...)
	give(list[n:])
}

// Close gives the headers back to the table.
func (c *Cache) Close() {
	give(*c)
	*c = nil
}

func give(list []*Header) {
	if len(list) == 0 {
		return
	}
	table.Lock()
	defer table.Unlock()
	table.free = append(table.free, list...)
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

// Address returns the lease's first byte.
func (h Handle) Address() unsafe.Pointer { return ptr(h.Header.Data) }

// Bytes returns how many bytes the holder sees.
func (h Handle) Bytes() int { return int(h.Header.Size) }

// Wake lets the janitor look after the arenas.
func Wake() {
	w := SharedWords()
	if atomic.LoadUint32(&w.Forked) != 0 {
		return
	}
	atomic.AddUint32(&w.Futex, 1)
	futex(&w.Futex, futexWake, 1)
}

// Sleep waits until Wake was called since seen was read from Shared.Futex.
func Sleep(seen uint32) {
	if invariants.Race {
		return
	}
	futex(&SharedWords().Futex, futexWait, seen)
}

const (
	futexWait = 0
	futexWake = 1
)

func futex(word *uint32, op, val uint32) {
	// SAFETY: word lies in memory that is never unmapped. The wait must not hold a P,
	// so it is a full system call.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), uintptr(op), uintptr(val), 0, 0, 0)
}
