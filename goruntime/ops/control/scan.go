package control

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Scan runs its body once for each slice of its scan inputs and joins what the
// iterations give along an axis.
// https://onnx.ai/onnx/operators/onnx__Scan.html   Departures: none.
var Scan = op.Declare("", "Scan", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			9: "no batch axis, scan axes", 11: "negative axes", 16: "bfloat16", 19: "float8",
			21: "4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs: op.Attrs(op.Graph("body"), op.Required("num_scan_inputs", op.KindInt), op.Ints("scan_input_axes"),
			op.Ints("scan_input_directions"), op.Ints("scan_output_axes"), op.Ints("scan_output_directions")),
		Control:  true,
		Computes: true,
		Run:      scanRun,
	}
})

// scan is one walk over sequences. The Scan of version 8 makes one for each item
// of its batch.
type scan struct {
	first   int // the input that is the first state
	states  int
	length  int // iterations
	inputs  []sequence
	in, out []op.Held
	keep    []int
	outputs []sequence
}

// sequence is a tensor that is cut into slices along an axis.
type sequence struct {
	view         tensor.View
	axis         int
	reverse      bool
	outer, inner int // elements before and after the axis
	set          bool
}

func scanRun(c *op.Context) error {
	s := &scan{}
	defer s.drop()
	if err := s.layout(c, 0); err != nil {
		return err
	}
	axes, dirs := c.Attr.Ints("scan_input_axes"), c.Attr.Ints("scan_input_directions")
	for k := range s.inputs {
		q := &s.inputs[k]
		q.view = *c.In(s.first + s.states + k)
		axis := 0
		if axes != nil {
			axis = axes[k]
		}
		if err := q.along(axis, dirs != nil && dirs[k] != 0); err != nil {
			return err
		}
		n := q.view.Shape[q.axis]
		if k > 0 && n != s.length {
			return errs.New(errs.Shape, "scan input %d has %d slices, the first has %d: they must be equal", k, n, s.length)
		}
		s.length = n
	}
	for k := range s.states {
		c.HoldInput(s.first+k, &s.in[k])
		s.keep[k] = k
	}
	for t := range s.length {
		if err := s.iterate(c, t); err != nil {
			return err
		}
		if err := s.collect(c, t, scanOutput); err != nil {
			return err
		}
	}
	for k := range s.states {
		if k < c.Outputs() {
			if err := c.Put(k, &s.in[k]); err != nil {
				return err
			}
		}
	}
	return s.empty(c)
}

// layout counts states, inputs and outputs; first is the input that is the first
// state.
func (s *scan) layout(c *op.Context, first int) error {
	scans := c.Attr.Int("num_scan_inputs")
	s.first, s.states = first, c.Inputs()-first-scans
	inputs, outputs, err := c.Body("body")
	if err != nil {
		return err
	}
	if scans < 1 || s.states < 0 || inputs != s.states+scans || len(outputs) < s.states {
		return errs.New(errs.Model, "%d inputs, num_scan_inputs %d, a body with %d inputs and %d outputs: these do not fit", c.Inputs()-first, scans, inputs, len(outputs))
	}
	for _, name := range []string{"scan_input_axes", "scan_input_directions", "directions"} {
		if c.Attr.Declares(name) {
			if list := c.Attr.Ints(name); list != nil && len(list) != scans {
				return errs.New(errs.Model, "%s has %d entries for %d scan inputs", name, len(list), scans)
			}
		}
	}
	for _, name := range []string{"scan_output_axes", "scan_output_directions"} {
		if c.Attr.Declares(name) {
			if list := c.Attr.Ints(name); list != nil && len(list) != len(outputs)-s.states {
				return errs.New(errs.Model, "%s has %d entries for %d scan outputs", name, len(list), len(outputs)-s.states)
			}
		}
	}
	s.inputs, s.outputs = make([]sequence, scans), make([]sequence, len(outputs)-s.states)
	s.in, s.out, s.keep = make([]op.Held, inputs), make([]op.Held, len(outputs)), slices.Repeat([]int{-1}, len(outputs))
	for k := range scans {
		if !c.Has(first + s.states + k) {
			return errs.New(errs.Model, "scan input %d is missing", k)
		}
		if c.InValue(first+s.states+k) != nil {
			return errs.New(errs.Type, "scan input %d is a %v, a tensor expected", k, c.InValue(first+s.states+k).Kind)
		}
	}
	return nil
}

// along sets the axis that q is cut along.
func (q *sequence) along(axis int, reverse bool) error {
	axis, err := tensor.Axis(axis, len(q.view.Shape))
	if err != nil {
		return err
	}
	q.axis, q.reverse, q.set = axis, reverse, true
	q.outer, _, q.inner = q.view.Shape.Around(axis)
	return nil
}

// at returns the position along the axis of slice t.
func (q *sequence) at(t int) int {
	if q.reverse {
		return q.view.Shape[q.axis] - 1 - t
	}
	return t
}

