package exec

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
	"github.com/goruntime/goruntime/goruntime/onnx"
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
	// Custom are operators that the caller brings; may be nil.
	Custom *graph.Custom
}

// Session is a model ready to run.
//
// Ownership: the caller's until Close. Outputs of its runs outlive it.
// Concurrency: all methods are safe from any goroutine.
type Session struct {
	opts      Options
	g         *graph.Graph
	model     *onnx.Model
	execution *arena.ExecutionArena
	io        *arena.IOArena
	weights   *arena.ExecutionArena // packed and folded constants
	packs     packs
	outputs   *Target

	mu      sync.Mutex // protects targets, running and closed
	idle    *sync.Cond // running fell to 0
	targets map[string]*Target
	running int
	closed  bool
}

// New compiles a model. The model's memory must stay valid until Close; a model
// that onnx.Open mapped is retained.
//
// Errors: errs.Model and errs.Unsupported, as graph.Build has them.
func New(m *onnx.Model, opts Options) (*Session, error) {
	s := &Session{
		opts: opts, model: m, execution: opts.Execution, io: opts.IO,
		weights: arena.NewExecution(arena.Options{}), targets: map[string]*Target{},
	}
	s.idle = sync.NewCond(&s.mu)
	g, err := graph.Build(m, func(n int) ([]byte, error) {
		h, err := s.weights.Acquire(n)
		if err != nil {
			return nil, err
		}
		s.packs.hold(h)
		return bytesOf(h, n), nil
	}, opts.Custom)
	if err != nil {
		s.packs.close()
		s.weights.Close()
		return nil, err
	}
	s.g = g
	if s.execution == nil {
		s.execution = arena.NewExecution(arena.Options{})
	}
	if s.io == nil {
		s.io = arena.NewIO(arena.Options{})
	}
	s.outputs = s.target(g.Outputs)
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

func (s *Session) target(wanted []graph.ID) *Target {
	t := &Target{unit: newUnit(s, s.g, wanted)}
	t.unit.inputs = s.g.Inputs
	for _, id := range wanted {
		t.Names = append(t.Names, s.g.Values[id].Name)
	}
	return t
}

// Target returns the compiled form of a wish for these values: outputs, inputs
// or inner values of the model. Only what they need runs.
//
// Errors: errs.Name with the nearest names for a value that is not there.
func (s *Session) Target(names []string) (*Target, error) {
	ids := make([]graph.ID, len(names))
	for i, n := range names {
		id, ok := s.g.Lookup(n)
		if !ok {
			return nil, s.unknown("value", n, s.valueNames())
		}
		ids[i] = id
	}
	if slices.Equal(ids, s.g.Outputs) {
		return s.outputs, nil
	}
	key := strings.Join(names, "\x00")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, closedError()
	}
	t := s.targets[key]
	if t == nil {
		t = s.target(ids)
		s.targets[key] = t
	}
	return t, nil
}

func (s *Session) valueNames() []string {
	names := make([]string, len(s.g.Values))
	for i := range s.g.Values {
		names[i] = s.g.Values[i].Name
	}
	return names
}

func (s *Session) unknown(what, name string, known []string) error {
	return errs.New(errs.Name, "no %s of this name; the nearest are %s", what, nearest.Quoted(name, known, 3)).
		WithInput(name)
}

// Info describes an input or output of a model.
type Info struct {
	Name     string
	Type     *onnx.Type // as the model declares it, may be nil
	Optional bool       // an input with a default
}

// Inputs returns the inputs of the model in its order.
func (s *Session) Inputs() []Info { return s.infos(s.g.Inputs) }

// Outputs returns the declared outputs of the model in its order.
func (s *Session) Outputs() []Info { return s.infos(s.g.Outputs) }

func (s *Session) infos(ids []graph.ID) []Info {
	list := make([]Info, len(ids))
	for i, id := range ids {
		v := &s.g.Values[id]
		list[i] = Info{Name: v.Name, Type: v.Type, Optional: v.Const != nil && v.Input}
	}
	return list
}

// NodeInfo describes a node of the model's own graph, functions in their place.
type NodeInfo struct {
	Name    string   `json:"name"`
	OpType  string   `json:"op_type"`
	Domain  string   `json:"domain"`
	Version int      `json:"version"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
}

// Nodes returns the nodes of the model in the order in which they run.
func (s *Session) Nodes() []NodeInfo {
	list := make([]NodeInfo, len(s.g.Nodes))
	for i := range s.g.Nodes {
		n := &s.g.Nodes[i]
		list[i] = NodeInfo{Name: n.Name, OpType: n.OpType, Domain: n.Domain, Version: n.Version, Inputs: s.namesOf(n.In), Outputs: s.namesOf(n.Out)}
	}
	return list
}

func (s *Session) namesOf(ids []graph.ID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if id != graph.None {
			names[i] = s.g.Values[id].Name
		}
	}
	return names
}

// Values returns the names of all values that can be asked for: inputs,
// constants, and what nodes make, in this order.
func (s *Session) Values() []string {
	var names []string
	for i := range s.g.Values {
		if id, ok := s.g.Lookup(s.g.Values[i].Name); ok && int(id) == i {
			names = append(names, s.g.Values[i].Name)
		}
	}
	return names
}

// Model returns the model as it was read.
func (s *Session) Model() *onnx.Model { return s.model }

// Execution returns the arena of what dies in a run.
func (s *Session) Execution() *arena.ExecutionArena { return s.execution }

// IO returns the arena of what leaves a run.
func (s *Session) IO() *arena.IOArena { return s.io }

// WeightBytes returns the bytes of packed and folded constants that the session
// holds beside the model.
func (s *Session) WeightBytes() int64 { return s.weights.Stats().Live }

func (s *Session) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return closedError()
	}
	s.running++
	return nil
}

func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running--; s.running == 0 && s.closed {
		s.idle.Broadcast()
	}
}

func closedError() error { return errs.New(errs.Closed, "the session is closed") }

// Close waits for the runs of the session and gives back all that it owns.
// Outputs that a caller holds stay valid. A second Close does nothing.
func (s *Session) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	for s.running > 0 {
		s.idle.Wait()
	}
	s.mu.Unlock()
	s.outputs.unit.close()
	for _, t := range s.targets {
		t.unit.close()
	}
	s.packs.close()
	s.weights.Close()
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
