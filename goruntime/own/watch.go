package own

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
)

// Watch is the duty to end one object. Under the invariants tag an object that
// the collector takes before End was called is reported by Lost, with the stack
// that made it; in other builds a Watch is empty and costs nothing.
type Watch struct{ d *duty }

type duty struct {
	kind string
	made invariants.Stack
	done atomic.Bool
}

var lost struct {
	sync.Mutex // protects reports
	reports    []string
}

// Over watches p until End. What is reported names kind and the caller of the
// function that calls Over. p must not be reachable from where it outlives its
// owner, else it is never lost.
func Over[T any](p *T, kind string) Watch {
	if !invariants.Enabled {
		return Watch{}
	}
	d := &duty{kind: kind, made: invariants.Caller()}
	runtime.AddCleanup(p, report, d)
	return Watch{d}
}

// End says that the object was ended as it should be. It may be called again.
func (w Watch) End() {
	if w.d != nil {
		w.d.done.Store(true)
	}
}

func report(d *duty) {
	if d.done.Load() {
		return
	}
	lost.Lock()
	defer lost.Unlock()
	lost.reports = append(lost.reports, fmt.Sprintf("%s was dropped and never closed; it was made by\n%s", d.kind, d.made))
}

// Lost runs the collector and returns what was dropped without End since the
// last call. It is for tests, and returns nothing without the invariants tag.
func Lost() []string {
	if !invariants.Enabled {
		return nil
	}
	for range 2 {
		collect()
	}
	lost.Lock()
	defer lost.Unlock()
	reports := lost.reports
	lost.reports = nil
	return reports
}

// collect runs the collector until its cleanups ran: until one of an object
// that was dropped here did.
func collect() {
	ran := make(chan struct{})
	runtime.AddCleanup(&duty{kind: "sentinel"}, func(c chan struct{}) { close(c) }, ran)
	for {
		runtime.GC()
		select {
		case <-ran:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
