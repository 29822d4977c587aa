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

// spent is how long each stage of one batch took.
type spent [numStages]time.Duration

// timed adds the time that do takes to a stage.
func (s *spent) timed(of stage, do func() error) error {
	start := time.Now()
	err := do()
	s[of] += time.Since(start)
	return err
}

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
	for i, d := range t {
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
