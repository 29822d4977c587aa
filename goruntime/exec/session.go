package exec

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/pool"
)

// Options are what a Session is opened with; the zero value is good.
type Options struct {
	// Execution and IO are arenas to share; nil makes arenas of the session's
	// own, which Close closes.
	Execution *arena.ExecutionArena
	IO        *arena.IOArena
	// Threads is how many threads a run may use; 0 is all that the process may.
	Threads int
	// NoReuse gives every intermediate memory of its own: for tests of the
	// planner and for looking at values after a run.
	NoReuse bool
	// NoFusion runs every node as a step of its own.
	NoFusion bool
	// Counters makes the session count the loops of its runs.
	Counters bool
	// Custom are operators that the caller brings; may be nil.
	Custom *graph.Custom
	// Engine runs the model; nil is the runtime's own engine.
	Engine Engine
}

// Session is a model ready to run.
//
// Ownership: the caller's until Close. Outputs of its runs outlive it.
// Concurrency: all methods are safe from any goroutine.
type Session struct {
	opts      Options
	model     *onnx.Model
	loaded    Loaded
	execution *arena.ExecutionArena
	io        *arena.IOArena
	inputs    []Info
	outputs   *Target
	counters  *pool.Counters // nil where nothing is counted

	running atomic.Int64
	closed  atomic.Bool
	mu      sync.Mutex // protects targets
	idle    *sync.Cond // running fell to 0 after closed was set
	targets map[string]*Target
}

// New makes a model ready on the engine of opts. The model's memory must stay valid
// until Close; a model that onnx.Open mapped is retained.
//
// Errors: errs.Model and errs.Unsupported, as the engine's Load has them.
func New(m *onnx.Model, opts Options) (*Session, error) {
	var engine Engine = native{}
	if opts.Engine != nil {
		engine = opts.Engine
	}
	loaded, err := engine.Load(m, &opts)
	if err != nil {
		return nil, err
	}
	s := &Session{opts: opts, model: m, loaded: loaded, execution: opts.Execution, io: opts.IO, inputs: loaded.Inputs(), targets: map[string]*Target{}}
	s.idle = sync.NewCond(&s.mu)
	if opts.Counters {
		s.counters = &pool.Counters{}
	}
	if s.outputs, err = s.target(namesOf(loaded.Outputs())); err != nil {
		loaded.Close()
		return nil, err
	}
	if s.execution == nil {
		s.execution = arena.NewExecution(arena.Options{})
	}
	if s.io == nil {
		s.io = arena.NewIO(arena.Options{})
	}
	return s, nil
}

// Open reads and compiles the model file at path.
func Open(path string, opts Options) (*Session, error) {
	m, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := New(m, opts)
	if err != nil {
		m.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) target(names []string) (*Target, error) {
	r, err := s.loaded.Runner(names)
	if err != nil {
		return nil, err
	}
	return &Target{runner: r, Names: names}, nil
}

// Target returns the prepared form of a wish for these values: outputs and, on the
// runtime's own engine, inputs and inner values of the model. Only what they need runs.
//
// Errors: errs.Name with the nearest names for a value that is not there;
// errs.Unsupported for one that the engine does not show.
func (s *Session) Target(names []string) (*Target, error) {
	if slices.Equal(names, s.outputs.Names) {
		return s.outputs, nil
	}
	key := strings.Join(names, "\x00")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil, closedError()
	}
	t := s.targets[key]
	if t == nil {
		var err error
		if t, err = s.target(slices.Clone(names)); err != nil {
			return nil, err
		}
		s.targets[key] = t
	}
	return t, nil
}

// Info describes an input or output of a model.
type Info struct {
	Name     string
	Type     *onnx.Type // as the model declares it, may be nil
	Optional bool       // an input with a default
}

func namesOf(list []Info) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// Inputs returns the inputs of the model in its order.
func (s *Session) Inputs() []Info { return s.inputs }

// Outputs returns the declared outputs of the model in its order.
func (s *Session) Outputs() []Info { return s.loaded.Outputs() }

