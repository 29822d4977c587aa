package pool

import "sync/atomic"

// Counters count the loops of the runs that carry them.
//
// Concurrency: read and counted from any goroutine.
type Counters struct {
	loops, limited, busy, chunks, helped atomic.Int64
}

// Count is what Counters hold at one time.
type Count struct {
	Loops   int64 `json:"dispatches"`                // that were begun
	Limited int64 `json:"limited_inline_dispatches"` // of those, that their caller ran alone: too short, or a scope of one thread
	Busy    int64 `json:"busy_inline_dispatches"`    // of those, that their caller ran alone: another loop had the workers
	Chunks  int64 `json:"chunks"`                    // of loops that were split
	Helped  int64 `json:"worker_chunks"`             // of those, that workers ran
}

// Now returns what was counted until now.
func (c *Counters) Now() Count {
	return Count{c.loops.Load(), c.limited.Load(), c.busy.Load(), c.chunks.Load(), c.helped.Load()}
}

// begun counts a loop; inline is whether its caller runs it alone, limited why.
func (c *Counters) begun(inline, limited bool) {
	c.loops.Add(1)
	switch {
	case inline && limited:
		c.limited.Add(1)
	case inline:
		c.busy.Add(1)
	}
}

// did counts chunks of a loop that was split.
func (c *Counters) did(chunks int64, worker bool) {
	c.chunks.Add(chunks)
	if worker {
		c.helped.Add(chunks)
	}
}
