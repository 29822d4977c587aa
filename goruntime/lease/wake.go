package lease

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/offheap"
)

// Shared is one word block for the process: the janitor's futex and the flag of
// a forked child, at a fixed place that C is told once.
type Shared struct {
	Futex  uint32 // counts wake-ups; the janitor sleeps on it
	Forked uint32 // 1 in a forked child: nothing is woken there
}

var shared atomic.Pointer[Shared]

// Share makes w, which C knows and which is never moved or freed, the process's Shared.
// It is called once, when the program starts.
func Share(w *Shared) {
	if !shared.CompareAndSwap(nil, w) {
		invariants.Bug("the words that leases share were in use already")
	}
}

// SharedWords returns the process's Shared.
func SharedWords() *Shared {
	if w := shared.Load(); w != nil {
		return w
	}
	shared.CompareAndSwap(nil, (*Shared)(mustMap(offheap.Page))) // who comes second leaves a page unused
	return shared.Load()
}

// Wake lets the janitor look after the arenas.
func Wake() {
	w := SharedWords()
	if atomic.LoadUint32(&w.Forked) != 0 {
		return
	}
	atomic.AddUint32(&w.Futex, 1)
	futex(&w.Futex, futexWake, 1)
}

// Sleep waits until Wake was called since seen was read from Shared.Futex.
func Sleep(seen uint32) {
	if invariants.Race {
		return
	}
	futex(&SharedWords().Futex, futexWait, seen)
}

const (
	futexWait = 0
	futexWake = 1
)

func futex(word *uint32, op, val uint32) {
	// SAFETY: word lies in memory that is never unmapped. The wait must not hold a P,
	// so it is a full system call.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), uintptr(op), uintptr(val), 0, 0, 0)
}
