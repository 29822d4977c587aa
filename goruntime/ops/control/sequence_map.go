package control

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceMap runs its body on each element of its sequences.
// https://onnx.ai/onnx/operators/onnx__SequenceMap.html   Departures: none.
var SequenceMap = op.Declare("", "SequenceMap", func() op.Def {
	return op.Def{
		Versions: op.Versions{17: ""},
		Attrs:    op.Attrs(op.Graph("body")),
		Control:  true,
		Computes: true,
		Run:      sequenceMapRun,
	}
})

// mapping is one SequenceMap under way.
type mapping struct {
	n       int
	in, out []op.Held
	keep    []int
	made    [][]*values.Value // of each output, the elements so far
}

func sequenceMapRun(c *op.Context) error {
	first, err := c.Items(0, values.Sequence)
	if err != nil {
		return err
	}
	inputs, outputs, err := c.Body("body")
	if err != nil {
		return err
	}
	if inputs != c.Inputs() {
		return errs.New(errs.Model, "the body has %d inputs, the node %d: they must be equal", inputs, c.Inputs())
	}
	m := &mapping{n: len(first), in: make([]op.Held, inputs), out: make([]op.Held, len(outputs)), keep: make([]int, len(outputs)), made: make([][]*values.Value, len(outputs))}
	defer m.drop()
	for k := range m.keep {
		if m.keep[k] = k; k >= c.Outputs() {
			m.keep[k] = -1
		}
	}
	for i := range m.n {
		if err := m.element(c, i); err != nil {
			return err
		}
	}
	for k := range m.made {
		s := values.New(values.Sequence, m.made[k]...)
		m.made[k] = nil
		if k >= c.Outputs() {
			s.Release()
		} else if err := c.SetValue(k, s); err != nil {
			return err
		}
	}
	return nil
}

// element runs the body on element i of each sequence, and on tensors as they are.
func (m *mapping) element(c *op.Context, i int) error {
	if err := c.Stopped(); err != nil {
		return err
	}
	for k := range m.in {
		v := c.InValue(k)
		if v == nil || v.Kind != values.Sequence {
			c.HoldInput(k, &m.in[k])
			continue
		}
		if len(v.Items) != m.n {
			return errs.New(errs.Shape, "sequence %d has %d elements, the first has %d: they must be equal", k, len(v.Items), m.n)
		}
		m.in[k].Drop()
		m.in[k].DType = tensor.Other
		if m.in[k].Value = v.Items[i].Retain(); m.in[k].Value.Kind == values.Tensor {
			m.in[k].View = m.in[k].Value.View
		}
	}
	if err := c.Call("body", m.in, m.out, m.keep); err != nil {
		return err
	}
	for k := range m.out {
		v, err := c.ValueOf(&m.out[k])
		if err != nil {
			return err
		}
		m.made[k] = append(m.made[k], v)
	}
	return nil
}

func (m *mapping) drop() {
	for i := range m.in {
		m.in[i].Drop()
	}
	for i := range m.out {
		m.out[i].Drop()
	}
	for _, list := range m.made {
		values.New(values.Sequence, list...).Release()
	}
}