// Engine returns the name of the engine that runs the model.
func (s *Session) Engine() string { return s.loaded.Engine() }

// Count returns what the loops of the session's runs did until now, nil where
// Options.Counters was not set.
func (s *Session) Count() *pool.Count {
	if s.counters == nil {
		return nil
	}
	c := s.counters.Now()
	return &c
}

// NodeInfo describes a node of the model's own graph, functions in their place.
type NodeInfo struct {
	Name    string   `json:"name"`
	OpType  string   `json:"op_type"`
	Domain  string   `json:"domain"`
	Version int      `json:"version"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	// Bodies are the nodes of its subgraphs.
	Bodies []NodeInfo `json:"bodies,omitempty"`
}

// Nodes returns the nodes of the model in the order in which they run.
//
// Errors: errs.Unsupported on another engine than the runtime's own.
func (s *Session) Nodes() ([]NodeInfo, error) {
	m, err := s.own("the nodes in the order in which they run were asked for")
	if err != nil {
		return nil, err
	}
	return nodesOf(m.g), nil
}

func nodesOf(g *graph.Graph) []NodeInfo {
	list := make([]NodeInfo, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		list[i] = NodeInfo{Name: n.Name, OpType: n.OpType, Domain: n.Domain, Version: n.Version, Inputs: namesIn(g, n.In), Outputs: namesIn(g, n.Out)}
		for _, b := range n.Bodies {
			list[i].Bodies = append(list[i].Bodies, nodesOf(b.Graph)...)
		}
	}
	return list
}

// Values returns the names of all values that can be asked for: inputs,
// constants, and what nodes make, in this order.
//
// Errors: as Nodes.
func (s *Session) Values() ([]string, error) {
	m, err := s.own("the names of inner values were asked for")
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range m.g.Values {
		if id, ok := m.g.Lookup(m.g.Values[i].Name); ok && int(id) == i {
			names = append(names, m.g.Values[i].Name)
		}
	}
	return names, nil
}

// Model returns the model as it was read.
func (s *Session) Model() *onnx.Model { return s.model }

// Execution returns the arena of what dies in a run.
func (s *Session) Execution() *arena.ExecutionArena { return s.execution }

// IO returns the arena of what leaves a run.
func (s *Session) IO() *arena.IOArena { return s.io }

// WeightBytes returns the bytes of packed and folded constants that the session
// holds beside the model; what another engine holds is not known.
func (s *Session) WeightBytes() int64 {
	if m, ok := s.loaded.(*compiled); ok {
		return m.weights.Stats().Live
	}
	return 0
}

func (s *Session) enter() error {
	s.running.Add(1)
	if s.closed.Load() {
		s.leave()
		return closedError()
	}
	return nil
}

// leave ends what enter began. Close sets closed before it looks at running, so one
// of the two sees the other.
func (s *Session) leave() {
	if s.running.Add(-1) == 0 && s.closed.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle.Broadcast()
	}
}

func closedError() error { return errs.New(errs.Closed, "the session is closed") }

// Close waits for the runs of the session and gives back all that it owns.
// Outputs that a caller holds stay valid. A second Close does nothing.
func (s *Session) Close() {
	if s.closed.Swap(true) {
		return
	}
	s.mu.Lock()
	for s.running.Load() > 0 {
		s.idle.Wait()
	}
	s.mu.Unlock()
	s.outputs.runner.Close()
	for _, t := range s.targets {
		t.runner.Close()
	}
	s.loaded.Close()
	if s.opts.Execution == nil {
		s.execution.Close()
	}
	if s.opts.IO == nil {
		s.io.Close()
	}
	s.model.Close()
}

// declared returns a declared tensor type as text: "f32[N, 3, ?]".
func declared(t *onnx.Type) string {
	dims := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		switch {
		case d.Known:
			dims[i] = fmt.Sprint(d.Value)
		case d.Param != "":
			dims[i] = d.Param
		default:
			dims[i] = "?"
		}
	}
	return t.Elem.String() + "[" + strings.Join(dims, ", ") + "]"
}
