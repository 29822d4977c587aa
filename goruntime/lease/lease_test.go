package lease_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/lease"
	"github.com/goruntime/goruntime/goruntime/offheap"
)

// headers are those that the tests' leases use, as the blocks of an arena would keep them.
var headers struct {
	sync.Mutex // protects free
	free       []*lease.Header
}

func newLease(c *lease.Control, p unsafe.Pointer, n, bytes int, block uint64, refs int) lease.Handle {
	headers.Lock()
	defer headers.Unlock()
	if len(headers.free) == 0 {
		headers.free = append(headers.free, lease.NewHeader())
	}
	h := headers.free[len(headers.free)-1]
	headers.free = headers.free[:len(headers.free)-1]
	h.Bind(c, p, bytes, block)
	h.Size = uint64(n)
	l, ok := h.Begin(h.Generation()+1, refs)
	if !ok {
		panic("a free header has a lease")
	}
	return l
}

// drained takes back all that c got, and returns the numbers of the blocks.
func drained(c *lease.Control) map[uint64]int {
	blocks := map[uint64]int{}
	list := c.Drain(nil)
	for _, h := range list {
		blocks[h.Block]++
	}
	headers.Lock()
	defer headers.Unlock()
	headers.free = append(headers.free, list...)
	return blocks
}

// control returns a Control that the test gives back, and memory to lease.
func control(t *testing.T) (*lease.Control, unsafe.Pointer) {
	testkit.NoLeaks(t)
	c := lease.NewControl()
	p, err := offheap.Map(offheap.Page)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		lease.FreeControl(c)
		offheap.Unmap(p, offheap.Page)
	})
	return c, p
}

func TestLastReleaseReturnsTheBlock(t *testing.T) {
	c, p := control(t)
	atomic.StoreUint64(&c.Cap, 1<<40) // what comes back is counted under a cap only
	l := newLease(c, p, 100, 128, 42, 2)
	if l.Address() != p || l.Bytes() != 100 {
		t.Errorf("%d bytes at %p, 100 at %p expected", l.Bytes(), l.Address(), p)
	}
	if err := l.Retain(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		if got := drained(c); len(got) != 0 {
			t.Fatalf("blocks %v came back, one reference is left", got)
		}
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if n := atomic.LoadUint64(&c.Returned); n != 128 {
		t.Errorf("%d bytes returned, 128 expected", n)
	}
	if got := drained(c); len(got) != 1 || got[42] != 1 {
		t.Errorf("blocks %v came back, 42 expected", got)
	}
	if r := atomic.LoadUint64(&c.Returned); r != 0 {
		t.Errorf("%d bytes left", r)
	}
}

func TestStaleAndDoubleReleaseAreRefused(t *testing.T) {
	c, p := control(t)
	const want = "the lease was released already: each reference is released once"
	old := newLease(c, p, 1, 64, 1, 1)
	if err := old.Release(); err != nil {
		t.Fatal(err)
	}
	refused := func(when string) {
		t.Helper()
		for name, f := range map[string]func() error{"Release": old.Release, "Retain": old.Retain} {
			if err := f(); errs.CodeOf(err) != errs.Released || err.Error() != want {
				t.Errorf("%s %s: %v", name, when, err)
			}
		}
	}
	refused("before the arena took the block")
	if got := drained(c); got[1] != 1 {
		t.Errorf("%v came back", got)
	}
	refused("after it")
	fresh := newLease(c, p, 1, 64, 2, 1)
	if fresh.Header != old.Header {
		t.Fatal("the header was not reused: the next check would show nothing")
	}
	if fresh.Generation == old.Generation {
		t.Error("the reused header has the generation of its earlier life")
	}
	refused("after the header got another lease")
	if err := fresh.Release(); err != nil {
		t.Errorf("the new lease was harmed: %v", err)
	}
	if got := drained(c); len(got) != 1 || got[2] != 1 {
		t.Errorf("%v came back", got)
	}
}

func TestHeadersAreAligned(t *testing.T) {
	c, p := control(t)
	seen := map[*lease.Header]bool{}
	var list []lease.Handle
	for i := range 3000 { // more than a chunk
		l := newLease(c, p, 1, 64, uint64(i), 1)
		if uintptr(unsafe.Pointer(l.Header))%64 != 0 || seen[l.Header] {
			t.Fatalf("header %d at %p", i, l.Header)
		}
		seen[l.Header] = true
		list = append(list, l)
	}
	for _, l := range list {
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if got := drained(c); len(got) != 3000 {
		t.Errorf("%d blocks came back", len(got))
	}
}

func TestWakeCountsOnlyAboveTheCapAndInTheParent(t *testing.T) {
	c, p := control(t)
	w := lease.SharedWords()
	give := func() bool {
		before := atomic.LoadUint32(&w.Futex)
		if err := newLease(c, p, 1, 64, 1, 1).Release(); err != nil {
			t.Fatal(err)
		}
		drained(c)
		return atomic.LoadUint32(&w.Futex) != before
	}
	for _, k := range []struct {
		name     string
		retained uint64
		cap      uint64
		forked   uint32
		wakes    bool
	}{
		{"no cap", 1 << 40, lease.Never, 0, false},
		{"below the cap", 36, 100, 0, false},
		{"above the cap", 37, 100, 0, true},
		{"in a forked child", 37, 100, 1, false},
	} {
		t.Run(k.name, func(t *testing.T) {
			atomic.StoreUint64(&c.Retained, k.retained)
			atomic.StoreUint64(&c.Cap, k.cap)
			atomic.StoreUint32(&w.Forked, k.forked)
			defer atomic.StoreUint32(&w.Forked, 0)
			if give() != k.wakes {
				t.Errorf("woken: %v", !k.wakes)
			}
		})
	}
}

// Releases race with each other, with stale ones and with the arena that takes
// blocks back and reuses their headers.
func TestLeasesUnderManyGoroutines(t *testing.T) {
	c, p := control(t)
	const makers, each = 4, 2000
	var back [makers * each]atomic.Int32
	var bad atomic.Int64
	work := make(chan lease.Handle, 128)
	stop := make(chan struct{})
	var makes, release, drain sync.WaitGroup
	for m := range makers {
		makes.Go(func() {
			for i := range each {
				refs := 1 + i%3
				l := newLease(c, p, 1, 64, uint64(m*each+i), refs)
				for range refs {
					work <- l
				}
			}
		})
	}
	for g := range 4 {
		release.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for l := range work {
				if r.IntN(4) == 0 {
					if l.Retain() != nil || l.Release() != nil {
						bad.Add(1)
					}
				}
				if l.Release() != nil {
					bad.Add(1)
				}
				stale := lease.Handle{Header: l.Header, Generation: l.Generation - 1}
				if stale.Release() == nil || stale.Retain() == nil {
					bad.Add(1)
				}
			}
		})
	}
	take := func() {
		for b, n := range drained(c) {
			back[b].Add(int32(n))
		}
	}
	drain.Go(func() {
		caps := [2]uint64{lease.Never, 1 << 40}
		for round := 0; ; round++ {
			select {
			case <-stop:
				return
			default:
				take()
				atomic.StoreUint64(&c.Cap, caps[round%2]) // some releases are counted, others are not
			}
		}
	})
	makes.Wait()
	close(work)
	release.Wait()
	close(stop)
	drain.Wait()
	take()
	if n := atomic.LoadUint64(&c.Returned); n != 0 {
		t.Errorf("%d bytes are counted on an empty list", n)
	}
	for b := range back {
		if n := back[b].Load(); n != 1 {
			t.Fatalf("block %d came back %d times", b, n)
		}
	}
	if bad.Load() != 0 {
		t.Errorf("%d good releases were refused or stale ones were not", bad.Load())
	}
}

