package arena

import (
	"sync/atomic"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/lease"
	"github.com/goruntime/goruntime/goruntime/own"
)

// ExecutionArena holds the memory of what dies inside a run: slabs of planned
// intermediates, values of unknown size, workspaces.
//
// Ownership: New gives it to the caller, Close ends it.
// Concurrency: all methods are safe from any goroutine.
type ExecutionArena struct {
	s     *store
	watch own.Watch
}

// NewExecution returns an empty arena.
func NewExecution(o Options) *ExecutionArena {
	a := &ExecutionArena{s: newStore(o, nil)}
	a.s.slack = slack
	a.watch = own.Over(a, "ExecutionArena")
	return a
}

// Acquire returns a block of at least n bytes, 64-byte aligned, not cleared.
//
// Errors: errs.Memory at the limit, errs.Closed after Close.
func (a *ExecutionArena) Acquire(n int) (Handle, error) { return a.s.acquire(n) }

// IOArena holds the memory of what leaves a run: outputs, and copies of inputs
// that had to be made. Its blocks can be exported as leases.
//
// Ownership and concurrency: as ExecutionArena. Blocks that are leased outlive
// Close; the last release gives them back to the system.
type IOArena struct {
	s     *store // apart, so that an arena that was dropped is seen to be: the janitor holds stores
	watch own.Watch
}

// NewIO returns an empty arena.
func NewIO(o Options) *IOArena {
	a := &IOArena{s: newStore(o, lease.NewControl())}
	a.watch = own.Over(a, "IOArena")
	a.s.publish()
	watch(a.s)
	return a
}

// Acquire returns a block of at least n bytes, 64-byte aligned, not cleared.
//
// Errors: errs.Memory at the limit, errs.Closed after Close.
func (a *IOArena) Acquire(n int) (Handle, error) { return a.s.acquire(n) }

// Export turns the handle's block into a lease with refs references. The handle
// is dead after the call; no byte moves.
//
// Concurrency: lock-free: the owner of a live block is alone with it.
// Errors: errs.Internal for a block that is not live in this arena, which is misuse.
func (a *IOArena) Export(h Handle, refs int) (lease.Handle, error) {
	if h.s == a.s {
		if l, ok := h.b.lease.Begin(h.gen, refs); ok {
			if invariants.Enabled {
				a.s.mu.Lock()
				h.b.history.ended = invariants.Caller()
				a.s.mu.Unlock()
			}
			return l, nil
		}
	}
	a.s.mu.Lock()
	defer a.s.unlock()
	a.s.misuse(h, "was exported and is not live in this arena")
	return lease.Handle{}, errs.New(errs.Internal, "a block that is not live in this arena was exported")
}

// Adopt makes n bytes of foreign memory a live block of the arena; release is
// called once, soon after the last owner gave it back, on any goroutine, and may
// use the arena. The memory counts as live and is never reused.
//
// Ownership: taken, also on an error: release is called then too.
// Errors: errs.Memory at the limit, errs.Closed after Close.
func (a *IOArena) Adopt(p unsafe.Pointer, n int, release func()) (Handle, error) {
	s := a.s
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		s.due = append(s.due, release)
		return Handle{}, errs.New(errs.Closed, "the arena is closed")
	}
	s.drain()
	if err := s.makeRoom(n, int64(n)); err != nil {
		s.due = append(s.due, release)
		return Handle{}, err
	}
	if s.adopted == nil {
		s.adopted = lease.NewControl()
		atomic.StoreUint64(&s.adopted.Cap, 0) // it serves no other request: every release wakes the janitor
	}
	b := s.gone()
	b.data, b.bytes, b.class, b.given = p, n, 0, release
	b.lease.Bind(s.adopted, p, max(n, 1), b.num) // no bytes would pass no cap
	return s.enliven(b, n), nil
}

// Drain takes back what was released in C since the arena looked last, adopted memory
// too. All that acquires or counts does so by itself.
func (a *IOArena) Drain() {
	a.s.mu.Lock()
	defer a.s.unlock()
	a.s.drain()
}

// Holds reports whether h is a block of this arena.
func (a *IOArena) Holds(h Handle) bool { return h.s == a.s }

// Owns reports whether p points into memory of the arena that is live, leased
// or free.
func (a *IOArena) Owns(p unsafe.Pointer) bool { return a.s.owns(p) }

// Owns reports whether p points into memory of the arena.
func (a *ExecutionArena) Owns(p unsafe.Pointer) bool { return a.s.owns(p) }

// CountCopy notes that a run had to copy n bytes of payload.
func (a *IOArena) CountCopy(why CopyReason, n int) {
	a.s.mu.Lock()
	defer a.s.unlock()
	a.s.st.Copies[why]++
	a.s.st.CopiedBytes[why] += int64(n)
}

