package op

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// Held is a value in the hands of an operator that runs subgraphs: a tensor with
// the block it lies in, or a sequence, optional or map.
//
// Ownership: Block, where valid, and Value, where not nil, are the holder's until
// Drop or until they are moved on. A tensor with neither is borrowed.
type Held struct {
	tensor.View // DType is tensor.Other where Value is no tensor
	Block       arena.Handle
	Value       *values.Value
}

// Drop gives back what h owns. The zero Held owns nothing.
func (h *Held) Drop() {
	if h.Block.Valid() {
		h.Block.Release()
	}
	h.Value.Release()
	*h = Held{View: tensor.View{Shape: h.Shape[:0]}}
}

// Borrow points h at a tensor that somebody else owns.
func (h *Held) Borrow(v *tensor.View) {
	h.Drop()
	h.DType, h.Data = v.DType, v.Data
	h.Shape = append(h.Shape, v.Shape...)
}

// Move takes over what from holds; from is empty after it.
func (h *Held) Move(from *Held) {
	h.Drop()
	shape := h.Shape
	*h = *from
	*from = Held{View: tensor.View{Shape: shape}}
}

// Controller is the part of a Runtime that operators with Control use: values
// that are no tensors, and subgraphs with inputs.
type Controller interface {
	// Value returns input i of the node where it is no tensor, else nil.
	Value(c *Context, i int) *values.Value
	// SetValue makes v, which it takes, output slot of the node.
	SetValue(c *Context, slot int, v *values.Value) error
	// Element returns memory for a tensor of a sequence, optional or map.
	Element(c *Context, dtype tensor.DType, shape tensor.Shape) (*values.Value, error)
	// Call runs the subgraph of attribute attr on in, its formal inputs, and moves
	// its outputs to out. keep tells which outputs become outputs of the node.
	Call(c *Context, attr string, in, out []Held, keep []int) error
	// Put moves h to output slot of the node.
	Put(c *Context, slot int, h *Held) error
	// Body describes the subgraph of attribute attr: how many formal inputs it has,
	// and the declared types of its outputs, nil where there is none.
	Body(c *Context, attr string) (inputs int, outputs []*onnx.Type)
}

func (c *Context) controller() (Controller, error) {
	if r, ok := c.rt.(Controller); ok {
		return r, nil
	}
	return nil, errs.New(errs.Unsupported, "values other than tensors are not supported here")
}

// InValue returns input i where it is a sequence, an optional or a map; nil where
// it is a tensor or omitted.
//
// Ownership: borrowed; Retain what is kept.
func (c *Context) InValue(i int) *values.Value {
	r, err := c.controller()
	if err != nil || i >= len(c.in) {
		return nil
	}
	return r.Value(c, i)
}

// Items returns the elements of input i, which must be a value of this kind.
//
// Errors: errs.Type.
func (c *Context) Items(i int, kind values.Kind) ([]*values.Value, error) {
	v := c.InValue(i)
	switch {
	case v != nil && v.Kind == kind:
		return v.Items, nil
	case v != nil:
		return nil, errs.New(errs.Type, "input %d is a %v, a %v expected", i, v.Kind, kind)
	case c.Has(i):
		return nil, errs.New(errs.Type, "input %d is the tensor %v, a %v expected", i, c.in[i], kind)
	}
	return nil, errs.New(errs.Type, "input %d is missing, a %v expected", i, kind)
}

// SetValue makes v output slot of the node. A tensor may be output too: its
// memory is shared where the value stays in the run.
//
// Ownership: v is taken, also on an error.
func (c *Context) SetValue(slot int, v *values.Value) error {
	r, err := c.controller()
	if err != nil {
		v.Release()
		return err
	}
	return r.SetValue(c, slot, v)
}

// Element returns memory for a tensor of a sequence, optional or map, not
// cleared.
//
// Errors: errs.Memory where a limit would be exceeded.
func (c *Context) Element(dtype tensor.DType, shape tensor.Shape) (*values.Value, error) {
	r, err := c.controller()
	if err != nil {
		return nil, err
	}
	return r.Element(c, dtype, shape)
}

// Keep returns input i as a value to put into another: a copy of a tensor, or one
// more reference to any other value.
func (c *Context) Keep(i int) (*values.Value, error) {
	if v := c.InValue(i); v != nil {
		return v.Retain(), nil
	}
	if !c.Has(i) {
		return nil, errs.New(errs.Type, "input %d is missing", i)
	}
	v := c.in[i]
	e, err := c.Element(v.DType, v.Shape)
	if err == nil {
		copy(e.View.Raw(), v.Raw())
	}
	return e, err
}

// Call runs the subgraph of attribute attr once: in are its formal inputs, which
// it may move to out where the subgraph hands them through; its outputs are
// moved to out. keep has, for each output, the slot of the node that it will
// become, or -1: its memory is then that slot's from the start.
func (c *Context) Call(attr string, in, out []Held, keep []int) error {
	r, err := c.controller()
	if err != nil {
		return err
	}
	return r.Call(c, attr, in, out, keep)
}

// Body describes the subgraph of attribute attr: how many formal inputs it has,
// and the declared types of its outputs, nil where there is none.
func (c *Context) Body(attr string) (inputs int, outputs []*onnx.Type, err error) {
	r, err := c.controller()
	if err != nil {
		return 0, nil, err
	}
	inputs, outputs = r.Body(c, attr)
	return inputs, outputs, nil
}

// Put moves h to output slot of the node.
func (c *Context) Put(slot int, h *Held) error {
	r, err := c.controller()
	if err != nil {
		return err
	}
	return r.Put(c, slot, h)
}

// HoldInput returns input i as something held: a borrowed tensor, or one more
// reference to any other value.
func (c *Context) HoldInput(i int, h *Held) {
	if v := c.InValue(i); v != nil {
		h.Drop()
		h.DType, h.Value = tensor.Other, v.Retain()
		return
	}
	h.Borrow(c.in[i])
}

// Shared moves out the value that h holds by count, h.Value, as h shows it: a tensor of
// another shape or type in the memory of h.Value is a part of it. h is empty after it.
//
// Ownership: the reference is the caller's.
func (h *Held) Shared() *values.Value {
	v := h.Value
	if v.Kind == values.Tensor && (v.View.DType != h.DType || v.View.Data != h.Data || !v.View.Shape.Equal(h.Shape)) {
		v = v.Part(h.View)
	} else {
		h.Value = nil
	}
	h.Drop()
	return v
}

// ValueOf turns h, which is empty after it, into a value to put into another: its
// block moves, a borrowed tensor is copied.
func (c *Context) ValueOf(h *Held) (*values.Value, error) {
	switch {
	case h.Value != nil:
		return h.Shared(), nil
	case h.Block.Valid():
		v := values.NewTensor(h.View, h.Block)
		h.Block = arena.Handle{}
		h.Drop()
		return v, nil
	}
	e, err := c.Element(h.DType, h.Shape)
	if err == nil {
		copy(e.View.Raw(), h.Raw())
	}
	h.Drop()
	return e, err
}
