package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

type count struct{ hits []int32 }

func (c *count) Chunk(lo, hi int) {
	for i := lo; i < hi; i++ {
		atomic.AddInt32(&c.hits[i], 1)
	}
}

func TestEveryIterationRunsOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		old := runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 7, 64, 1000, 4097} {
			for _, grain := range []int{1, 10, 5000} {
				c := &count{make([]int32, n)}
				Enter(0).For(n, grain, c)
				for i, h := range c.hits {
					if h != 1 {
						t.Fatalf("GOMAXPROCS %d, n %d, grain %d: iteration %d ran %d times", procs, n, grain, i, h)
					}
				}
			}
		}
		runtime.GOMAXPROCS(old)
	}
}

func TestManyCallersShareTheWorkers(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				c := &count{make([]int32, 257)}
				Enter(2).For(257, 4, c)
				for i, h := range c.hits {
					if h != 1 {
						t.Errorf("iteration %d ran %d times", i, h)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

type bomb struct{}

func (*bomb) Chunk(lo, hi int) {
	if lo <= 50 && 50 < hi {
		panic("chunk 50")
	}
}

func TestPanicTravelsToTheCaller(t *testing.T) {
	for range 50 {
		func() {
			defer func() {
				if v := recover(); v != "chunk 50" {
					t.Fatalf("recovered %v", v)
				}
			}()
			Enter(2).For(100, 1, &bomb{})
		}()
	}
	c := &count{make([]int32, 100)}
	Enter(2).For(100, 1, c)
	if c.hits[99] != 1 {
		t.Error("the pool is not usable after a panic")
	}
}

func TestLoopsAllocateNothing(t *testing.T) {
	c := &count{make([]int32, 1000)}
	s := Enter(2)
	s.For(1000, 10, c)
	if n := testing.AllocsPerRun(100, func() { s.For(1000, 10, c) }); n != 0 {
		t.Errorf("%v allocations a loop", n)
	}
}

func TestIdleWorkersSleep(t *testing.T) {
	Enter(2).For(1000, 10, &count{make([]int32, 1000)})
	time.Sleep(20 * time.Millisecond)
	before := cpuTime(t)
	time.Sleep(200 * time.Millisecond)
	if used := cpuTime(t) - before; used > 100*time.Millisecond {
		t.Errorf("%v of processor time in 200 ms of idleness", used)
	}
}

func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
