package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// acquireChecked is acquire for inputs that come from outside: a signature that
// is not known yet is first compared with what the model declares.
func (u *unit) acquireChecked(in []tensor.View, whole bool, on Resources) (*frame, error) {
	if f := u.takeHot(in, whole); f != nil {
		return f, nil
	}
	if p, f := u.find(in, whole); f != nil {
		return f, nil
	} else if p != nil {
		p.done(nil)
	}
	for i := range in {
		if err := u.m.inputs[i].Check(&in[i]); err != nil {
			return nil, err
		}
	}
	return u.acquire(in, whole, on)
}

// Check compares what is fed for an input with what the model declares.
//
// Errors: errs.Name where the input is not fed and has no default, errs.Type, errs.Shape.
func (v *Info) Check(in *tensor.View) error {
	fail := func(code errs.Code, format string, args ...any) error {
		e := errs.New(code, format, args...)
		e.Input = v.Name
		return e
	}
	if in.DType == tensor.Undefined {
		if !v.Optional {
			return fail(errs.Name, "the input is required and was not fed")
		}
		return nil
	}
	t := v.Type
	if t == nil || in.DType == tensor.Other {
		return nil
	}
	if t.Kind == onnx.KindSequence || t.Kind == onnx.KindOptional || t.Kind == onnx.KindMap {
		return fail(errs.Type, "the tensor %v given, %v expected", in, t)
	}
	if t.Elem != tensor.Undefined && t.Elem != in.DType {
		return fail(errs.Type, "%v given, %v expected: convert it before it is fed", in.DType, t.Elem)
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

// sameRows reports whether parts are of the same rows.
func sameRows(a, b []tensor.Part) bool {
	return slices.EqualFunc(a, b, func(x, y tensor.Part) bool { return x.First == y.First && x.End == y.End })
}

// checkOthers compares the inputs that are no tensors with what the model
// declares, and the parts of inputs that lie so with each other. They are not part of a
// signature: each run looks.
func (c *Call) checkOthers(inputs []Info) error {
	var rows []tensor.Part
	for i := range c.In {
		if p := c.In[i].Parts; p != nil {
			if rows != nil && !sameRows(rows, p) {
				return errs.New(errs.Argument, "its parts are of other rows than those of another input: the same expected").WithInput(inputs[i].Name)
			}
			rows = p
		}
		if c.In[i].DType != tensor.Other {
			continue
		}
		v := &inputs[i]
		if i >= len(c.Values) || c.Values[i] == nil {
			return errs.New(errs.Argument, "the input is said to be no tensor, and no value is given").WithInput(v.Name)
		}
		if v.Type != nil && !fits(c.Values[i], v.Type) {
			return errs.New(errs.Type, "%v given, %v expected", c.Values[i], v.Type).WithInput(v.Name)
		}
	}
	return nil
}

// kinds are the types that each kind of value has.
var kinds = map[values.Kind]onnx.Kind{
	values.Tensor: onnx.KindTensor, values.Sequence: onnx.KindSequence, values.Optional: onnx.KindOptional, values.Map: onnx.KindMap,
}

// fits reports whether v is of type t, which may be left open.
func fits(v *values.Value, t *onnx.Type) bool {
	switch {
	case t == nil, t.Kind == onnx.KindUndefined:
		return true
	case kinds[v.Kind] != t.Kind:
		return false
	case v.Kind == values.Tensor:
		return t.Elem == tensor.Undefined || t.Elem == v.View.DType
	case v.Kind == values.Map:
		return v.Items[0].View.DType == t.Key && (t.Of == nil || t.Of.Elem == v.Items[1].View.DType)
	}
	for _, item := range v.Items {
		if !fits(item, t.Of) {
			return false
		}
	}
	return true
}
