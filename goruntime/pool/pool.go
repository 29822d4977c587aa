// Package pool holds the compute threads: one set for the process, which all
// sessions and all threads of the caller share.
//
// A loop is split into chunks that are claimed one by one. The caller always
// works and waits only for chunks that were claimed: where no worker comes, for
// whatever reason, the loop takes as long as on one thread. Workers are locked
// to threads, spin for a moment between loops and then sleep; an idle process
// uses no time. One loop is split at a time; a loop that finds the workers
// taken runs on its caller alone.
package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Task is a loop body: Chunk computes the iterations [lo, hi).
type Task interface{ Chunk(lo, hi int) }

// Scope is one run's right to threads. It is a value: making one costs nothing.
// How many there are is asked where a loop is split: the answer takes a lock.
type Scope struct {
	threads  int
	counters *Counters // nil where nobody counts
}

// spin is how long a worker that has nothing to do stays awake: longer than the
// time between two loops of a run, shorter than anyone notices.
const spin = 100 * time.Microsecond

// The gate says which loop is open, to how many workers, and how many are
// inside: in one word, so that a worker enters by one swap.
const (
	gateCount = 1<<15 - 1 // workers inside
	gateOpen  = 1 << 15
	gateRoom  = 1 << 16 // how many may be inside starts here, 15 bits
	gateLoop  = 1 << 31 // the number of the loop starts here
)

// admits reports whether a worker that has left loop done may enter.
func admits(gate, done uint64) bool {
	return gate&gateOpen != 0 && gate/gateLoop != done && gate&gateCount < gate/gateRoom&gateCount
}

var crew struct {
	busy  atomic.Bool   // a loop is split now
	gate  atomic.Uint64 // number of the loop, room, open or not, workers inside
	next  atomic.Int64  // the first iteration nobody claimed
	sleep atomic.Int32  // workers that sleep or are about to
	word  uint32        // futex of the sleepers: the number of wake-ups

	task     Task // of the open loop, as the four below
	n        int64
	chunk    int64
	counters *Counters
	fail     atomic.Pointer[failure]

	mu      sync.Mutex // protects workers
	workers int
}

type failure struct{ value any }

// Width returns how many threads the process may use: GOMAXPROCS, which Go sets
// from the affinity mask and the cgroup's quota, and where it was set by hand no
// more than the affinity mask has processors.
func Width() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// Enter returns the scope of a run on up to threads threads, and no more than Width; 0 is
// Width.
func Enter(threads int) Scope { return Scope{threads: threads} }

// Counting returns the scope of a run whose loops c counts; nil counts nothing.
func (s Scope) Counting(c *Counters) Scope {
	s.counters = c
	return s
}

// Threads returns how many threads a loop may use.
func (s Scope) Threads() int {
	w := max(1, Width())
	if s.threads <= 0 {
		return w
	}
	return min(s.threads, w)
}

// For runs task over [0, n) in chunks of at least grain iterations and returns
// when all are done. It allocates nothing where task is a pointer.
//
// Errors: a panic of a chunk is raised again on the caller.
func (s Scope) For(n, grain int, task Task) {
	if n <= 0 {
		return
	}
	threads := 1
	if s.threads != 1 && n > max(1, grain) {
		threads = s.Threads()
	}
	inline := threads == 1 || !crew.busy.CompareAndSwap(false, true)
	if s.counters != nil {
		s.counters.begun(inline, threads == 1)
	}
	if inline {
		task.Chunk(0, n)
		return
	}
	crew.counters = s.counters
	split(n, max(1, grain, n/(8*threads)), threads-1, task)
}

func split(n, chunk, helpers int, task Task) {
	helpers = min(helpers, gateCount)
	hire(helpers)
	crew.task, crew.n, crew.chunk = task, int64(n), int64(chunk)
	crew.next.Store(0)
	loop := crew.gate.Load()/gateLoop + 1
	crew.gate.Store(loop*gateLoop | uint64(helpers)*gateRoom | gateOpen)
	if crew.sleep.Load() > 0 {
		wake(helpers)
	}
	defer finish()
	work(false)
}

// finish closes the loop, waits for the chunks that workers claimed and raises
// what one of them may have raised.
func finish() {
	crew.next.Store(crew.n) // where the caller's own chunk panicked, the rest need not run
	for {
		g := crew.gate.Load()
		if crew.gate.CompareAndSwap(g, g&^gateOpen) {
			break
		}
	}
	for spins := 0; crew.gate.Load()&gateCount != 0; spins++ {
		if spins > 1000 {
			runtime.Gosched()
		}
	}
	crew.task, crew.counters = nil, nil
	f := crew.fail.Swap(nil)
	crew.busy.Store(false)
	if f != nil {
		//lint:allow panic raised again where the loop was started
		panic(f.value)
	}
}

// work claims chunks until none is left, as a worker or as the loop's caller.
func work(worker bool) {
	done := int64(0)
	for {
		hi := crew.next.Add(crew.chunk)
		lo := hi - crew.chunk
		if lo >= crew.n {
			break
		}
		crew.task.Chunk(int(lo), int(min(hi, crew.n)))
		done++
	}
	if crew.counters != nil {
		crew.counters.did(done, worker)
	}
}

// hire makes sure that n workers exist.
func hire(n int) {
	crew.mu.Lock()
	defer crew.mu.Unlock()
	for ; crew.workers < n; crew.workers++ {
		go worker()
	}
}

func worker() {
	runtime.LockOSThread()
	done := uint64(0)
	idle := time.Now()
	for spins := 0; ; spins++ {
		g := crew.gate.Load()
		if admits(g, done) && crew.gate.CompareAndSwap(g, g+1) {
			done = g / gateLoop
			help()
			crew.gate.Add(^uint64(0))
			idle, spins = time.Now(), 0
			continue
		}
		if spins&63 == 63 && time.Since(idle) > spin {
			doze(done)
			idle, spins = time.Now(), 0
		}
	}
}

// help works on the open loop and keeps what a chunk raises for its caller.
func help() {
	defer func() {
		if v := recover(); v != nil {
			crew.fail.CompareAndSwap(nil, &failure{v})
			crew.next.Store(crew.n) // the rest need not run
		}
	}()
	work(true)
}

// doze sleeps until a loop is opened.
func doze(done uint64) {
	seen := atomic.LoadUint32(&crew.word)
	crew.sleep.Add(1)
	defer crew.sleep.Add(-1)
	if admits(crew.gate.Load(), done) {
		return
	}
	// A full system call: a raw one would hold the P and stop the collector.
	// SAFETY: the word is a package variable, which does not move.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&crew.word)), 128, uintptr(seen), 0, 0, 0)
}

// wake ends the sleep of up to n workers.
func wake(n int) {
	atomic.AddUint32(&crew.word, 1)
	// SAFETY: the word is a package variable, which does not move.
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&crew.word)), 129, uintptr(n), 0, 0, 0)
}
