package handles

import (
	"sync"

	"github.com/goruntime/goruntime/goruntime/exec"
)

// Stop cancels any number of runs: those that use it now and, until it is
// closed, those that come later.
//
// Concurrency: all methods are safe from any goroutine.
type Stop struct {
	mu       sync.Mutex // protects all below
	canceled bool
	runs     []*exec.Stop
}

// Enter lets Cancel reach the run that s stops, until Leave.
func (t *Stop) Enter(s *exec.Stop) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = append(t.runs, s)
	if t.canceled {
		s.Cancel()
	}
}

// Leave ends what Enter began.
func (t *Stop) Leave(s *exec.Stop) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range t.runs {
		if r == s {
			t.runs[i] = t.runs[len(t.runs)-1]
			t.runs = t.runs[:len(t.runs)-1]
			return
		}
	}
}

// Cancel ends the runs with errs.Canceled.
func (t *Stop) Cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.canceled = true
	for _, r := range t.runs {
		r.Cancel()
	}
}
