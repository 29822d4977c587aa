package pool

import "time"

// Waking a worker takes the caller some microseconds and the worker some tens, which a
// loop of less time is over before. So where all workers sleep, a caller begins alone and
// calls them once what is left is worth it, or once the loops of the last moment were.
const (
	worthCalling = 80 * time.Microsecond
	moment       = 200 * time.Microsecond
)

// calling is what the caller of a loop knows about workers that all sleep.
type calling struct {
	late    bool // nobody was called for the open loop
	helpers int
	chunks  int
	begun   time.Time
	alone   time.Duration // that loops took lately which nobody was called for
	ended   time.Time     // the last of them
}

// open settles whether workers are called as a loop of so many chunks begins. Where there
// are no more chunks than threads, the first tells too late how long the others take.
func (c *calling) open(helpers, chunks int) {
	c.helpers, c.chunks = helpers, chunks
	if c.late = crew.sleep.Load() >= int32(crew.workers) && chunks > helpers+1; !c.late {
		call(helpers)
		return
	}
	c.begun = time.Now()
	if c.begun.Sub(c.ended) > moment {
		c.alone = 0
	}
	if c.alone >= worthCalling {
		c.now()
	}
}

// ran looks, after so many chunks, whether those that are left are worth calling for.
func (c *calling) ran(done int) {
	if spent := time.Since(c.begun); spent*time.Duration(c.chunks-done)/time.Duration(done) >= worthCalling {
		c.now()
	}
}

// close ends a loop.
func (c *calling) close() {
	if c.late {
		c.ended = time.Now()
		c.alone += c.ended.Sub(c.begun)
	}
}

// now calls for the open loop.
func (c *calling) now() {
	c.late, c.alone = false, 0
	call(c.helpers)
}

// call makes sure that n workers exist and are awake.
func call(n int) {
	hire(n)
	if crew.sleep.Load() > 0 {
		wake(n)
	}
}
