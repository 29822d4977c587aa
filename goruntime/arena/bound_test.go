package arena

import (
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// large is the size of large blocks, smaller where all memory is written.
func large() int {
	if invariants.Enabled || invariants.Race {
		return 4 << 20
	}
	return 400 << 20
}

func checkBound(t *testing.T, a acquirer) {
	t.Helper()
	st, most := a.Stats(), int64(0)
	if _, execution := a.(*ExecutionArena); execution {
		most = 4 << 20
	}
	if all := st.Live + st.Retained; all > st.PeakLive+max(st.PeakLive/4, most) {
		t.Fatalf("%d live and %d retained: more than 1.25 times the peak of %d, and %d above it", st.Live, st.Retained, st.PeakLive, most)
	}
}

func TestDefaultBoundHolds(t *testing.T) {
	testkit.NoLeaks(t)
	big := large()
	for _, c := range []struct {
		name string
		size func(i int) int
		runs int
	}{
		{"4 bytes and a large block in turn", func(i int) int { return 4 + (i%2)*big }, 50},
		{"growing shapes", func(i int) int { return 1000 + i*big/300 }, 300},
		{"shrinking shapes", func(i int) int { return 1000 + (299-i)*big/300 }, 300},
		{"three shapes in turn", func(i int) int { return []int{100, big / 3, big}[i%3] }, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			both(t, Options{}, func(t *testing.T, a acquirer) {
				defer a.Close()
				for i := range c.runs {
					x, y := mustAcquire(t, a, c.size(i)), mustAcquire(t, a, c.size(i)/2)
					checkBound(t, a)
					x.Release()
					y.Release()
					checkBound(t, a)
				}
			})
		})
	}
}

func TestAlternatingShapesKeepTheirBlocksWhileTheBoundAllows(t *testing.T) {
	testkit.NoLeaks(t)
	both(t, Options{}, func(t *testing.T, a acquirer) {
		defer a.Close()
		for i := range 10 {
			mustAcquire(t, a, []int{4, 1 << 20}[i%2]).Release()
		}
		if st := a.Stats(); st.Misses != 2 || st.Evictions != 0 {
			t.Errorf("%d misses, %d evictions: 4 bytes and 1 MB fit the bound together", st.Misses, st.Evictions)
		}
	})
}

func TestResetPeakLowersTheBound(t *testing.T) {
	testkit.NoLeaks(t)
	both(t, Options{}, func(t *testing.T, a acquirer) {
		defer a.Close()
		mustAcquire(t, a, 8<<20).Release()
		a.ResetPeak()
		h := mustAcquire(t, a, 1<<20)
		if st := a.Stats(); st.Retained != 0 || st.PeakLive != st.Live {
			t.Errorf("%+v: the peak is 1 MB, 8 MB stay retained", st)
		}
		h.Release()
	})
}

func TestCapEvictsTheLeastRecentlyFreedFirst(t *testing.T) {
	testkit.NoLeaks(t)
	both(t, Options{RetentionCap: capOf(3 << 20)}, func(t *testing.T, a acquirer) {
		defer a.Close()
		var at [4]unsafe.Pointer
		var hs [4]Handle
		for i := range hs {
			hs[i] = mustAcquire(t, a, 1<<20)
			at[i] = hs[i].Data()
		}
		for _, i := range []int{2, 0, 3, 1} { // 2 goes when 1 comes
			hs[i].Release()
		}
		if st := a.Stats(); st.Evictions != 1 || st.Retained != 3<<20 || st.RetainedBlocks != 3 {
			t.Fatalf("%+v", st)
		}
		got := map[unsafe.Pointer]bool{}
		for i := range hs {
			hs[i] = mustAcquire(t, a, 1<<20)
			got[hs[i].Data()] = true
		}
		for _, i := range []int{0, 1, 3} {
			if !got[at[i]] {
				t.Errorf("block %d went, 2 was freed least recently", i)
			}
		}
		if st := a.Stats(); st.Hits != 3 {
			t.Errorf("%d hits, three blocks were kept", st.Hits)
		}
		for _, h := range hs {
			h.Release()
		}
		a.SetRetentionCap(1 << 20)
		if st := a.Stats(); st.Retained != 1<<20 {
			t.Errorf("lowering the cap leaves %d bytes", st.Retained)
		}
		a.SetRetentionCap(0)
		if st := a.Stats(); st.Retained != 0 {
			t.Errorf("a cap of 0 leaves %d bytes", st.Retained)
		}
		mustAcquire(t, a, 100).Release()
		if st := a.Stats(); st.Retained != 0 {
			t.Errorf("a cap of 0 keeps %d bytes", st.Retained)
		}
	})
}

