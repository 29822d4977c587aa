package arena

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/lease"
)

// janitor looks after the I/O arenas whose leases are released by C alone: it
// sleeps until a release passes a cap, or returns a block to a closed arena,
// then drains and evicts.
var janitor struct {
	sync.Mutex // protects all below
	stores     []*store
	started    bool
}

// watch puts s under the janitor's eyes.
func watch(s *store) {
	janitor.Lock()
	defer janitor.Unlock()
	janitor.stores = append(janitor.stores, s)
	if !janitor.started && !invariants.Race {
		janitor.started = true
		go sweepForever()
	}
}

func sweepForever() {
	for {
		seen := atomic.LoadUint32(&lease.SharedWords().Futex)
		sweep()
		lease.Sleep(seen)
	}
}

// finish forgets a closed arena once nothing of it is owned any more: no lease
// can come back to its control. The lock is held.
func (s *store) finish() {
	if s.closed && s.st.LiveBlocks == 0 && s.control != nil {
		lease.FreeControl(s.control)
		if s.adopted != nil {
			lease.FreeControl(s.adopted)
		}
		s.control, s.adopted = nil, nil
		s.freeHeaders()
		forget(s)
	}
}

// freeHeaders gives the headers back. Handles that are left are of generations that
// nobody begins again.
func (s *store) freeHeaders() {
	list := make([]*lease.Header, len(s.blocks))
	for i, b := range s.blocks {
		list[i] = b.lease
	}
	lease.FreeHeaders(list)
	s.blocks, s.records = nil, nil
}

// sweep drains all arenas and forgets those that are closed and empty.
func sweep() {
	janitor.Lock()
	list := slices.Clone(janitor.stores)
	janitor.Unlock()
	for _, s := range list {
		s.mu.Lock()
		s.drain()
		s.finish()
		s.unlock()
	}
}

func forget(s *store) {
	janitor.Lock()
	defer janitor.Unlock()
	janitor.stores = slices.DeleteFunc(janitor.stores, func(o *store) bool { return o == s })
}
