package pool

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// inside counts how many threads are in a loop at once.
type inside struct{ now, most atomic.Int32 }

func (s *inside) Chunk(lo, hi int) {
	n := s.now.Add(1)
	for m := s.most.Load(); n > m && !s.most.CompareAndSwap(m, n); m = s.most.Load() {
	}
	time.Sleep(100 * time.Microsecond)
	s.now.Add(-1)
}

// A run of two threads stays at two, however many workers others have hired.
func TestLoopUsesNoMoreThreadsThanItsScope(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	split(64, 1, 5, &inside{}) // hires five workers
	for range 5 {
		s := &inside{}
		crew.busy.Store(true)
		split(64, 1, 1, s)
		if n := s.most.Load(); n > 2 {
			t.Fatalf("%d threads in a loop of two", n)
		}
	}
}

func TestWidthIsNotAboveTheProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	if w := Width(); w != runtime.NumCPU() {
		t.Errorf("width %d on %d processors", w, runtime.NumCPU())
	}
	runtime.GOMAXPROCS(1)
	if w, n := Width(), Enter(0).Threads(); w != 1 || n != 1 {
		t.Errorf("width %d and %d threads under GOMAXPROCS=1", w, n)
	}
}

// late panics in its first chunk, whoever claims it, and is slow in the others.
type late struct{ ran atomic.Int32 }

func (l *late) Chunk(lo, hi int) {
	l.ran.Add(1)
	if lo == 0 {
		panic("first chunk")
	}
	time.Sleep(time.Millisecond)
}

// After a panic nobody works through the rest of the loop.
func TestPanicEndsTheLoop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const n = 1000
	l := &late{}
	func() {
		defer func() {
			if v := recover(); v != "first chunk" {
				t.Errorf("recovered %v", v)
			}
		}()
		crew.busy.Store(true)
		split(n, 1, 1, l)
	}()
	if ran := l.ran.Load(); ran > n/2 {
		t.Errorf("%d of %d chunks ran", ran, n)
	}
}

// spinTask burns processor time in small pieces.
type spinTask struct{ done atomic.Int64 }

func (s *spinTask) Chunk(lo, hi int) {
	for end := time.Now().Add(time.Duration(hi-lo) * 20 * time.Microsecond); time.Now().Before(end); {
	}
	s.done.Add(int64(hi - lo))
}

// Where other goroutines take all processors, loops still end with all their
// iterations done: the caller does what no worker does.
func TestLoopsEndBesideBusyNeighbours(t *testing.T) {
	var stop atomic.Bool
	for range 2 * runtime.NumCPU() {
		go func() {
			for i := 0; !stop.Load(); i++ {
				if i&0xfffff == 0 { // where nothing preempts a goroutine, it lets go at times
					runtime.Gosched()
				}
			}
		}()
	}
	defer stop.Store(true)
	s := &spinTask{}
	for range 20 {
		Enter(2).For(100, 5, s)
	}
	if n := s.done.Load(); n != 2000 {
		t.Errorf("%d of 2000 iterations", n)
	}
}
