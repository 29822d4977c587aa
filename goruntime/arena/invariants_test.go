package arena

import (
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/lease"
)

func mustExport(t testing.TB, a *IOArena, h Handle, refs int) lease.Handle {
	t.Helper()
	l, err := a.Export(h, refs)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustRelease(t testing.TB, l lease.Handle) {
	t.Helper()
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

// Invariant 1.
func TestABufferBelongsToExactlyOneArena(t *testing.T) {
	testkit.NoLeaks(t)
	exec, io, io2 := NewExecution(Options{}), NewIO(Options{}), NewIO(Options{})
	defer exec.Close()
	defer io.Close()
	defer io2.Close()
	x, y := mustAcquire(t, exec, 1000), mustAcquire(t, io, 1000)
	for _, c := range []struct {
		name           string
		p              unsafe.Pointer
		exec, io, both bool
	}{
		{"the execution block", x.Data(), true, false, false},
		{"the I/O block", y.Data(), false, true, false},
		{"its last byte", unsafe.Add(y.Data(), 999), false, true, false},
		{"memory of Go", unsafe.Pointer(new(int)), false, false, false},
	} {
		if exec.Owns(c.p) != c.exec || io.Owns(c.p) != c.io || io2.Owns(c.p) {
			t.Errorf("%s: execution %v, I/O %v, another I/O %v", c.name, exec.Owns(c.p), io.Owns(c.p), io2.Owns(c.p))
		}
	}
	if !invariants.Enabled {
		if _, err := io2.Export(y, 1); errs.CodeOf(err) != errs.Internal {
			t.Errorf("exporting a block of another arena: %v", err)
		}
		if io2.Stats().Misuses != 1 {
			t.Error("it is not counted as misuse")
		}
	} else if panics(func() { _, _ = io2.Export(y, 1) }) == nil {
		t.Error("exporting a block of another arena does not panic")
	}
	x.Release()
	y.Release()
}

// Invariant 2.
func TestALiveAllocationHasExactlyOneOwner(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	defer a.Close()
	for _, c := range []struct {
		name string
		use  func(Handle) error
	}{
		{"release", func(h Handle) error { h.Release(); return nil }},
		{"export", func(h Handle) error { _, err := a.Export(h, 1); return err }},
	} {
		t.Run(c.name, func(t *testing.T) {
			released, exported := mustAcquire(t, a, 256), mustAcquire(t, a, 256)
			released.Release()
			l := mustExport(t, a, exported, 1)
			before := a.Stats()
			for _, h := range []Handle{released, exported} {
				if p := panics(func() {
					if err := c.use(h); c.name == "export" && errs.CodeOf(err) != errs.Internal {
						t.Errorf("a dead handle: %v", err)
					}
				}); (p != nil) != invariants.Enabled {
					t.Errorf("a dead handle panics with %v", p)
				}
			}
			after := a.Stats()
			if after.Misuses != before.Misuses+2 || after.Live != before.Live || after.Retained != before.Retained {
				t.Errorf("before %+v\nafter %+v", before, after)
			}
			mustRelease(t, l)
		})
	}
	t.Run("a handle of an earlier life", func(t *testing.T) {
		old := mustAcquire(t, a, 256)
		old.Release()
		h := mustAcquire(t, a, 256)
		if h.Data() != old.Data() {
			t.Fatal("the block is not reused")
		}
		_ = panics(old.Release)
		if st := a.Stats(); st.LiveBlocks != 1 {
			t.Errorf("the stale handle released the block: %d live", st.LiveBlocks)
		}
		h.Release()
	})
}

// Invariant 3.
func TestABufferIsFreeOnlyAfterItsLastOwnerReleasedIt(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	defer a.Close()
	h := mustAcquire(t, a, 1<<16)
	l := mustExport(t, a, h, 1)
	if err := l.Retain(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if st := a.Stats(); st.RetainedBlocks != 0 || st.Leases != 1 || st.Live < 1<<16 {
			t.Fatalf("%+v", st)
		}
		mustRelease(t, l)
	}
	if st := a.Stats(); st.RetainedBlocks != 1 || st.Leases != 0 || st.Live != 0 {
		t.Errorf("after the last release: %+v", st)
	}
	if err := l.Release(); errs.CodeOf(err) != errs.Released {
		t.Errorf("one release too many: %v", err)
	}
	if st := a.Stats(); st.RetainedBlocks != 1 {
		t.Errorf("it put the block on the free list again: %+v", st)
	}
}

// Invariants 4 and 5: what a run leaves behind is pinned by its lease alone.
func TestPinnedStorageIsNotReusedAndOutlivesTheArena(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	var held []lease.Handle
	seen := map[unsafe.Pointer]bool{}
	for run := range 5 {
		h := mustAcquire(t, a, 1<<20)
		if seen[h.Data()] {
			t.Fatalf("run %d reuses what an older run's output pins", run)
		}
		seen[h.Data()] = true
		fill(h, byte(run+1))
		held = append(held, mustExport(t, a, h, 1))
	}
	a.Trim()
	a.Shrink(0)
	a.SetRetentionCap(0)
	a.Close()
	for run, l := range held {
		for i, b := range unsafe.Slice((*byte)(l.Address()), l.Bytes()) {
			if b != byte(run+1) {
				t.Fatalf("byte %d of output %d reads %d after Close", i, run, b)
			}
		}
	}
	for _, l := range held {
		mustRelease(t, l)
	}
	if !testkit.Settles(func() bool { return a.Stats().LiveBlocks == 0 }) {
		t.Errorf("%+v", a.Stats())
	}
}

// Invariant 6.
func TestBorrowedMemoryIsNeverReused(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	defer a.Close()
	foreign := make([]byte, 4096)
	released := 0
	adopt := func() Handle {
		h, err := a.Adopt(unsafe.Pointer(&foreign[0]), len(foreign), func() {
			released++
			mustAcquire(t, a, 64).Release() // foreign code may use the arena
		})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := adopt()
	if st := a.Stats(); st.Live != 4096 || st.LiveBlocks != 1 {
		t.Errorf("adopted memory is not live: %+v", st)
	}
	h.Release()
	l := mustExport(t, a, adopt(), 1)
	mustRelease(t, l)
	if st := a.Stats(); st.Live != 0 || st.Leases != 0 {
		t.Errorf("%+v", st)
	}
	if released != 2 {
		t.Errorf("released %d times, adopted twice", released)
	}
	for range 4 {
		if h := mustAcquire(t, a, 4096); h.Data() == unsafe.Pointer(&foreign[0]) {
			t.Error("foreign memory was handed out")
		} else {
			defer h.Release()
		}
	}
}

// Invariant 7.
func TestTransferMovesNoBytes(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{})
	defer a.Close()
	h := mustAcquire(t, a, 1<<20)
	fill(h, 7)
	before := a.Stats()
	l := mustExport(t, a, h, 1)
	if l.Address() != h.Data() || l.Bytes() != 1<<20 {
		t.Errorf("the lease has %d bytes at %p, the block %d at %p", l.Bytes(), l.Address(), h.Size(), h.Data())
	}
	after := a.Stats()
	if after.SystemAllocations != before.SystemAllocations || after.Copies != before.Copies || after.Live != before.Live {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	mustRelease(t, l)
}
