package flight

import "time"

// patience bounds how long a stream waits for its client, in each receive and each
// send. gRPC can break off neither, so whoever waits on over ends the stream, and both
// then return.
//
// Concurrency: during is for one goroutine; over may be waited on from any.
type patience struct {
	limit time.Duration // 0 or less is none
	timer *time.Timer
	over  <-chan time.Time
}

func newPatience(limit time.Duration) *patience {
	p := &patience{limit: limit}
	if limit > 0 {
		p.timer = time.NewTimer(limit)
		p.timer.Stop()
		p.over = p.timer.C
	}
	return p
}

// during calls wait, which waits for the client.
func (p *patience) during(wait func() error) error {
	if p.timer != nil {
		p.timer.Reset(p.limit)
		defer p.timer.Stop()
	}
	return wait()
}
