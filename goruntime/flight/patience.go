package flight

import (
	"sync/atomic"
	"time"
)

// patience bounds how long a stream waits for its client, in each receive and each
// send. gRPC can break off neither, so whoever waits on over ends the stream, and both
// then return.
//
// A wait notes only when it began; the timer looks at the note when the limit may have
// passed, so that waits that end soon cost no timer.
//
// Concurrency: during is for one goroutine; over may be waited on from any.
type patience struct {
	limit time.Duration // 0 or less is none
	since atomic.Int64  // when the wait that is under way began, by clock; 0 where none is
	over  chan struct{}
	timer *time.Timer
	ended atomic.Bool
}

func newPatience(limit time.Duration) *patience {
	p := &patience{limit: limit, over: make(chan struct{})}
	if limit > 0 {
		p.timer = time.AfterFunc(time.Hour, p.look)
		p.timer.Reset(limit) // look needs the timer
	}
	return p
}

// look ends the patience where a wait has lasted for the limit, and else looks again
// when the one that is under way may have.
func (p *patience) look() {
	left := p.limit
	if since := p.since.Load(); since != 0 {
		left -= clock() - time.Duration(since)
	}
	if left <= 0 {
		close(p.over)
		return
	}
	p.timer.Reset(left)
	if p.ended.Load() {
		p.timer.Stop()
	}
}

// end stops looking.
func (p *patience) end() {
	p.ended.Store(true)
	if p.timer != nil {
		p.timer.Stop()
	}
}

// during calls wait, which waits for the client.
func (p *patience) during(wait func() error) error {
	if p.limit <= 0 {
		return wait()
	}
	p.since.Store(int64(clock()))
	defer p.since.Store(0)
	return wait()
}
