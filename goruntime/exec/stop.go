package exec

import (
	"sync/atomic"
	"time"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// pollEvery is how often a run asks its caller for signals.
const pollEvery = 20 * time.Millisecond

// Stop ends runs early: by Cancel from any thread, at a deadline, or where the
// caller's Poll says so. The zero value never stops; one Stop serves one run at
// a time.
type Stop struct {
	// Deadline ends the run with errs.Timeout; the zero time is none.
	Deadline time.Time
	// Poll is called on the run's goroutine at most every 20 ms, between nodes;
	// an error ends the run. May be nil.
	Poll func() error

	// Parent, where not nil, ends the run too when it is canceled.
	Parent *Stop

	canceled atomic.Bool
	next     time.Time
}

// Cancel ends the run that uses s, and the next one, with errs.Canceled.
// Concurrency: safe from any goroutine.
func (s *Stop) Cancel() { s.canceled.Store(true) }

// Reset makes a canceled Stop usable again.
func (s *Stop) Reset() { s.canceled.Store(false) }

// Err returns the error that ends a run now, nil for none.
func (s *Stop) Err() error { return s.check() }

// lookEvery is how often Wait looks whether a run is to end.
const lookEvery = 5 * time.Millisecond

// Wait waits for the end of work that cannot look at s itself and sends its error to
// done. It looks on the caller's goroutine, whose thread Poll may need; when the run is
// to end it calls end, once, after which the work is to end soon. The error is that of
// the Stop where there was one, else that of the work.
func (s *Stop) Wait(done <-chan error, end func()) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-look.C:
			if err := s.check(); err != nil {
				end()
				<-done
				return err
			}
		}
	}
}

// check returns the error that ends the run, or nil. A nil Stop never ends it.
func (s *Stop) check() error {
	if s == nil {
		return nil
	}
	if s.canceled.Load() || (s.Parent != nil && s.Parent.canceled.Load()) {
		return errs.New(errs.Canceled, "the run was canceled")
	}
	if s.Poll == nil && s.Deadline.IsZero() {
		return nil
	}
	now := time.Now()
	if !s.Deadline.IsZero() && now.After(s.Deadline) {
		return errs.New(errs.Timeout, "the run's time limit passed")
	}
	if s.Poll != nil && now.After(s.next) {
		s.next = now.Add(pollEvery)
		return s.Poll()
	}
	return nil
}
