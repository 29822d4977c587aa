package arena

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/lease"
)

func TestCloseWithLiveBlocks(t *testing.T) {
	testkit.NoLeaks(t)
	both(t, Options{}, func(t *testing.T, a acquirer) {
		h, free := mustAcquire(t, a, 1<<20), mustAcquire(t, a, 1<<20)
		free.Release()
		fill(h, 9)
		a.Close()
		a.Close()
		if !reads(h, 9) {
			t.Error("Close took a live block")
		}
		if _, err := a.Acquire(1); errs.CodeOf(err) != errs.Closed {
			t.Errorf("Acquire after Close: %v", err)
		}
		h.Release()
		if st := a.Stats(); st.Live+st.Retained != 0 {
			t.Errorf("a block that came back after Close is kept: %+v", st)
		}
	})
}

func TestExportAfterClose(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	h := mustAcquire(t, a, 4096)
	a.Close()
	l := mustExport(t, a, h, 1)
	mustRelease(t, l)
	if !testkit.Settles(func() bool { return a.Stats().Live == 0 }) {
		t.Errorf("%+v", a.Stats())
	}
}

func TestAdoptAfterClose(t *testing.T) {
	a := NewIO(Options{})
	a.Close()
	released := 0
	if _, err := a.Adopt(nil, 0, func() { released++ }); errs.CodeOf(err) != errs.Closed || released != 1 {
		t.Errorf("%v, released %d times", err, released)
	}
}

// watched reports whether the janitor still knows the arena.
func watched(a *IOArena) bool {
	janitor.Lock()
	defer janitor.Unlock()
	return slices.Contains(janitor.stores, a.s)
}

func TestClosedArenasAreForgotten(t *testing.T) {
	testkit.NoLeaks(t)
	for _, c := range []struct {
		name string
		end  func(a *IOArena, h Handle)
	}{
		{"closed when empty", func(a *IOArena, h Handle) { h.Release(); a.Close() }},
		{"closed with a live block", func(a *IOArena, h Handle) { a.Close(); h.Release() }},
		{"closed with a lease", func(a *IOArena, h Handle) {
			l := mustExport(t, a, h, 1)
			a.Close()
			mustRelease(t, l)
			if invariants.Race {
				sweep() // no janitor there
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := NewIO(Options{})
			h := mustAcquire(t, a, 64)
			if !watched(a) {
				t.Fatal("an open arena is not watched")
			}
			c.end(a, h)
			if !testkit.Settles(func() bool { return !watched(a) }) {
				t.Error("the closed arena is held for ever")
			}
		})
	}
}

func TestLeaseReleaseWakesTheJanitorAboveACap(t *testing.T) {
	testkit.NoLeaks(t)
	if invariants.Race {
		t.Skip("no janitor runs under the race detector")
	}
	a := NewIO(Options{RetentionCap: capOf(0)})
	defer a.Close()
	l := mustExport(t, a, mustAcquire(t, a, 1<<20), 1)
	mustRelease(t, l)
	evicted := func() bool {
		a.s.mu.Lock()
		defer a.s.mu.Unlock()
		return a.s.st.Evictions == 1
	}
	if !testkit.Settles(evicted) {
		t.Error("nobody evicts what a lease returned above the cap")
	}
}

func TestManyLeases(t *testing.T) {
	testkit.NoLeaks(t)
	const n = 100_000
	a := NewIO(Options{})
	list := make([]lease.Handle, n)
	for i := range list {
		h := mustAcquire(t, a, 64)
		bytesOf(h)[0] = byte(i)
		list[i] = mustExport(t, a, h, 1)
	}
	if st := a.Stats(); st.Leases != n || st.LiveBlocks != n || st.Live != 64*n {
		t.Errorf("%+v", st)
	}
	for i := range list {
		l := list[i*7919%n]
		if *(*byte)(l.Address()) != byte(i*7919%n) {
			t.Fatalf("lease %d reads another block", i*7919%n)
		}
		mustRelease(t, l)
	}
	if st := a.Stats(); st.Leases != 0 || st.Live != 0 || st.RetainedBlocks != n {
		t.Errorf("%+v", st)
	}
	a.Close()
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.PlainBuild(t)
	exec, io := NewExecution(Options{}), NewIO(Options{})
	defer exec.Close()
	defer io.Close()
	run := func() {
		slab, out := mustAcquire(t, exec, 3<<20), mustAcquire(t, io, 1<<20)
		small := mustAcquire(t, exec, 100)
		mustRelease(t, mustExport(t, io, out, 1))
		small.Release()
		slab.Release()
	}
	run()
	run()
	before := [2]Stats{exec.Stats(), io.Stats()}
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v Go allocations a run", n)
	}
	for i, after := range []Stats{exec.Stats(), io.Stats()} {
		if after.SystemAllocations != before[i].SystemAllocations || after.SystemReleases != before[i].SystemReleases || after.Misses != before[i].Misses {
			t.Errorf("before %+v\nafter %+v", before[i], after)
		}
	}
}

func TestSteadyStateFaultsNoPages(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.PlainBuild(t)
	a := NewExecution(Options{})
	defer a.Close()
	run := func() {
		h := mustAcquire(t, a, 8<<20)
		b := bytesOf(h)
		for i := 0; i < len(b); i += 4096 {
			b[i]++
		}
		h.Release()
	}
	run()
	least := int64(1 << 62)
	for range 10 {
		before := testkit.Faults(t)
		run()
		least = min(least, testkit.Faults(t)-before)
	}
	if least > 8 {
		t.Errorf("%d page faults a run", least)
	}
}

// Arenas are shared by runs on several goroutines, leases come back from others.
func TestArenaUnderManyGoroutines(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{RetentionCap: capOf(1 << 20)})
	var wg, back sync.WaitGroup
	leases := make(chan lease.Handle, 64)
	var bad atomic.Int64
	for range 3 {
		back.Go(func() {
			for l := range leases {
				if l.Release() != nil {
					bad.Add(1)
				}
			}
		})
	}
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				h, err := a.Acquire(1 + (g*7919+i*613)%40000)
				if err != nil {
					bad.Add(1)
					continue
				}
				fill(h, byte(g))
				if !reads(h, byte(g)) {
					bad.Add(1)
				}
				if i%2 == 0 {
					h.Release()
					continue
				}
				l, err := a.Export(h, 1)
				if err != nil {
					bad.Add(1)
					continue
				}
				leases <- l
			}
		})
	}
	wg.Wait()
	close(leases)
	back.Wait()
	if st := a.Stats(); bad.Load() != 0 || st.Live != 0 || st.Leases != 0 || st.Retained > 1<<20 {
		t.Errorf("%d failures, %+v", bad.Load(), st)
	}
	a.Close()
}