// CountMigration notes that n bytes had to move between the arenas because a
// kernel put an output into the wrong one.
func (a *IOArena) CountMigration(n int) {
	a.s.mu.Lock()
	defer a.s.unlock()
	a.s.st.Migrations++
	a.s.st.MigratedBytes += int64(n)
}

func (s *store) owns(p unsafe.Pointer) bool {
	s.mu.Lock()
	defer s.unlock()
	at := uintptr(p)
	for _, b := range s.blocks {
		if b.state != gone && at >= uintptr(b.data) && at < uintptr(b.data)+uintptr(max(b.bytes, 1)) {
			return true
		}
	}
	return false
}

// noClass is a class that no block has.
const noClass = -1

// drain takes what leases returned, until there is nothing more: a release that
// pushed before it could see what publish wrote wakes nobody. The lock is held.
func (s *store) drain() { s.drainFor(noClass) }

// drainFor is drain for who is about to acquire a block of class c: the first such
// that comes back does not pass through the free list, but is returned, with no
// owner. Without one it returns nil.
func (s *store) drainFor(c int) (kept *block) {
	if s.control == nil {
		return nil
	}
	for {
		s.returned = s.control.Drain(s.returned[:0])
		if s.adopted != nil {
			s.returned = s.adopted.Drain(s.returned)
		}
		if len(s.returned) == 0 {
			return kept
		}
		for _, h := range s.returned {
			b := s.blocks[h.Block]
			if kept == nil && b.class == c && b.given == nil {
				s.lapse(b)
				kept = b
			} else {
				s.retire(b)
			}
		}
	}
}

// publish tells C how much is retained and from where on the janitor is wanted.
func (s *store) publish() {
	if s.control == nil {
		return
	}
	top := lease.Never
	switch {
	case s.closed:
		top = 0
	case s.cap != NoCap:
		top = uint64(s.cap)
	case atomic.LoadUint64(&s.control.Cap) == lease.Never:
		return // what is retained passes no cap
	}
	atomic.StoreUint64(&s.control.Retained, uint64(s.st.Retained))
	atomic.StoreUint64(&s.control.Cap, top)
}

// SetRetentionCap bounds the free memory to n bytes, or takes the bound away
// with NoCap. What is above it goes back to the system at once.
func (a *ExecutionArena) SetRetentionCap(n int64) { a.s.setCap(n) }

// SetRetentionCap is as for ExecutionArena.
func (a *IOArena) SetRetentionCap(n int64) { a.s.setCap(n) }

func (s *store) setCap(n int64) {
	s.mu.Lock()
	defer s.unlock()
	s.cap = n
	s.publish() // before draining, so that no release goes unnoticed
	s.drain()
	if n != NoCap {
		s.evictTo(n)
	}
}

// RetentionCap returns the cap, NoCap where there is none.
func (a *ExecutionArena) RetentionCap() int64 { return a.s.getCap() }

// RetentionCap is as for ExecutionArena.
func (a *IOArena) RetentionCap() int64 { return a.s.getCap() }

func (s *store) getCap() int64 {
	s.mu.Lock()
	defer s.unlock()
	return s.cap
}

// Limit returns the hard bound on live and retained bytes, 0 where there is
// none.
func (a *ExecutionArena) Limit() int64 { return a.s.limit }

// Limit is as for ExecutionArena.
func (a *IOArena) Limit() int64 { return a.s.limit }

// Trim gives all free memory back to the system and returns how many bytes.
func (a *ExecutionArena) Trim() int64 { return a.s.shrink(0) }

// Trim is as for ExecutionArena.
func (a *IOArena) Trim() int64 { return a.s.shrink(0) }

// Shrink gives free memory back until at most target bytes are retained, and
// returns how many bytes went.
func (a *ExecutionArena) Shrink(target int64) int64 { return a.s.shrink(target) }

// Shrink is as for ExecutionArena.
func (a *IOArena) Shrink(target int64) int64 { return a.s.shrink(target) }

func (s *store) shrink(target int64) int64 {
	s.mu.Lock()
	defer s.unlock()
	s.drain()
	return s.evictTo(max(0, target))
}

// ResetPeak lets the peak, and with it the default bound, start from what is
// live now.
func (a *ExecutionArena) ResetPeak() { a.s.resetPeak() }

// ResetPeak is as for ExecutionArena.
func (a *IOArena) ResetPeak() { a.s.resetPeak() }

func (s *store) resetPeak() {
	s.mu.Lock()
	defer s.unlock()
	s.drain()
	s.st.PeakLive = s.st.Live
}

// Close gives all free memory back. Blocks that are still owned go back when
// their owners let go.
func (a *ExecutionArena) Close() {
	a.watch.End()
	a.s.close()
}

// Close is as for ExecutionArena.
func (a *IOArena) Close() {
	a.watch.End()
	a.s.close()
}

func (s *store) close() {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.publish() // before draining, so that no release goes unnoticed
	s.drain()
	s.evictTo(0)
	s.finish()
}
