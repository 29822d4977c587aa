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
		s.headers.Close()
		forget(s)
	}
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
