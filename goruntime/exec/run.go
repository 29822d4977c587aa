package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/pool"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// run is what the frames of one run share.
type run struct {
	exec *arena.ExecutionArena
	io   *arena.IOArena
	stop *Stop
	crew pool.Scope
	text []arena.Handle // bytes of strings that the run made
	// others is set where a sequence, an optional or a map may leave the run.
	others bool
	trace  func(*Event)
	peak   int64 // of the trace
	depth  int   // of the subgraph that runs, under a trace
}

// keepText returns n bytes for strings, which live until the run is over.
func (r *run) keepText(n int) ([]byte, error) {
	h, err := r.exec.Acquire(n)
	if err != nil {
		return nil, err
	}
	r.text = append(r.text, h)
	return bytesOf(h, n), nil
}

func (r *run) dropText() {
	for i := range r.text {
		r.text[i].Release()
	}
	r.text = r.text[:0]
}

// Call is one run: what goes in, where it comes out. A caller that keeps its
// Call makes the next run without an allocation.
type Call struct {
	// Target says which values are wanted; nil is the outputs of the model.
	Target *Target
	// In has one view for each of Session.Inputs, in that order; its dtype is
	// Undefined where an input with a default is not fed. A matrix may lie as columns:
	// what takes it so reads them in place, else its rows are gathered by one counted copy.
	// Ownership: borrowed for the run, never written.
	In []tensor.View
	// Values has, where not nil, the sequence, optional or map of each input whose
	// view has the DType tensor.Other.
	Values []*values.Value
	// Lent, where not nil, has one view for each output: memory of the caller
	// that the output is written to, or nil: each memory of its own. An input that lies in
	// it is copied before.
	Lent []*tensor.View
	// Out receives the outputs; it must be as long as the wanted values.
	Out []Result
	// Execution and IO replace the session's arenas where not nil.
	Execution *arena.ExecutionArena
	IO        *arena.IOArena
	// Stop ends the run early; may be nil.
	Stop *Stop
	// Trace, where not nil, is called after each step of the run, on its goroutine.
	Trace func(*Event)
	// Threads, where not 0, replaces the session's number.
	Threads int

	run run
}

// Result is one output of a run. The block of strings holds their bytes too.
//
// Ownership: the caller's. Block is to be released or exported once; it is not
// valid where the output was written to lent memory.
//
// Where the output is a sequence, an optional or a map, Value holds it and DType
// is tensor.Other. Each tensor in it owns its memory, which Take moves out.
type Result struct {
	tensor.View
	Block arena.Handle
	Value *values.Value
}

// Release gives back what r owns.
func (r *Result) Release() {
	r.Block.Release()
	r.Value.Release()
	r.Block, r.Value = arena.Handle{}, nil
}

// Target is a set of values wanted from a session, prepared like its outputs.
type Target struct {
	runner Runner
	// Names are the names of the wanted values, in order.
	Names []string
}

// Run executes the model once.
//
// Concurrency: any number of goroutines may run one Session, each with its own
// Call.
// Errors: errs.Closed after Close; errs.Type, errs.Shape or errs.Name for
// inputs that do not fit the model; errs.Memory at a limit; errs.Canceled and
// errs.Timeout; errs.Compute for values that an operator forbids. After any of
// them nothing is kept and the session is usable.
func (s *Session) Run(c *Call) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	t := c.Target
	if t == nil {
		t = s.outputs
	}
	if len(c.In) != len(s.inputs) || len(c.Out) != len(t.Names) {
		return errs.New(errs.Argument, "%d inputs and %d outputs given, %d and %d expected", len(c.In), len(c.Out), len(s.inputs), len(t.Names))
	}
	if err := c.checkOthers(s.inputs); err != nil {
		return err
	}
	on := s.resources(c)
	if c.Lent != nil {
		lent, err := c.lentSpans(t.Names)
		if err != nil {
			return err
		}
		return c.staged(on, t.runner, lent, s.inputs)
	}
	if _, own := t.runner.(*unit); !own && slices.ContainsFunc(c.In, func(v tensor.View) bool { return !v.Dense() }) {
		return c.staged(on, t.runner, nil, s.inputs)
	}
	return t.runner.Run(c, on)
}

