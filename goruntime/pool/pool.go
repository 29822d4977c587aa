// Package pool holds the compute threads: one set for the process, which all
// sessions and all threads of the caller share.
//
// A loop is split into chunks that are claimed one by one: each thread begins with a share
// of its own and goes on with what others left. The caller always
// works and waits only for chunks that were claimed: where no worker comes, for
// whatever reason, the loop takes as long as on one thread. Workers are locked
// to threads, spin for a moment between loops and then sleep, which a loop wakes them from
// where it is long enough; an idle process
// uses no time. One loop is split at a time; a loop that finds the workers
// taken runs on its caller alone.
package pool

import (
	"runtime"
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
	sleep atomic.Int32  // workers that sleep or are about to
	word  uint32        // futex of the sleepers: the number of wake-ups

	// What follows is the caller's who set busy.
	task     Task // of the open loop, as the five below
	n        int
	chunk    int
	shares   []share // of the caller, then of those who help
	counters *Counters
	fail     atomic.Pointer[failure]

	calling calling
	workers int     // that exist
	room    []share // for the shares of a loop
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
	chunks := (n + chunk - 1) / chunk
	helpers = min(helpers, chunks-1, gateCount)
	if len(crew.room) <= helpers {
		crew.room = make([]share, helpers+1)
	}
	crew.task, crew.n, crew.chunk, crew.shares = task, n, chunk, crew.room[:helpers+1]
	deal(crew.shares, chunks)
	loop := crew.gate.Load()/gateLoop + 1
	crew.gate.Store(loop*gateLoop | uint64(helpers)*gateRoom | gateOpen)
	defer finish()
	crew.calling.open(helpers, chunks)
	work(0)
	crew.calling.close()
}

// finish closes the loop, waits for the chunks that workers claimed and raises
// what one of them may have raised.
func finish() {
	withdraw(crew.shares) // where the caller's own chunk panicked, the rest need not run
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

// work claims chunks until none is left, as worker number own or as the loop's caller, 0.
func work(own int) {
	done := int64(0)
	for {
		i, ok := claim(crew.shares, own)
		if !ok {
			break
		}
		crew.task.Chunk(i*crew.chunk, min((i+1)*crew.chunk, crew.n))
		if done++; own == 0 && crew.calling.late {
			crew.calling.ran(int(done))
		}
	}
	if crew.counters != nil {
		crew.counters.did(done, own > 0)
	}
}

// hire makes sure that n workers exist.
func hire(n int) {
	for ; crew.workers < n; crew.workers++ {
		go worker(crew.workers + 1)
	}
}

func worker(number int) {
	runtime.LockOSThread()
	done := uint64(0)
	idle := time.Now()
	for spins := 0; ; spins++ {
		g := crew.gate.Load()
		if admits(g, done) && crew.gate.CompareAndSwap(g, g+1) {
			done = g / gateLoop
			help(number)
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
func help(number int) {
	defer func() {
		if v := recover(); v != nil {
			crew.fail.CompareAndSwap(nil, &failure{v})
			withdraw(crew.shares) // the rest need not run
		}
	}()
	work(number)
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