// Of many goroutines that begin or end one generation, one can, and none while there is
// a lease or after it.
func TestAGenerationBeginsOnce(t *testing.T) {
	c, p := control(t)
	h := lease.NewHeader()
	h.Bind(c, p, 64, 7)
	for round := range 200 {
		generation := h.Generation() + 1
		var ok atomic.Int32
		var begun atomic.Pointer[lease.Handle]
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				if l, can := h.Begin(generation, g%2); can {
					ok.Add(1)
					if g%2 == 1 {
						begun.Store(&l)
					}
				}
			})
		}
		wg.Wait()
		if ok.Load() != 1 || h.Counted() != (begun.Load() != nil) {
			t.Fatalf("round %d: %d could, a lease %v", round, ok.Load(), h.Counted())
		}
		l := begun.Load()
		if l == nil {
			continue
		}
		if _, can := h.Begin(generation+1, 1); can {
			t.Fatal("a lease began over another")
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		if _, can := h.Begin(generation, 1); can {
			t.Fatal("a generation began again")
		}
		if got := drained(c); got[7] != 1 {
			t.Fatalf("%v came back", got)
		}
		headers.Lock()
		headers.free = headers.free[:len(headers.free)-1] // h is this test's alone
		headers.Unlock()
	}
	lease.FreeHeaders([]*lease.Header{h})
}

// Of many goroutines that release one reference, one succeeds.
func TestOneReleaseOfManySucceeds(t *testing.T) {
	c, p := control(t)
	for round := range 200 {
		l := newLease(c, p, 1, 64, uint64(round), 1)
		var ok atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if l.Release() == nil {
					ok.Add(1)
				}
			})
		}
		wg.Wait()
		if got := drained(c); ok.Load() != 1 || got[uint64(round)] != 1 {
			t.Fatalf("%d releases succeeded, %v came back", ok.Load(), got)
		}
	}
}
