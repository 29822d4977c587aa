package arena

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// The last release finds the janitor also when it races with Close.
func TestReleaseThatRacesWithCloseIsNoticed(t *testing.T) {
	testkit.NoLeaks(t)
	if invariants.Race {
		t.Skip("no janitor runs under the race detector")
	}
	rounds := 20_000
	if invariants.Enabled { // every arena is watched there
		rounds = 1000
	}
	for range rounds {
		a := NewIO(Options{})
		l := mustExport(t, a, mustAcquire(t, a, 64), 1)
		var wg sync.WaitGroup
		wg.Go(func() { _ = l.Release() })
		a.Close()
		wg.Wait()
		if watched(a) && !testkit.Settles(func() bool { return !watched(a) }) {
			t.Fatal("a closed arena keeps a block that nobody owns")
		}
	}
}

// Of many that export or release copies of one handle, one does.
func TestCopiesOfAHandleEndOnce(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	defer a.Close()
	for round := range 500 {
		h := mustAcquire(t, a, 64)
		misuses := a.Stats().Misuses
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				_ = panics(func() {
					if g%2 == 0 {
						h.Release()
					} else if l, err := a.Export(h, 1); err == nil {
						_ = l.Release()
					}
				})
			})
		}
		wg.Wait()
		if st := a.Stats(); st.Misuses-misuses != 7 || st.LiveBlocks != 0 || st.RetainedBlocks != 1 || st.Leases != 0 {
			t.Fatalf("round %d: %+v, %d misuses before", round, st, misuses)
		}
	}
}

// Adopted memory is given back when its lease is, not at the arena's next use:
// it cannot serve another request.
func TestAdoptedMemoryGoesBackWithItsLease(t *testing.T) {
	testkit.NoLeaks(t)
	if invariants.Race {
		t.Skip("no janitor runs under the race detector")
	}
	for _, n := range []int{4096, 0} {
		a := NewIO(Options{})
		done := make(chan struct{})
		b := make([]byte, 4096)
		h, err := a.Adopt(unsafe.Pointer(&b[0]), n, func() { close(done) })
		if err != nil {
			t.Fatal(err)
		}
		mustRelease(t, mustExport(t, a, h, 1))
		gone := func() bool {
			select {
			case <-done:
				return true
			default:
				return false
			}
		}
		if !testkit.Settles(gone) {
			t.Errorf("%d adopted bytes stay after the last release", n)
		}
		a.Close()
	}
}

// What is resident is what is counted, also above the size of huge pages.
func TestLargeBlocksOccupyWhatTheyCount(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.PlainBuild(t)
	a := NewExecution(Options{})
	defer a.Close()
	start := testkit.Resident(t)
	var hs []Handle
	for range 16 {
		h := mustAcquire(t, a, 2<<20+1)
		fill(h, 1)
		hs = append(hs, h)
	}
	live := a.Stats().Live
	if got := testkit.Resident(t) - start; got > live+live/8 {
		t.Errorf("%d bytes are resident, %d are counted", got, live)
	}
	for _, h := range hs {
		h.Release()
	}
}
