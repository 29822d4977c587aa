package exec

import (
	"unsafe" //lint:allow unsafe op.Runtime speaks of memory by address

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/pool"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// dynamic runs a step whose shapes are known only now: the shape rule first,
// then memory for the outputs, then the kernel.
func (f *frame) dynamic(st *step, c *call) error {
	def := st.node.Def
	if done, err := f.otherValues(st, c); done || err != nil {
		return err
	}
	if def.Computes {
		return f.computed(st, c)
	}
	if err := def.Shape(c.infer); err != nil {
		return err
	}
	for k, v := range st.out {
		if v == plan.None {
			continue
		}
		o := &f.views[v]
		o.DType = c.outs[k].DType
		o.Shape = append(o.Shape[:0], c.outs[k].Shape...)
		if k == 0 && def.View {
			o.Data = f.views[st.in[0]].Data
			continue
		}
		n, err := o.Shape.Check(o.DType)
		if err != nil {
			return err
		}
		if err := f.place(f.prog.plan.Of[v], n); err != nil {
			return err
		}
	}
	if def.View {
		return nil
	}
	if err := f.prepareDynamic(st, c); err != nil {
		return err
	}
	return def.Run(&c.Context)
}

// place gives buffer b memory for n bytes. A buffer of known size that lies in
// the slab has it already.
func (f *frame) place(b, n int) error {
	bf := &f.prog.plan.Buffers[b]
	if bf.Bytes != plan.Unsized || f.own[b].Valid() {
		return nil
	}
	return f.own1(b, n)
}

// prepareDynamic picks and prepares the kernel unless the last run left it
// ready for the same types and shapes.
func (f *frame) prepareDynamic(st *step, c *call) error {
	if c.prepared && !c.volatile && c.WorkspaceBytes() == 0 && c.sameInputs() {
		return nil
	}
	if err := c.PickRow(st.node.Def); err != nil {
		return err
	}
	if err := f.prepareLate(st, c); err != nil {
		c.prepared = false
		return err
	}
	c.remember()
	return nil
}

func (c *call) sameInputs() bool {
	for k := range c.seen {
		if c.Has(k) && (c.In(k).DType != c.seen[k].DType || !c.In(k).Shape.Equal(c.seen[k].Shape)) {
			return false
		}
	}
	return true
}

func (c *call) remember() {
	for k := range c.seen {
		if c.Has(k) {
			c.seen[k].DType = c.In(k).DType
			c.seen[k].Shape = append(c.seen[k].Shape[:0], c.In(k).Shape...)
		}
	}
}

// computed runs a step that makes its outputs itself.
func (f *frame) computed(st *step, c *call) error {
	if !st.node.Def.Control {
		if err := f.prepareDynamic(st, c); err != nil {
			return err
		}
	}
	return st.node.Def.Run(&c.Context)
}

// MakeOutput implements op.Runtime.
func (f *frame) MakeOutput(_ *op.Context, slot int, dtype tensor.DType, shape tensor.Shape) (*tensor.View, error) {
	st := &f.prog.steps[f.now]
	v := st.out[slot]
	n, err := shape.Check(dtype)
	if err != nil {
		return nil, err
	}
	f.views[v].DType = dtype
	f.views[v].Shape = append(f.views[v].Shape[:0], shape...)
	return &f.views[v], f.place(f.prog.plan.Of[v], n)
}

// Adopt implements op.Adopter for outputs that leave the run: what dies in it belongs
// to the execution arena, and lent memory is the caller's.
func (f *frame) Adopt(_ *op.Context, slot int, dtype tensor.DType, shape tensor.Shape, p unsafe.Pointer, release func()) (bool, error) {
	v := f.prog.steps[f.now].out[slot]
	b := f.prog.plan.Of[v]
	if to := f.exitFor(v); !to.io || to.lent != nil || f.prog.plan.Buffers[b].Bytes != plan.Unsized || f.own[b].Valid() {
		return false, nil
	}
	n, err := shape.Check(dtype)
	if err != nil {
		release()
	}
	if err != nil || n == 0 {
		return false, err
	}
	h, err := f.run.io.Adopt(p, n, release)
	if err != nil {
		return false, err
	}
	f.views[v].DType = dtype
	f.views[v].Shape = append(f.views[v].Shape[:0], shape...)
	f.own[b] = h
	f.bind(b, p)
	return true, nil
}

// Temporary implements op.Runtime.
func (f *frame) Temporary(_ *op.Context, n int) (unsafe.Pointer, error) {
	h, err := f.run.exec.Acquire(n)
	if err != nil {
		return nil, err
	}
	f.temps = append(f.temps, h)
	return h.Data(), nil
}

// Text implements op.TextMaker: the bytes of an output's strings live until the
// run's caller has read its outputs.
func (f *frame) Text(_ *op.Context, _, n int) ([]byte, error) {
	return f.run.keepText(n)
}

// Pack implements op.Runtime. Forms of the model's constants are the session's;
// forms of folded constants go with the program.
func (f *frame) Pack(c *op.Context, input int, layout string, n int, fill func([]byte) error) ([]byte, error) {
	v := f.valueOf(c.Bound(input))
	if v < 0 || !f.prog.vals[v].known {
		return nil, errs.New(errs.Internal, "input %d was to be packed and is not constant", input)
	}
	key := keyOf(&f.views[v], layout, n)
	if f.prog.vals[v].model {
		return f.prog.unit.m.packs.get(f.prog.unit.m.weights, key, n, fill)
	}
	return f.prog.packs.get(f.prog.unit.m.weights, key, n, fill)
}

func (f *frame) valueOf(v *tensor.View) int {
	for i := range f.views {
		if &f.views[i] == v {
			return i
		}
	}
	return -1
}

// For implements op.Runtime.
func (f *frame) For(n, grain int, task op.Task) { f.run.crew.For(n, grain, task) }

// Threads implements op.Runtime.
// A frame that is being prepared has no run yet: it may be used with as many as
// the process has.
func (f *frame) Threads() int {
	if f.run == nil {
		return pool.Width()
	}
	return f.run.crew.Threads()
}

// Stopped implements op.Runtime.
func (f *frame) Stopped() error { return f.run.stop.check() }
