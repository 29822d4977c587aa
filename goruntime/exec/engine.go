package exec

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/pool"
)

// Engine makes models ready to run. The runtime's own is what a session has where
// Options name no other; package ortengine is another. Whichever it is, the session
// holds the arenas and the life of a run: outputs are blocks of the I/O arena, and
// nothing of a run outlives it but they.
type Engine interface {
	// Load makes a model ready.
	//
	// Ownership: m stays the session's, and valid until Close of what is returned.
	// Errors: errs.Model, errs.Unsupported for what the engine does not run.
	Load(m *onnx.Model, o *Options) (Loaded, error)
}

// Loaded is a model that an engine has made ready.
//
// Concurrency: all methods but Close are safe from any goroutine; Close is called
// when nothing of the model runs or will.
type Loaded interface {
	// Engine names the engine as errors do: "ONNX Runtime 1.32.0".
	Engine() string
	// Inputs and Outputs describe the model, in its order.
	Inputs() []Info
	Outputs() []Info
	// Runner returns what computes the values of these names, in this order.
	//
	// Errors: errs.Name for a name that the model does not have, errs.Unsupported for a
	// value that the engine does not show.
	Runner(names []string) (Runner, error)
	Close()
}

// Runner computes one set of values of a model.
//
// Concurrency: as Loaded.
type Runner interface {
	// Run executes c once and fills c.Out, which has one result for each value. Numbers
	// of inputs and outputs are right.
	//
	// Errors: as Session.Run; after one of them c.Out owns nothing.
	Run(c *Call, on Resources) error
	Close()
}

// Resources are what one run uses: those of its call, else those of its session.
type Resources struct {
	Execution *arena.ExecutionArena
	IO        *arena.IOArena
	Threads   int            // 0 is all that the process may use
	Counters  *pool.Counters // of the session's loops, nil where they are not counted
}

// resources returns what a run of c uses.
func (s *Session) resources(c *Call) Resources {
	r := Resources{Execution: c.Execution, IO: c.IO, Threads: c.Threads, Counters: s.counters}
	if r.Execution == nil {
		r.Execution = s.execution
	}
	if r.IO == nil {
		r.IO = s.io
	}
	if r.Threads == 0 {
		r.Threads = s.opts.Threads
	}
	return r
}

// own returns the model as the runtime's own engine has it, for what no other
// engine tells.
func (s *Session) own(what string) (*compiled, error) {
	if m, ok := s.loaded.(*compiled); ok {
		return m, nil
	}
	return nil, errs.New(errs.Unsupported, "%s, while this session runs its model in %s: open it on the runtime's own engine for that", what, s.loaded.Engine())
}
