package pool

import (
	"runtime"
	"testing"
)

// none is a loop body that does nothing.
type none struct{}

func (*none) Chunk(int, int) {}

// twoThreads lets loops use two threads until the test ends, which needs as many processors.
func twoThreads(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(2)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	if Width() < 2 {
		t.Skip("one processor")
	}
}

func TestLoopsAreCountedByWhoRanThem(t *testing.T) {
	twoThreads(t)
	c := &Counters{}
	Enter(1).Counting(c).For(1000, 1, &none{}) // one thread
	Enter(2).Counting(c).For(10, 10, &none{})  // one chunk
	Enter(2).Counting(c).For(1000, 100, &none{})
	Enter(2).For(1000, 100, &none{}) // of somebody else
	crew.busy.Store(true)
	Enter(2).Counting(c).For(1000, 100, &none{})
	crew.busy.Store(false)
	got := c.Now()
	helped := got.Helped
	got.Helped = 0
	if want := (Count{Loops: 4, Limited: 2, Busy: 1, Chunks: 10}); got != want {
		t.Errorf("%+v, %+v expected", got, want)
	}
	if helped < 0 || helped > 10 {
		t.Errorf("workers ran %d of 10 chunks", helped)
	}
}

func TestAScopeThatCountsAllocatesNothing(t *testing.T) {
	c := &Counters{}
	if n := testing.AllocsPerRun(100, func() { Enter(1).Counting(c).For(1000, 1, &none{}) }); n != 0 {
		t.Errorf("%v allocations a loop", n)
	}
}