func TestCapNeverTouchesWhatIsOwned(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{RetentionCap: capOf(0)})
	defer a.Close()
	h, l := mustAcquire(t, a, 4096), mustExport(t, a, mustAcquire(t, a, 4096), 1)
	fill(h, 3)
	a.SetRetentionCap(0)
	a.Trim()
	if st := a.Stats(); st.LiveBlocks != 2 || st.Evictions != 0 || !reads(h, 3) {
		t.Errorf("%+v", st)
	}
	h.Release()
	mustRelease(t, l)
}

func TestLimit(t *testing.T) {
	testkit.NoLeaks(t)
	both(t, Options{Limit: 3 << 20}, func(t *testing.T, a acquirer) {
		defer a.Close()
		x, y := mustAcquire(t, a, 1<<20), mustAcquire(t, a, 1<<20)
		y.Release()
		_, err := a.Acquire(3<<20 - 100)
		const want = "3145628 bytes asked for (a block of 3145728), 1048576 live and 1048576 retained: the limit is 3145728 bytes"
		if errs.CodeOf(err) != errs.Memory || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if st := a.Stats(); st.Retained != 1<<20 || st.Evictions != 0 {
			t.Errorf("a request that cannot be served threw away what was retained: %+v", st)
		}
		z := mustAcquire(t, a, 2<<20) // evicts y's block
		if st := a.Stats(); st.Live+st.Retained > 3<<20 || st.Evictions != 1 {
			t.Errorf("%+v", st)
		}
		x.Release()
		z.Release()
	})
}

func TestLimitCountsAdoptedMemory(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewIO(Options{Limit: 8192})
	defer a.Close()
	mustAcquire(t, a, 4096).Release()
	b := make([]byte, 8192)
	released := 0
	h, err := a.Adopt(unsafe.Pointer(&b[0]), 8192, func() { released++ })
	if err != nil {
		t.Fatal(err)
	}
	if st := a.Stats(); st.Live+st.Retained != 8192 {
		t.Errorf("%+v", st)
	}
	if _, err := a.Adopt(unsafe.Pointer(&b[0]), 1, func() { released++ }); errs.CodeOf(err) != errs.Memory {
		t.Errorf("past the limit: %v", err)
	}
	if released != 1 {
		t.Error("memory that was refused is not released")
	}
	h.Release()
	if released != 2 {
		t.Error("adopted memory is not released")
	}
}

func TestTrimAndShrinkGiveBackMemory(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.PlainBuild(t)
	const piece = 16 << 20
	both(t, Options{}, func(t *testing.T, a acquirer) {
		defer a.Close()
		start := testkit.Resident(t)
		var hs []Handle
		for range 4 {
			h := mustAcquire(t, a, piece)
			fill(h, 1)
			hs = append(hs, h)
		}
		for _, h := range hs {
			h.Release()
		}
		full := testkit.Resident(t)
		if full-start < 4*piece*9/10 {
			t.Fatalf("touching %d bytes makes %d resident", 4*piece, full-start)
		}
		if n := a.Shrink(piece); n != 3*piece {
			t.Errorf("Shrink returns %d, %d went", n, 3*piece)
		}
		if got := full - testkit.Resident(t); got < 3*piece*9/10 {
			t.Errorf("Shrink gives %d bytes back to the system, at least %d expected", got, 3*piece*9/10)
		}
		if n := a.Trim(); n != piece {
			t.Errorf("Trim returns %d, %d went", n, piece)
		}
		if left := testkit.Resident(t) - start; left > piece/4 {
			t.Errorf("%d bytes stay resident after Trim", left)
		}
		if st := a.Stats(); st.Retained != 0 || st.RetainedBlocks != 0 || st.SystemReleases != st.SystemAllocations {
			t.Errorf("%+v", st)
		}
	})
}

func TestTrimGivesBackSlabsOfSmallBlocks(t *testing.T) {
	testkit.NoLeaks(t)
	both(t, Options{}, func(t *testing.T, a acquirer) {
		defer a.Close()
		var hs []Handle
		for i := range 20000 {
			hs = append(hs, mustAcquire(t, a, 1+i%3000))
		}
		for i := range hs { // in another order than they came
			hs[i*7919%len(hs)].Release()
		}
		a.Trim()
		if st := a.Stats(); st.Retained != 0 || st.Live != 0 || st.SystemReleases != st.SystemAllocations {
			t.Errorf("%+v", st)
		}
	})
}
