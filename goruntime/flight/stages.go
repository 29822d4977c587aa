package flight

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// stage is a part of the time of a batch.
type stage int

// The stages, in the order in which a batch goes through them.
const (
	stageDecode stage = iota // from frames to a record batch
	stageInput               // validating, and copies of what cannot be lent
	stageQueue               // waiting for others to run with, and for a turn
	stageInfer
	stageOutput // results as a record batch
	stageEncode // until gRPC has taken the answer, which waits for slow readers
	numStages
)

var stageNames = [numStages]string{"decode", "input", "queue", "infer", "output", "encode"}

// spent is how long each stage of one batch took. A stage begins where the one before it
// ended, so that each reads the clock once.
type spent struct {
	stages [numStages]time.Duration
	since  time.Duration // when the stage that is under way began, by clock
}

// spending returns what is spent from a time on.
func spending(since time.Duration) *spent { return &spent{since: since} }

// ends ends a stage, and returns how long it took this time.
func (s *spent) ends(of stage) time.Duration {
	now := clock()
	took := now - s.since
	s.stages[of] += took
	s.since = now
	return took
}

// join adds what was spent elsewhere until now.
func (s *spent) join(other *spent) {
	for i, d := range other.stages {
		s.stages[i] += d
	}
	s.since = clock()
}

// total returns the time of all stages.
func (s *spent) total() (d time.Duration) {
	for _, one := range s.stages {
		d += one
	}
	return d
}

var started = time.Now()

// clock returns the time since the process started. It reads one clock, time.Now two.
func clock() time.Duration { return time.Since(started) }

// stages are the times of all batches of a model, for Prometheus and for the action
// stats.
type stages struct {
	observers [numStages]prometheus.Observer
	batches   atomic.Int64
	total     [numStages]atomic.Int64 // nanoseconds
}

func newStages(ms *metrics, model, version string) *stages {
	s := &stages{}
	for i, name := range stageNames {
		s.observers[i] = ms.stages.WithLabelValues(model, version, name)
	}
	return s
}

// add counts one batch that was answered.
func (s *stages) add(t *spent) {
	for i, d := range t.stages {
		s.observers[i].Observe(d.Seconds())
		s.total[i].Add(int64(d))
	}
	s.batches.Add(1)
}

// seconds returns the sum of each stage by its name.
func (s *stages) seconds() map[string]float64 {
	out := make(map[string]float64, numStages)
	for i, name := range stageNames {
		out[name] = time.Duration(s.total[i].Load()).Seconds()
	}
	return out
}
