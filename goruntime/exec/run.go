package exec

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/pool"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// run is what the frames of one run share.
type run struct {
	exec *arena.ExecutionArena
	io   *arena.IOArena
	stop *Stop
	crew pool.Scope
	text []arena.Handle // bytes of strings that the run made
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
	// Undefined where an input with a default is not fed.
	// Ownership: borrowed for the run, never written.
	In []tensor.View
	// Lent, where not nil, has one view for each output: memory of the caller
	// that the output is written to, or nil.
	Lent []*tensor.View
	// Out receives the outputs; it must be as long as the wanted values.
	Out []Result
	// Execution and IO replace the session's arenas where not nil.
	Execution *arena.ExecutionArena
	IO        *arena.IOArena
	// Stop ends the run early; may be nil.
	Stop *Stop
	// Threads, where not 0, replaces the session's number.
	Threads int

	run run
}

// Result is one output of a run. The block of strings holds their bytes too.
//
// Ownership: the caller's. Block is to be released or exported once; it is not
// valid where the output was written to lent memory.
type Result struct {
	tensor.View
	Block arena.Handle
}

// Target is a set of values wanted from a session, compiled like its outputs.
type Target struct {
	unit *unit
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
	if len(c.In) != len(t.unit.inputs) || len(c.Out) != len(t.unit.wanted) {
		return errs.New(errs.Argument, "%d inputs and %d outputs given, %d and %d expected", len(c.In), len(c.Out), len(t.unit.inputs), len(t.unit.wanted))
	}
	f, err := t.unit.acquireChecked(c.In)
	if err != nil {
		return err
	}
	c.begin(s)
	defer c.end(f)
	return c.execute(f)
}

// end gives back what the run used, also where a kernel raised.
func (c *Call) end(f *frame) {
	c.run.crew.Leave()
	f.end()
	c.run.dropText()
	f.prog.done(f)
}

func (c *Call) begin(s *Session) {
	c.run.exec, c.run.io, c.run.stop = c.Execution, c.IO, c.Stop
	if c.run.exec == nil {
		c.run.exec = s.execution
	}
	if c.run.io == nil {
		c.run.io = s.io
	}
	n := c.Threads
	if n == 0 {
		n = s.opts.Threads
	}
	c.run.crew = pool.Enter(n)
}

func (c *Call) execute(f *frame) error {
	if err := c.run.stop.check(); err != nil {
		return err
	}
	for k := range f.exits {
		f.exits[k] = exit{io: true}
		if c.Lent != nil {
			f.exits[k].lent = c.Lent[k]
		}
	}
	if err := f.begin(&c.run, c.In); err != nil {
		return err
	}
	if err := f.execute(); err != nil {
		return err
	}
	for k := range c.Out {
		view, h := f.take(k)
		o := &c.Out[k]
		if view.DType == tensor.Str {
			var err error
			if h, err = c.run.ownStrings(&view, h); err != nil {
				c.release(k)
				return err
			}
		}
		o.DType, o.Data, o.Block = view.DType, view.Data, h
		o.Shape = append(o.Shape[:0], view.Shape...)
	}
	return nil
}

// release gives back the first n outputs of a run that failed behind them.
func (c *Call) release(n int) {
	for k := range c.Out[:n] {
		c.Out[k].Block.Release()
		c.Out[k].Block = arena.Handle{}
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

// acquireChecked is acquire for inputs that come from outside: a signature that
// is not known yet is first compared with what the model declares.
func (u *unit) acquireChecked(in []tensor.View) (*frame, error) {
	if p, f := u.find(in); f != nil {
		return f, nil
	} else if p != nil {
		p.done(nil)
	}
	for i := range in {
		if err := checkInput(&u.g.Values[u.inputs[i]], &in[i]); err != nil {
			return nil, err
		}
	}
	return u.acquire(in)
}

func checkInput(v *graph.Value, in *tensor.View) error {
	fail := func(code errs.Code, format string, args ...any) error {
		e := errs.New(code, format, args...)
		e.Input = v.Name
		return e
	}
	if in.DType == tensor.Undefined {
		if v.Const == nil {
			return fail(errs.Name, "the input is required and was not fed")
		}
		return nil
	}
	t := v.Type
	if t == nil {
		return nil
	}
	if t.Elem != tensor.Undefined && t.Elem != in.DType {
		return fail(errs.Type, "%v given, %v expected", in.DType, t.Elem)
	}
	if !t.HasShape {
		return nil
	}
	if len(t.Dims) != len(in.Shape) {
		return fail(errs.Shape, "rank %d given (shape %v), rank %d expected (%s)", len(in.Shape), in.Shape, len(t.Dims), declared(t))
	}
	for i, d := range t.Dims {
		if d.Known && d.Value > 0 && int(d.Value) != in.Shape[i] {
			return fail(errs.Shape, "dimension %d is %d (shape %v), %d expected (%s)", i, in.Shape[i], in.Shape, d.Value, declared(t))
		}
	}
	return nil
}
