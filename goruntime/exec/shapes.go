package exec

import (
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Shapes applies the shape rules of the operators to a model that another engine
// runs, so that the memory of its outputs can be there before the run.
//
// Ownership: the caller's until Close.
// Concurrency: Outputs is safe from any goroutine.
type Shapes struct {
	m    *compiled
	unit *unit
}

// NewShapes reads the graph of a model, which must stay valid until Close.
//
// Errors: as Engine.Load of the runtime's own engine: a model that it does not run has
// no rules.
func NewShapes(m *onnx.Model) (*Shapes, error) {
	c, err := compile(m, &Options{})
	if err != nil {
		return nil, err
	}
	return &Shapes{c, c.unit(c.g.Outputs)}, nil
}

// Outputs returns type and shape of each output of the model for inputs like these,
// without data; the type is Undefined where only the run knows them.
//
// Errors: errs.Shape and errs.Type where a rule refuses what it is given.
func (s *Shapes) Outputs(in []tensor.View) ([]tensor.View, error) {
	p, _, err := walked(s.unit, in, true)
	if err != nil {
		return nil, err
	}
	defer p.drop()
	list := make([]tensor.View, len(p.outputs))
	for k, v := range p.outputs {
		if pv := &p.vals[v]; pv.shaped && pv.view.DType != tensor.Other {
			list[k] = tensor.View{DType: pv.view.DType, Shape: pv.view.Shape.Clone()}
		}
	}
	return list, nil
}

// Close gives back what the rules hold of the model.
func (s *Shapes) Close() {
	s.unit.Close()
	s.m.Close()
}