// iterate runs the body on slice t of each scan input.
func (s *scan) iterate(c *op.Context, t int) error {
	if err := c.Stopped(); err != nil {
		return err
	}
	for k := range s.inputs {
		if err := s.inputs[k].cut(c, t, &s.in[s.states+k]); err != nil {
			return err
		}
	}
	if err := c.Call("body", s.in, s.out, s.keep); err != nil {
		return err
	}
	for k := range s.states {
		s.in[k].Move(&s.out[k])
	}
	return nil
}

// collect writes what the iteration gave to slice t of each output, which make
// makes in the first iteration.
func (s *scan) collect(c *op.Context, t int, makeIt func(*op.Context, *scan, int, *op.Held) error) error {
	for k := range s.outputs {
		h := &s.out[s.states+k]
		slot := s.states + k
		if slot >= c.Outputs() || !c.Wants(slot) {
			h.Drop()
			continue
		}
		if h.DType == tensor.Other {
			return errs.New(errs.Type, "scan output %d is a %v, a tensor expected", k, h.Value.Kind)
		}
		q := &s.outputs[k]
		if !q.set {
			if err := makeIt(c, s, k, h); err != nil {
				return err
			}
		}
		if err := q.paste(t, &h.View); err != nil {
			return err
		}
		h.Drop()
	}
	return nil
}

// scanOutput makes output k of the node, for elements like h.
func scanOutput(c *op.Context, s *scan, k int, h *op.Held) error {
	axis := 0
	if axes := c.Attr.Ints("scan_output_axes"); axes != nil {
		axis = axes[k]
	}
	axis, err := tensor.Axis(axis, len(h.Shape)+1)
	if err != nil {
		return err
	}
	out, err := c.MakeOutputTensor(s.states+k, h.DType, slices.Insert(h.Shape.Clone(), axis, s.length))
	if err != nil {
		return err
	}
	s.outputs[k].view = *out
	dirs := c.Attr.Ints("scan_output_directions")
	return s.outputs[k].along(axis, dirs != nil && dirs[k] != 0)
}

// empty makes the outputs of a walk without iterations.
func (s *scan) empty(c *op.Context) error {
	if s.length > 0 {
		return nil
	}
	_, types, err := c.Body("body")
	if err != nil {
		return err
	}
	for k := range s.outputs {
		slot := s.states + k
		if slot >= c.Outputs() || !c.Wants(slot) {
			continue
		}
		dtype, shape, err := declaredElement(types[slot])
		if err != nil {
			return err
		}
		h := op.Held{View: tensor.View{DType: dtype, Shape: shape}}
		if err := scanOutput(c, s, k, &h); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) drop() {
	for i := range s.in {
		s.in[i].Drop()
	}
	for i := range s.out {
		s.out[i].Drop()
	}
}

// cut points h at slice t of q: in place where slices lie in one piece, else in a
// copy, whose memory is used again unless the body kept it.
func (q *sequence) cut(c *op.Context, t int, h *op.Held) error {
	if bits := q.view.DType.Bits(); q.outer == 1 && q.inner*bits%8 == 0 {
		part := q.view.Slice(q.at(t)*q.inner, q.inner)
		part.Shape = slices.Delete(q.view.Shape.Clone(), q.axis, q.axis+1)
		h.Borrow(&part)
		return nil
	}
	if h.Value == nil || !h.Value.Sole() {
		e, err := c.Element(q.view.DType, slices.Delete(q.view.Shape.Clone(), q.axis, q.axis+1))
		if err != nil {
			return err
		}
		h.Drop()
		h.View, h.Value = e.View, e
	}
	q.move(q.at(t), &h.View, false)
	return nil
}

// paste copies v to slice t of q.
func (q *sequence) paste(t int, v *tensor.View) error {
	if want := slices.Delete(q.view.Shape.Clone(), q.axis, q.axis+1); v.DType != q.view.DType || !v.Shape.Equal(want) {
		return errs.New(errs.Shape, "the body's scan output is %v in iteration %d and was %v%v before: all must be alike", v, t, q.view.DType, want)
	}
	q.move(q.at(t), v, true)
	return nil
}

// move copies the slice at position i to v, or from v.
func (q *sequence) move(i int, v *tensor.View, from bool) {
	n, bits := q.view.Shape[q.axis], q.view.DType.Bits()
	if bits < 8 {
		q.movePacked(i, v, from)
		return
	}
	row, all, one := q.inner*bits/8, q.view.Raw(), v.Raw()
	for o := range q.outer {
		a, b := all[(o*n+i)*row:][:row], one[o*row:][:row]
		if from {
			a, b = b, a
		}
		copy(b, a)
	}
}

// movePacked is move for elements below a byte, which need not start at one.
func (q *sequence) movePacked(i int, v *tensor.View, from bool) {
	n, bits := q.view.Shape[q.axis], q.view.DType.Bits()
	all, one := make([]byte, q.view.Elements()), make([]byte, v.Elements())
	tensor.Unpack(all, q.view.Raw(), bits)
	tensor.Unpack(one, v.Raw(), bits)
	for o := range q.outer {
		a, b := all[(o*n+i)*q.inner:][:q.inner], one[o*q.inner:][:q.inner]
		if from {
			a, b = b, a
		}
		copy(b, a)
	}
	if from {
		tensor.Pack(q.view.Raw(), all, bits)
	} else {
		tensor.Pack(v.Raw(), one, bits)
	}
}