// Run implements Runner.
func (u *unit) Run(c *Call, on Resources) error {
	f, err := u.acquireChecked(c.In, c.Trace != nil || u.m.noFusion, on)
	if err != nil {
		return err
	}
	c.begin(on)
	defer c.end(f)
	return c.execute(f)
}

// Close implements Runner.
func (u *unit) Close() { u.close() }

// end gives back what the run used, also where a kernel raised.
func (c *Call) end(f *frame) {
	f.end()
	c.run.dropText()
	f.prog.unit.keepHot(f)
}

func (c *Call) begin(on Resources) {
	c.run.exec, c.run.io, c.run.stop, c.run.trace, c.run.peak = on.Execution, on.IO, c.Stop, c.Trace, 0
	c.run.crew = pool.Enter(on.Threads).Counting(on.Counters)
}

func (c *Call) execute(f *frame) error {
	if err := c.run.stop.check(); err != nil {
		return err
	}
	f.exitAll(c.Lent)
	c.run.others = f.prog.others
	if err := f.begin(&c.run, c.In); err != nil {
		return err
	}
	if c.Values != nil {
		c.retainOthers(f)
	}
	if err := f.execute(); err != nil {
		return err
	}
	for k := range c.Out {
		if err := c.result(f, k); err != nil {
			c.release(k)
			return err
		}
	}
	return nil
}

// retainOthers lets the frame share the inputs that are no tensors.
func (c *Call) retainOthers(f *frame) {
	for i, v := range f.prog.inputs {
		if v >= 0 && c.In[i].DType == tensor.Other {
			f.other[f.prog.plan.Of[v]] = c.Values[i].Retain()
		}
	}
}

// result moves output k of the frame to the caller.
func (c *Call) result(f *frame, k int) (err error) {
	v, b, o := f.outs[k].view, f.outs[k].buf, &c.Out[k]
	// Field by field: a copy of the whole would wait for the stores just before.
	o.DType, o.Data, o.Value = v.DType, v.Data, nil
	o.Shape = append(o.Shape[:0], v.Shape...)
	o.Block, f.own[b] = f.own[b], arena.Handle{}
	switch {
	case v.DType == tensor.Other:
		o.Value, f.other[b] = f.other[b], nil
		o.Value, err = c.run.own(o.Value)
	case v.DType == tensor.Str:
		o.Block, err = c.run.ownStrings(&o.View, o.Block)
	case o.Block.Valid() && !c.run.io.Holds(o.Block):
		o.Block, err = c.run.migrate(&o.View, o.Block)
	}
	return err
}

// migrate copies an output that a kernel left in the wrong arena, and counts it.
// It takes h.
func (r *run) migrate(v *tensor.View, h arena.Handle) (arena.Handle, error) {
	defer h.Release()
	n := v.Bytes()
	block, err := r.io.Acquire(n)
	if err == nil {
		copy(bytesOf(block, n), v.Raw())
		r.io.CountMigration(n)
		v.Data = block.Data()
	}
	return block, err
}

// release gives back the first n outputs of a run that failed behind them.
func (c *Call) release(n int) {
	for k := range c.Out[:n] {
		c.Out[k].Release()
	}
}

// ownStrings copies a string output into one block with the bytes of its
// elements, which belong to inputs, to the model or to the run. It takes h.
func (r *run) ownStrings(v *tensor.View, h arena.Handle) (arena.Handle, error) {
	from := tensor.Elems[tensor.Text](v)
	total := v.Bytes()
	for _, t := range from {
		total += t.Len()
	}
	block, err := r.io.Acquire(total)
	if err == nil {
		tensor.CopyTexts(bytesOf(block, total), from)
		r.io.CountCopy(arena.CopyConversion, total)
		v.Data = block.Data()
	}
	h.Release()
	return block, err
}
