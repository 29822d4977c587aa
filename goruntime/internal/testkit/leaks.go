package testkit

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/lease"
	"github.com/goruntime/goruntime/goruntime/offheap"
	"github.com/goruntime/goruntime/goruntime/own"
)

// patience is how long what other goroutines give back may take: under the race
// detector, one node of a model takes seconds.
const patience = 20 * time.Second

// NoLeaks fails the test unless all off-heap memory that is mapped from here on
// is unmapped at its end, all leases are back, all goroutines have ended and,
// under the invariants tag, nothing was dropped that had to be closed. It is the
// first line of a test, which must not be parallel.
func NoLeaks(t testing.TB) {
	t.Helper()
	own.Lost() // what earlier tests dropped
	bytes, leases, running := offheap.Mapped(), lease.InUse(), len(goroutines())
	t.Cleanup(func() {
		for _, l := range own.Lost() {
			t.Error(l)
		}
		if !Settles(func() bool { return offheap.Mapped() == bytes && lease.InUse() == leases }) {
			t.Errorf("the test leaves %d off-heap bytes and %d leases behind", offheap.Mapped()-bytes, lease.InUse()-leases)
		}
		if !Settles(func() bool { return len(goroutines()) <= running }) {
			t.Errorf("the test leaves goroutines behind, %d ran before:\n%s", running, strings.Join(goroutines(), "\n\n"))
		}
	})
}

// goroutines returns the stacks of those that are not the process's own: the
// workers of the pool and the janitor of the arenas never end.
func goroutines() []string {
	buf := make([]byte, 1<<16)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	return slices.DeleteFunc(strings.Split(string(buf[:n]), "\n\n"), func(stack string) bool {
		return strings.Contains(stack, "goruntime/pool.worker") || strings.Contains(stack, "goruntime/arena.sweepForever")
	})
}

// Settles reports whether done becomes true within patience.
func Settles(done func() bool) bool {
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// PlainBuild skips the test in builds whose checks allocate, touch memory or
// keep it: counts of allocations, faults and pages mean nothing there.
func PlainBuild(t testing.TB) {
	t.Helper()
	if invariants.Enabled || invariants.Race {
		t.Skip("counts are asserted in the plain build only")
	}
}

// Resident returns how many bytes of the process are in memory.
func Resident(t testing.TB) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("the system does not say how much memory is resident: ", err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// Faults returns how many minor page faults the process has had.
func Faults(t testing.TB) int64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Skip("the system counts no page faults: ", err)
	}
	return u.Minflt
}
