package flight

import (
	"sync/atomic"
	"time"

	"github.com/goruntime/goruntime/goruntime/pool"
)

// crew shares the processors among the runs of a server: a run gets those that no
// other run has, and one where its work is too short to be worth waking others for,
// since threads that wait for more of it take them from the network. The answers do
// not depend on it: kernels give the same bits on any number of threads.
//
// Concurrency: all methods are safe from any goroutine.
type crew struct {
	threads int // all that there are
	running atomic.Int64
}

// worthwhile is the work of a run that is split.
const worthwhile = time.Millisecond

func newCrew(threads int) *crew {
	if threads <= 0 {
		threads = pool.Width()
	}
	return &crew{threads: threads}
}

// begin returns the threads of a run whose work was estimated; end ends it.
func (c *crew) begin(work time.Duration) (threads int) {
	running := int(c.running.Add(1))
	if work < worthwhile {
		return 1
	}
	return max(1, c.threads/running)
}

func (c *crew) end() { c.running.Add(-1) }

// pace is how much work a row of a model is, from the runs before.
type pace struct{ perRow atomic.Int64 } // nanoseconds

// work estimates that of a number of rows; the first run is taken for long.
func (p *pace) work(rows int) time.Duration {
	if per := p.perRow.Load(); per > 0 {
		return time.Duration(per * int64(max(1, rows)))
	}
	return worthwhile
}

// ran tells how long a run took. Runs differ, so the half of the difference counts.
func (p *pace) ran(rows, threads int, took time.Duration) {
	per := max(1, int64(took)*int64(threads)/int64(max(1, rows)))
	if old := p.perRow.Load(); old > 0 {
		per = (old + per) / 2
	}
	p.perRow.Store(max(1, per))
}
