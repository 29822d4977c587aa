package exec

import (
	"slices"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// frame is the mutable half of a program: its tensors, bound to memory, and a
// context for each step. One run uses it at a time.
type frame struct {
	prog  *program
	views []tensor.View
	nodes []call
	order []int           // the steps that run: all but renames and those without anything to move
	own   []arena.Handle  // of each buffer with memory of its own in this run
	other []*values.Value // of each buffer, where it holds no tensor or an element of a value that is none
	slab  arena.Handle
	at    unsafe.Pointer // where the slab lay when the buffers were bound last
	temps []arena.Handle
	in    []op.Held // scratch for the inputs of subgraphs
	feeds []tensor.View
	lies  [][]lying // the values in each buffer
	ins   []intake
	outs  []outlet
	run   *run
	now   int // the step that runs
}

// call is one step of a frame.
type call struct {
	op.Context
	outs     []tensor.View // what the shape rule of a dynamic step writes to
	infer    *op.Infer
	prepared bool
	volatile bool          // Prepare depends on values: again in each run
	seen     []tensor.View // dtypes and shapes at the last Prepare of a dynamic step
}

// newFrame makes a frame of p. The program's first frame plans it: plan is
// called with the workspace that each step asked for.
func newFrame(p *program, planIt func(work []int)) (*frame, error) {
	f := &frame{prog: p, views: make([]tensor.View, len(p.vals)), nodes: make([]call, len(p.steps))}
	for i := range p.vals {
		f.views[i] = p.vals[i].view
		f.views[i].Columns = slices.Clone(p.vals[i].view.Columns)
		if !p.vals[i].shaped {
			f.views[i].Shape = make(tensor.Shape, 0, 8)
		}
	}
	work := make([]int, len(p.steps))
	for i := range p.steps {
		if err := f.prepareStep(i); err != nil {
			n := p.steps[i].node
			return nil, errs.At(err, n.OpType, n.Name, "")
		}
		if p.steps[i].static {
			work[i] = f.nodes[i].WorkspaceBytes()
		}
	}
	if planIt != nil {
		planIt(work)
	}
	for i := range p.steps {
		if !p.steps[i].rename && !p.plan.Idle[i] {
			f.order = append(f.order, i)
		}
	}
	f.own = make([]arena.Handle, len(p.plan.Buffers))
	f.other = make([]*values.Value, len(p.plan.Buffers))
	f.connect()
	return f, nil
}

// prepareStep binds the context of step i and, where all is known, picks its
// kernel and prepares it.
func (f *frame) prepareStep(i int) error {
	st, c := &f.prog.steps[i], &f.nodes[i]
	n := st.node
	c.Attr, c.Version, c.Opset = &n.Attrs, n.Version, n.Opset
	in, out, constant := make([]*tensor.View, st.args), make([]*tensor.View, len(st.out)), make([]bool, st.args)
	for k, v := range st.in[:st.args] {
		if v != plan.None {
			in[k], constant[k] = &f.views[v], f.prog.vals[v].known
		}
	}
	for k, v := range st.out {
		if v != plan.None {
			out[k] = &f.views[v]
		}
	}
	c.Bind(op.Bind{Runtime: f, In: in, Out: out, Constant: constant, Tail: f.tail(st)})
	if !st.static {
		c.outs = make([]tensor.View, len(st.out))
		c.seen = make([]tensor.View, st.args)
		c.infer = op.NewInfer(&n.Attrs, n.Version, n.Opset, in, nil, c.outs)
		return nil
	}
	if st.rename {
		return nil
	}
	if err := c.PickRow(n.Def); err != nil {
		return err
	}
	var err error
	c.volatile, err = c.Prepare(n.Def)
	return err
}

// tail returns the chain of a step, or nil.
func (f *frame) tail(st *step) *op.Tail {
	if st.tail == nil {
		return nil
	}
	in := make([]*tensor.View, len(st.tail.in))
	for k, v := range st.tail.in {
		in[k] = &f.views[v]
	}
	return op.NewTail(st.tail.program, in, st.tail.onto)
}

// bind points all values of a buffer at p.
func (f *frame) bind(buf int, p unsafe.Pointer) {
	for _, l := range f.lies[buf] {
		//lint:allow unsafe offsets of the plan
		// SAFETY: the plan's offsets lie inside the buffer.
		l.view.Data = unsafe.Add(p, l.at)
	}
}

// bindSlab points everything planned at the slab that starts at p.
func (f *frame) bindSlab(p unsafe.Pointer) {
	f.at = p
	for b := range f.prog.plan.Buffers {
		if bf := &f.prog.plan.Buffers[b]; bf.Role == plan.Execution && bf.Offset != plan.None {
			//lint:allow unsafe offsets of the plan
			// SAFETY: the plan's offsets lie inside the slab.
			f.bind(b, unsafe.Add(p, bf.Offset))
		}
	}
	for i, w := range f.prog.plan.Workspace {
		if w != plan.None {
			// SAFETY: as above.
			f.nodes[i].BindWorkspace(unsafe.Add(p, w))
		}
	}
}

// begin binds the inputs and the memory that is known before the run. f.outs
// says where the outputs go.
func (f *frame) begin(r *run, in []tensor.View) error {
	f.run = r
	for i := range f.ins {
		f.ins[i].take(&in[i])
	}
	if n := f.prog.plan.Slab; n > 0 {
		h, err := r.exec.Acquire(n)
		if err != nil {
			return f.largest(err)
		}
		f.slab = h
		if h.Data() != f.at {
			f.bindSlab(h.Data())
		}
	}
	for k := range f.outs {
		o := &f.outs[k]
		if o.bytes == plan.Unsized {
			continue
		}
		if err := f.ownAt(o.to, o.buf, o.bytes); err != nil {
			return f.maker(err, f.prog.outputs[k])
		}
	}
	return nil
}

// execute runs the steps in order.
func (f *frame) execute() error {
	if f.run.trace != nil {
		return f.executeTraced()
	}
	for k, i := range f.order {
		if err := f.step(i, k&31 == 31); err != nil {
			return err
		}
		for _, b := range f.prog.plan.Release[i] {
			f.free(b)
		}
	}
	return nil
}

// step runs step i; look asks whether the run is to end, where the step does not.
// What dies in the step is the caller's to free.
func (f *frame) step(i int, look bool) error {
	st := &f.prog.steps[i]
	f.now = i
	var err error
	if st.static {
		err = f.static(st, &f.nodes[i])
	} else {
		err = f.dynamic(st, &f.nodes[i])
	}
	if err == nil && (st.heavy || look) {
		err = f.run.stop.check()
	}
	if len(f.temps) > 0 {
		f.freeTemps()
	}
	if err != nil {
		return errs.At(err, st.node.OpType, st.node.Name, "")
	}
	if invariants.Enabled {
		f.verifyOutputs(st)
	}
	return nil
}

// free gives back what buffer b owns.
func (f *frame) free(b int) {
	if f.own[b].Valid() {
		f.own[b].Release()
		f.own[b] = arena.Handle{}
	}
	if f.other[b] != nil {
		f.other[b].Release()
		f.other[b] = nil
	}
}

func (f *frame) static(st *step, c *call) error {
	if c.volatile {
		if err := f.prepareLate(st, c); err != nil {
			return err
		}
	}
	switch {
	case st.node.Def == gathered:
		f.run.io.CountCopy(gatherReason(c.In(0)), c.In(0).Bytes())
	case st.node.Def == aliasCopy && f.exitFor(st.out[0]).io:
		f.run.io.CountCopy(arena.CopyAlias, c.In(0).Bytes())
	}
	return st.node.Def.Run(&c.Context)
}

// prepareLate prepares a step of known shapes whose Prepare reads values of the
// run. Its workspace was not planned.
func (f *frame) prepareLate(st *step, c *call) error {
	var err error
	c.volatile, err = c.Prepare(st.node.Def)
	if err != nil {
		return err
	}
	return f.lateWorkspace(&c.Context)
}

func (f *frame) lateWorkspace(c *op.Context) error {
	n := c.WorkspaceBytes()
	if n == 0 {
		return nil
	}
	p, err := f.Temporary(c, n)
	c.BindWorkspace(p)
	return err
}

// end gives back all memory of the run but what moved out.
func (f *frame) end() {
	f.freeTemps()
	for b := range f.own {
		if f.own[b].Valid() || f.other[b] != nil {
			f.free(b)
		}
	}
	if f.slab.Valid() {
		f.slab.Release()
		f.slab = arena.Handle{}
	}
	f.run = nil
}

func (f *frame) freeTemps() {
	for i := range f.temps {
		f.temps[i].Release()
		f.temps[i] = arena.Handle{}
	}
	f.temps = f.temps[:0]
}
