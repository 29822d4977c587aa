package arena

import (
	"sync"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/lease"
	"github.com/goruntime/goruntime/goruntime/offheap"
)

// NoCap as RetentionCap keeps free memory up to the default bound: live and
// retained together at most 1.25 times the largest live size since ResetPeak, in an
// ExecutionArena at least 4 MB above it.
const NoCap = -1

// NoLimit as Limit bounds nothing.
const NoLimit = 0

// Options configure an arena. The zero value of Limit is none; RetentionCap is
// given as a pointer because zero is a cap too.
type Options struct {
	Capacity     int    // how many blocks to prepare records for
	RetentionCap *int64 // most bytes of free memory; nil is the default bound
	Limit        int64  // most bytes of live and free memory together; 0 is none
}

// store is what both arenas are made of.
type store struct {
	mu       sync.Mutex // protects all below
	classes  [numClasses]*block
	occupied [(numClasses + 63) / 64]uint64 // classes with free blocks
	slabs    [numClasses][]*slab            // slabs with room, by class
	oldest   *block                         // of the free blocks
	newest   *block
	blocks   []*block // all records
	records  []*block // those of blocks that are gone
	cap      int64    // NoCap, or bytes
	slack    int64    // what the default bound allows above the peak at least
	limit    int64
	closed   bool
	st       Stats
	control  *lease.Control // of an IOArena, else nil
	adopted  *lease.Control // where leases on adopted memory return; nil until there is some
	returned []*lease.Header
	due      []func() // releases of adopted memory, called once the lock is free
}

// unlock frees the lock, then releases adopted memory whose last owner let go:
// foreign code that may come back to the arena.
func (s *store) unlock() {
	if len(s.due) == 0 {
		s.mu.Unlock()
		return
	}
	s.letGo()
}

// letGo is unlock where something is due.
func (s *store) letGo() {
	due := s.due
	s.due = nil
	s.mu.Unlock()
	for _, release := range due {
		release()
	}
}

// newStore returns a store; the blocks of one with a control can be leased.
func newStore(o Options, control *lease.Control) *store {
	s := &store{cap: NoCap, limit: o.Limit, control: control}
	if o.RetentionCap != nil {
		s.cap = *o.RetentionCap
	}
	s.blocks = make([]*block, 0, o.Capacity)
	for range o.Capacity {
		s.records = append(s.records, s.record())
	}
	return s
}

// record adds a record. The lock is held.
func (s *store) record() *block {
	b := &block{num: uint64(len(s.blocks))}
	if invariants.Enabled {
		b.history = &history{}
	}
	if s.control != nil {
		b.lease = lease.NewHeader()
		b.gen = b.lease.Generation() + 1
	}
	s.blocks = append(s.blocks, b)
	return b
}

func (s *store) acquire(n int) (Handle, error) {
	if n < 0 || classOf(n) >= numClasses {
		return Handle{}, errs.New(errs.Memory, "%d bytes asked for: no block is that large", n)
	}
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		s.drain()
		return Handle{}, errs.New(errs.Closed, "the arena is closed")
	}
	c := classOf(n)
	b := s.drainFor(c)
	if b == nil {
		if b = s.find(c, n); b != nil {
			s.unlink(b)
		}
	}
	if b != nil {
		s.st.Hits++
	} else {
		var err error
		if b, err = s.fresh(c, n); err != nil {
			return Handle{}, err
		}
		s.st.Misses++
	}
	return s.enliven(b, n), nil
}

// enliven makes n bytes of b a caller's.
func (s *store) enliven(b *block, n int) Handle {
	b.state = live
	if b.lease != nil {
		b.lease.Size = uint64(n)
	}
	if invariants.Enabled {
		b.history.made = invariants.Caller()
	}
	s.st.Live += int64(b.bytes)
	s.st.LiveBlocks++
	s.st.PeakLive = max(s.st.PeakLive, s.st.Live)
	return Handle{b: b, s: s, size: n, gen: b.gen}
}

// fresh returns a block with new memory. Free blocks go back first where the
// bound or the limit asks for it, the least recently freed first.
func (s *store) fresh(c, asked int) (*block, error) {
	n := int64(classSize(c))
	if err := s.makeRoom(asked, n); err != nil {
		return nil, err
	}
	b := s.gone()
	b.class, b.bytes = c, int(n)
	var err error
	if n < ownMap {
		err = s.carve(b)
	} else {
		b.data, err = offheap.Map(offheap.Round(int(n)))
	}
	if err != nil {
		s.records = append(s.records, b)
		return nil, err
	}
	if b.slab == nil {
		s.st.SystemAllocations++
	}
	if b.lease != nil {
		b.lease.Bind(s.control, b.data, b.bytes, b.num)
	}
	return b, nil
}

func (s *store) gone() *block {
	if k := len(s.records); k > 0 {
		b := s.records[k-1]
		s.records = s.records[:k-1]
		return b
	}
	return s.record()
}

// makeRoom evicts free blocks so that n live bytes more keep the limit and the
// default bound. Where they cannot keep the limit nothing is evicted.
func (s *store) makeRoom(asked int, n int64) error {
	live := s.st.Live + n
	if s.limit != NoLimit {
		if live > s.limit {
			return errs.New(errs.Memory, "%d bytes asked for (a block of %d), %d live and %d retained: the limit is %d bytes", asked, n, s.st.Live, s.st.Retained, s.limit)
		}
		s.evictTo(s.limit - live)
	}
	if s.cap == NoCap {
		s.evictTo(max(0, s.bound(max(s.st.PeakLive, live))-live))
	}
	return nil
}

// bound is what live and retained memory take together at most.
func (s *store) bound(peak int64) int64 { return peak + max(peak/4, s.slack) }

// slack is for runs whose sizes are not planned: they take and give back many blocks of
// a few sizes each.
const slack = 4 << 20

func (s *store) release(h Handle) {
	s.mu.Lock()
	defer s.unlock()
	if h.b.gen != h.gen || h.b.state != live || !h.end() {
		s.misuse(h, "is released a second time, or after it was exported")
		return
	}
	if invariants.Enabled {
		h.b.history.ended = invariants.Caller()
	}
	s.retire(h.b)
	s.finish()
}

// misuse counts a programming error, and panics with the block's history where
// those are looked for.
func (s *store) misuse(h Handle, what string) {
	s.st.Misuses++
	if !invariants.Enabled {
		return
	}
	if h.b == nil {
		invariants.Bug("a handle of nothing %s", what)
	}
	invariants.Bug("a block of %d bytes %s\n%s", h.size, what, h.b.history)
}

// lapse ends the life of a live block.
func (s *store) lapse(b *block) {
	s.st.Live -= int64(b.bytes)
	s.st.LiveBlocks--
	b.gen++
	if invariants.Enabled && b.given == nil {
		poison(b)
	}
}

// retire moves a live block to the free list.
func (s *store) retire(b *block) {
	s.lapse(b)
	if b.given != nil {
		s.due = append(s.due, b.given)
		b.given, b.data, b.state = nil, nil, gone
		s.records = append(s.records, b)
		return
	}
	b.state = free
	s.link(b)
	switch {
	case s.closed:
		s.evictTo(0)
	case s.cap != NoCap:
		s.evictTo(s.cap)
	}
}

// poison fills freed memory, so that a use after release shows.
func poison(b *block) {
	// SAFETY: the block has bytes bytes and no owner.
	mem := unsafe.Slice((*byte)(b.data), b.bytes)
	mem[0] = 0xdb
	for n := 1; n < len(mem); n *= 2 {
		copy(mem[n:], mem[:n])
	}
}
