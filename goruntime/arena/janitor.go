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

// sweep drains all arenas and forgets those that are closed and empty.
func sweep() {
	janitor.Lock()
	list := slices.Clone(janitor.stores)
	janitor.Unlock()
	for _, s := range list {
		s.mu.Lock()
		s.drain()
		over := s.closed && s.st.Live == 0 && s.control != nil
		if over {
			lease.FreeControl(s.control)
			s.control = nil
		}
		s.mu.Unlock()
		if over {
			forget(s)
		}
	}
}

func forget(s *store) {
	janitor.Lock()
	defer janitor.Unlock()
	janitor.stores = slices.DeleteFunc(janitor.stores, func(o *store) bool { return o == s })
}
