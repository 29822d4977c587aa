package flight

import (
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
)

// hold keeps an answer's memory until gRPC has sent all of it: each segment that was
// handed over ends once, and the last one releases the batch.
type hold struct {
	batch arrow.RecordBatch
	left  atomic.Int64
}

// newHold takes one reference to a batch; the caller ends its own part with done.
func newHold(b arrow.RecordBatch) *hold {
	b.Retain()
	h := &hold{batch: b}
	h.left.Store(1)
	return h
}

func (h *hold) done() {
	if h.left.Add(-1) == 0 {
		h.batch.Release()
	}
}

// segment returns the pool of one buffer: giving the buffer back ends the segment.
//
// gRPC drops queued buffers of a client that died without giving them back, so a
// cleanup ends what was forgotten.
func (h *hold) segment() *segment {
	h.left.Add(1)
	state := &segmentState{h: h}
	s := &segment{state}
	runtime.AddCleanup(s, (*segmentState).end, state)
	return s
}

// segment is a mem.BufferPool of one buffer.
type segment struct{ state *segmentState }

type segmentState struct {
	h     *hold
	ended atomic.Bool
}

func (s *segmentState) end() {
	if !s.ended.Swap(true) {
		s.h.done()
	}
}

// Get is never called: nothing is taken from a segment.
func (s *segment) Get(int) *[]byte { return nil }

// Put ends the segment.
func (s *segment) Put(*[]byte) { s.state.end() }
