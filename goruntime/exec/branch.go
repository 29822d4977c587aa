package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
)

// Branch implements op.Runtime: it runs a subgraph and moves its outputs to those
// of the node.
func (f *frame) Branch(_ *op.Context, attr string) error {
	st := &f.prog.steps[f.now]
	b, err := st.body(attr)
	if err != nil {
		return err
	}
	sub, err := f.enter(b, nil)
	if err != nil {
		return err
	}
	defer sub.leave()
	if len(sub.prog.outputs) != len(st.out) {
		return errs.New(errs.Model, "the subgraph has %d outputs, the node %d", len(sub.prog.outputs), len(st.out))
	}
	for k, v := range st.out {
		sub.outs[k].to = f.exitFor(v)
	}
	if err := sub.runBody(f); err != nil {
		return err
	}
	for k, v := range st.out {
		if v == plan.None {
			continue
		}
		var h op.Held
		sub.give(k, &h)
		f.hold(v, &h)
	}
	return nil
}

// body returns the subgraph of attribute attr.
func (st *step) body(attr string) (*body, error) {
	for i := range st.bodies {
		if st.bodies[i].attr == attr {
			return &st.bodies[i], nil
		}
	}
	return nil, errs.New(errs.Model, "the node has no subgraph %q", attr)
}

// enter returns a frame for a subgraph on these formal inputs and what it
// captures of f, to be ended with leave.
func (f *frame) enter(b *body, in []op.Held) (*frame, error) {
	if want := len(b.unit.inputs) - len(b.captures); len(in) != want {
		return nil, errs.New(errs.Model, "the subgraph %q has %d inputs, %d given", b.attr, want, len(in))
	}
	f.feeds, f.in = f.feeds[:0], f.in[:0]
	for i := range in {
		f.feeds = append(f.feeds, in[i].View)
		f.in = append(f.in, op.Held{Value: in[i].Value})
	}
	for _, v := range b.captures {
		f.feeds = append(f.feeds, f.views[v])
		f.in = append(f.in, op.Held{Value: f.other[f.prog.plan.Of[v]]})
	}
	return b.unit.acquire(f.feeds, f.prog.whole, Resources{Execution: f.run.exec, IO: f.run.io})
}

func (f *frame) leave() {
	f.end()
	f.prog.unit.keepHot(f)
}

// runBody runs a subgraph's frame under a run of outer, whose feeds enter has
// set.
func (f *frame) runBody(outer *frame) error {
	if err := f.begin(outer.run, outer.feeds); err != nil {
		return err
	}
	for i, v := range f.prog.inputs {
		if v >= 0 && outer.in[i].Value != nil {
			f.other[f.prog.plan.Of[v]] = outer.in[i].Value.Retain()
		}
	}
	return f.execute()
}

// exitFor returns where value v of f goes in the end.
func (f *frame) exitFor(v int) exit {
	if v == plan.None {
		return exit{}
	}
	b := f.prog.plan.Of[v]
	if f.prog.plan.Buffers[b].Role != plan.IO {
		return exit{}
	}
	return f.outs[f.prog.exitOf[b]].to
}

// give moves output k out of the frame: its memory, or that it is borrowed.
func (f *frame) give(k int, h *op.Held) {
	b, v := f.outs[k].buf, f.outs[k].view
	h.Drop()
	h.DType, h.Data = v.DType, v.Data
	h.Shape = append(h.Shape, v.Shape...)
	if f.prog.through[k] != made {
		h.Value = f.other[b].Retain()
		return
	}
	h.Block, f.own[b] = f.own[b], arena.Handle{}
	h.Value, f.other[b] = f.other[b], nil
}

// hold moves h into value v of f.
func (f *frame) hold(v int, h *op.Held) {
	o, b := &f.views[v], f.prog.plan.Of[v]
	o.DType = h.DType
	o.Shape = append(o.Shape[:0], h.Shape...)
	f.free(b)
	f.own[b], f.other[b] = h.Block, h.Value
	f.bind(b, h.Data)
	*h = op.Held{}
}

// Call implements op.Controller.
func (f *frame) Call(_ *op.Context, attr string, in, out []op.Held, keep []int) error {
	st := &f.prog.steps[f.now]
	b, err := st.body(attr)
	if err != nil {
		return err
	}
	sub, err := f.enter(b, in)
	if err != nil {
		return err
	}
	defer sub.leave()
	if len(sub.prog.outputs) != len(out) {
		return errs.New(errs.Model, "the subgraph %q has %d outputs, %d expected", attr, len(sub.prog.outputs), len(out))
	}
	for k, slot := range keep {
		sub.outs[k].to = exit{}
		if slot >= 0 && st.out[slot] != plan.None {
			sub.outs[k].to = exit{io: f.exitFor(st.out[slot]).io}
		}
	}
	if err := sub.runBody(f); err != nil {
		return err
	}
	return sub.results(in, out)
}

// results moves the outputs of a loop's body to out. An input that is handed
// through moves, once; a second output that is the same input is a copy.
func (f *frame) results(in, out []op.Held) error {
	for k := range out {
		from := f.prog.through[k]
		if from < 0 || from >= len(in) || !in[from].Block.Valid() {
			if err := f.giveOnce(k, from, &out[k]); err != nil {
				return err
			}
			continue
		}
		block := in[from].Block
		in[from].Block = arena.Handle{}
		f.give(k, &out[k])
		out[k].Block = block
	}
	return nil
}

// giveOnce is give, but for an input whose block moved with an earlier output.
func (f *frame) giveOnce(k, from int, out *op.Held) error {
	f.give(k, out)
	if from < 0 || !slices.Contains(f.prog.through[:k], from) || out.Value != nil {
		return nil
	}
	n := out.Bytes()
	h, err := f.acquire(f.outs[k].to, n)
	if err != nil {
		return err
	}
	copy(bytesOf(h, n), out.Raw())
	out.Block, out.Data = h, h.Data()
	return nil
}
