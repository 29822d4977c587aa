package exec

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// Value implements op.Controller.
func (f *frame) Value(_ *op.Context, i int) *values.Value {
	v := f.prog.steps[f.now].in[i]
	if v == plan.None || f.views[v].DType != tensor.Other {
		return nil
	}
	return f.other[f.prog.plan.Of[v]]
}

// otherValues refuses values that are no tensors where the step's operator takes
// tensors, and copies those that leave the run twice, by reference. It reports
// whether the step is done.
func (f *frame) otherValues(st *step, c *call) (bool, error) {
	if st.node.Def.Control {
		for _, k := range st.node.Tensors {
			if other := f.Value(nil, k); other != nil {
				return false, notTensor(k, other)
			}
		}
		return false, nil
	}
	for k, v := range st.in {
		if v == plan.None || f.views[v].DType != tensor.Other {
			continue
		}
		other := f.other[f.prog.plan.Of[v]]
		if st.node.Def == aliasCopy {
			return true, f.SetValue(&c.Context, 0, other.Retain())
		}
		return false, notTensor(k, other)
	}
	return false, nil
}

func notTensor(k int, v *values.Value) error {
	return errs.New(errs.Type, "input %d is a %v, a tensor expected", k, v.Kind)
}

// SetValue implements op.Controller. A tensor that stays in the run shares the
// element's memory; one that leaves it is a copy.
func (f *frame) SetValue(c *op.Context, slot int, v *values.Value) error {
	to := f.prog.steps[f.now].out[slot]
	switch {
	case to == plan.None:
		v.Release()
		return nil
	case v.Kind == values.Tensor && f.prog.plan.Buffers[f.prog.plan.Of[to]].Role == plan.IO:
		defer v.Release()
		o, err := f.MakeOutput(c, slot, v.View.DType, v.View.Shape)
		if err == nil {
			copy(o.Raw(), v.View.Raw())
		}
		return err
	}
	h := op.Held{View: tensor.View{DType: tensor.Other}, Value: v}
	if v.Kind == values.Tensor {
		h.View = v.View
	}
	f.hold(to, &h)
	return nil
}

// Element implements op.Controller.
func (f *frame) Element(_ *op.Context, dtype tensor.DType, shape tensor.Shape) (*values.Value, error) {
	n, err := shape.Check(dtype)
	if err != nil {
		return nil, err
	}
	h, err := f.run.element(n)
	if err != nil {
		return nil, err
	}
	return values.NewTensor(tensor.View{DType: dtype, Shape: shape, Data: h.Data()}, h), nil
}

// element returns memory for a tensor of a sequence, optional or map: of the I/O
// arena where such a value may leave the run.
func (r *run) element(n int) (arena.Handle, error) {
	if r.others {
		return r.io.Acquire(n)
	}
	return r.exec.Acquire(n)
}

// Body implements op.Controller.
func (f *frame) Body(_ *op.Context, attr string) (int, []*onnx.Type) {
	b, err := f.prog.steps[f.now].body(attr)
	if err != nil {
		return 0, nil
	}
	g := b.unit.g
	types := make([]*onnx.Type, len(g.Outputs))
	for k, id := range g.Outputs {
		if v := &g.Values[id]; v.Const != nil {
			types[k] = typeOf(v.Const)
		} else {
			types[k] = v.Type
		}
	}
	return len(g.Inputs), types
}

// typeOf returns the type of a constant.
func typeOf(v *tensor.View) *onnx.Type {
	t := &onnx.Type{Kind: onnx.KindTensor, Elem: v.DType, HasShape: true, Dims: make([]onnx.Dim, len(v.Shape))}
	for i, n := range v.Shape {
		t.Dims[i] = onnx.Dim{Known: true, Value: int64(n)}
	}
	return t
}

// Put implements op.Controller.
func (f *frame) Put(c *op.Context, slot int, h *op.Held) error {
	to := f.prog.steps[f.now].out[slot]
	switch {
	case to == plan.None:
		h.Drop()
		return nil
	case h.Value != nil:
		return f.SetValue(c, slot, h.Shared())
	case h.Block.Valid() && f.exitFor(to).lent == nil:
		f.hold(to, h)
		return nil
	}
	o, err := f.MakeOutput(c, slot, h.DType, h.Shape)
	if err == nil {
		copy(o.Raw(), h.Raw())
	}
	h.Drop()
	return err
}

// own makes v, a reference that it takes, leave the run: its tensors become sole
// owners of memory of the I/O arena. Tensors of maps may stay shared, since they
// are read and never lent, but not borrowed.
func (r *run) own(v *values.Value) (*values.Value, error) {
	switch {
	case v.Kind == values.Tensor:
		return r.ownTensor(v)
	case v.Kind == values.Map && !v.Items[0].Borrowed() && !v.Items[1].Borrowed():
		return v, nil
	}
	kind, items := v.Kind, v.Unpack()
	for i, item := range items {
		owned, err := r.own(item)
		if err != nil {
			items[i] = nil // own took it
			values.New(kind, items...).Release()
			return nil, err
		}
		items[i] = owned
	}
	return values.New(kind, items...), nil
}

// ownTensor is own for a tensor: a copy, counted, where it is shared.
func (r *run) ownTensor(v *values.Value) (*values.Value, error) {
	defer v.Release()
	view := v.View
	if view.DType == tensor.Str {
		h, err := r.ownStrings(&view, arena.Handle{})
		if err != nil {
			return nil, err
		}
		return values.NewTensor(view, h), nil
	}
	if v.Sole() && r.io.Holds(v.Block()) {
		return values.NewTensor(view, v.Take()), nil
	}
	n := view.Bytes()
	h, err := r.io.Acquire(n)
	if err != nil {
		return nil, err
	}
	copy(bytesOf(h, n), view.Raw())
	r.io.CountCopy(arena.CopyAlias, n)
	view.Data = h.Data()
	return values.NewTensor(view, h), nil
}
