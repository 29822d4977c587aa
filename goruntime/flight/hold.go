package flight

import (
	"runtime"
	"sync"
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

// segments are the segments of a stream, those that ended for further use.
//
// Concurrency: all methods are safe from any goroutine.
type segments struct {
	mu    sync.Mutex // protects ended
	ended []*segment
}

// take returns the pool of one buffer, a part of a held batch: giving the buffer back
// ends the segment.
//
// gRPC drops queued buffers of a client that died without giving them back, so a
// cleanup ends what was forgotten.
func (l *segments) take(h *hold, part []byte) *segment {
	h.left.Add(1)
	l.mu.Lock()
	var s *segment
	if n := len(l.ended); n > 0 {
		s, l.ended = l.ended[n-1], l.ended[:n-1]
	}
	l.mu.Unlock()
	if s == nil {
		s = &segment{state: &segmentState{}, of: l}
		runtime.AddCleanup(s, func(state *segmentState) { state.end() }, s.state)
	}
	s.part = part
	s.state.h.Store(h)
	return s
}

// segment is a mem.BufferPool of one buffer.
type segment struct {
	state *segmentState
	part  []byte
	of    *segments
}

// segmentState is what is left of a segment that was forgotten. It must not lead to the
// segment, or to the list of them.
type segmentState struct{ h atomic.Pointer[hold] }

// end ends the segment, once; it reports whether it had not ended.
func (s *segmentState) end() bool {
	h := s.h.Swap(nil)
	if h != nil {
		h.done()
	}
	return h != nil
}

// Get is never called: nothing is taken from a segment.
func (s *segment) Get(int) *[]byte { return nil }

// Put ends the segment.
func (s *segment) Put(*[]byte) {
	s.part = nil
	if s.state.end() {
		s.of.mu.Lock()
		s.of.ended = append(s.of.ended, s)
		s.of.mu.Unlock()
	}
}
