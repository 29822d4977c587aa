package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// exit is where output k of a frame goes.
type exit struct {
	io   bool         // to the I/O arena: it leaves the whole run
	lent *tensor.View // to the caller's memory, or nil
}

// exitAll lets all outputs leave the whole run, to memory of the caller's where it lent
// some.
func (f *frame) exitAll(lent []*tensor.View) {
	for k := range f.outs {
		e := &f.outs[k].to
		if e.io = true; lent != nil {
			e.lent = lent[k]
		} else if e.lent != nil {
			e.lent = nil
		}
	}
}

// own1 gives buffer b memory of its own for n bytes: the caller's where it lent
// some for this output, or from the arena of the buffer's role.
func (f *frame) own1(b, n int) error {
	to := exit{}
	if f.prog.plan.Buffers[b].Role == plan.IO {
		to = f.outs[f.prog.exitOf[b]].to
	}
	return f.ownAt(to, b, n)
}

// ownAt is own1 for a buffer that goes to this exit.
func (f *frame) ownAt(to exit, b, n int) error {
	if to.lent != nil {
		f.bind(b, to.lent.Data)
		return f.checkLent(b, to.lent)
	}
	h, err := f.acquire(to, n)
	if err != nil {
		return err
	}
	f.own[b] = h
	f.bind(b, h.Data())
	return nil
}

func (f *frame) acquire(to exit, n int) (arena.Handle, error) {
	if to.io {
		return f.run.io.Acquire(n)
	}
	return f.run.exec.Acquire(n)
}

// checkLent compares the caller's memory with the output that lands in it, which may
// have another name inside: that of what it only renames.
func (f *frame) checkLent(b int, lent *tensor.View) error {
	k := f.prog.exitOf[b]
	v, u := &f.views[f.prog.outputs[k]], f.prog.unit
	if lent.DType == v.DType && lent.Shape.Equal(v.Shape) {
		return nil
	}
	name := u.g.Values[u.wanted[k]].Name
	return errs.New(errs.Shape, "the memory given for output %q is %v, the output is %v", name, lent, v).WithInput(name)
}

// maker says in an error which node makes value v.
func (f *frame) maker(err error, v int) error {
	for i := range f.prog.steps {
		if st := &f.prog.steps[i]; slices.Contains(st.out, v) {
			return errs.At(err, st.node.OpType, st.node.Name, "")
		}
	}
	return err
}

// largest says in the error of a slab which node makes the largest value in it.
func (f *frame) largest(err error) error {
	most, v := -1, plan.None
	for i, of := range f.prog.plan.Of {
		if of == plan.None {
			continue // nothing makes or reads it
		}
		b := &f.prog.plan.Buffers[of]
		if b.Role == plan.Execution && b.Offset != plan.None && b.Bytes > most {
			most, v = b.Bytes, i
		}
	}
	return f.maker(errs.New(errs.CodeOf(err), "the run's intermediates, of which this node makes the largest: %w", err), v)
}
