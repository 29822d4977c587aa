package exec

import (
	"time"

	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// EventKind says how a value came to be.
type EventKind string

// The kinds of events.
const (
	EventInput    EventKind = "input"    // fed by the caller
	EventConstant EventKind = "constant" // known before the run, computed where Node says how
	EventNode     EventKind = "node"     // computed
	EventView     EventKind = "view"     // the same memory under another shape
)

// Event is one step of a traced run, or a value that was there before.
//
// Ownership: valid during the call of Call.Trace.
type Event struct {
	Kind     EventKind
	Node     string // empty for inputs and for constants of the model
	OpType   string
	Inputs   []string
	Values   []TracedValue // the outputs of the step
	Duration time.Duration
	Live     int64 // bytes that both arenas hold for runs after the step
	Peak     int64 // the largest such number so far
	Depth    int   // of the subgraph
}

// TracedValue is a value of an Event.
type TracedValue struct {
	Name  string
	View  *tensor.View
	Value *values.Value // where it is no tensor
}

// executeTraced is execute under a trace: renames are events too.
func (f *frame) executeTraced() error {
	f.run.depth++
	defer func() { f.run.depth-- }()
	f.traceKnown()
	for i := range f.prog.steps {
		st := &f.prog.steps[i]
		e := Event{Kind: EventView, Node: st.node.Name, OpType: st.node.OpType, Inputs: f.names(st.in[:st.args])}
		if !st.rename {
			e.Kind = EventNode
			start := time.Now()
			err := f.step(i, true)
			if e.Duration = time.Since(start); err != nil {
				return err
			}
		}
		if st.node.Def == gathered {
			e = Event{Kind: EventInput}
		}
		if st.node.Def != aliasCopy { // what is copied was seen
			f.emit(&e, st.out)
		}
		for _, b := range f.prog.plan.Release[i] {
			f.free(b)
		}
	}
	return nil
}

// traceKnown emits the inputs and the constants that steps read. Inputs that lie as
// columns or in parts are emitted when they are gathered.
func (f *frame) traceKnown() {
	for v := range f.prog.vals {
		switch pv := &f.prog.vals[v]; {
		case !f.views[v].Dense():
		case pv.feed >= 0:
			f.emit(&Event{Kind: EventInput}, []int{v})
		case pv.known:
			e := Event{Kind: EventConstant}
			if o, ok := f.prog.origins.of[v]; ok {
				e.Node, e.OpType, e.Inputs = o.node.Name, o.node.OpType, o.inputs
			}
			f.emit(&e, []int{v})
		}
	}
}

func (f *frame) emit(e *Event, out []int) {
	for _, v := range out {
		if v == plan.None {
			continue
		}
		e.Values = append(e.Values, f.traced(v))
	}
	f.tell(e)
	for _, v := range out {
		if v != plan.None {
			f.emitNames(v)
		}
	}
}

// emitNames emits the further names of value v.
func (f *frame) emitNames(v int) {
	for _, o := range f.prog.origins.names[v] {
		t := f.traced(v)
		t.Name = o.name
		f.tell(&Event{Kind: EventView, Node: o.node.Name, OpType: o.node.OpType, Inputs: o.inputs, Values: []TracedValue{t}})
	}
}

func (f *frame) traced(v int) TracedValue {
	t := TracedValue{Name: f.prog.vals[v].name, View: &f.views[v]}
	if t.View.DType == tensor.Other {
		t.Value = f.other[f.prog.plan.Of[v]]
	}
	return t
}

// tell completes an event and hands it over.
func (f *frame) tell(e *Event) {
	e.Depth = f.run.depth - 1
	e.Live = f.run.exec.Stats().Live + f.run.io.Stats().Live
	f.run.peak = max(f.run.peak, e.Live)
	e.Peak = f.run.peak
	f.run.trace(e)
}

func (f *frame) names(list []int) []string {
	names := make([]string, len(list))
	for i, v := range list {
		if v != plan.None {
			names[i] = f.prog.vals[v].name
		}
	}
	return names
}
