package graph

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// defined reports whether a name means a value here before any node of the list is
// built.
func (sp *space) defined(name string) bool {
	for ; sp != nil; sp = sp.parent {
		if _, ok := sp.names[name]; ok || sp.maker(name) != nil {
			return true
		}
	}
	return false
}

// producer returns the node of the graphs around this one that produces a value, nil
// where the name means another value or none.
func (sp *space) producer(name string) *onnx.Node {
	for ; sp != nil; sp = sp.parent {
		if n := sp.maker(name); n != nil {
			return n
		}
		if id, ok := sp.names[name]; ok && id < sp.given {
			return nil
		}
	}
	return nil
}

func (sp *space) maker(name string) *onnx.Node {
	if sp.makers == nil && len(sp.nodes) > 0 {
		sp.makers = make(map[string]*onnx.Node, len(sp.nodes))
		for i := range sp.nodes {
			for _, o := range sp.nodes[i].Outputs {
				if o != "" {
					sp.makers[o] = &sp.nodes[i]
				}
			}
		}
	}
	return sp.makers[name]
}

// dtype returns the element type of the input or initializer that a name means, Undefined
// where it is not known or the name means neither.
func (sp *space) dtype(name string) tensor.DType {
	for ; sp != nil; sp = sp.parent {
		id, ok := sp.names[name]
		if !ok || id == None {
			continue
		}
		switch v := &sp.g.Values[id]; {
		case v.Const != nil:
			return v.Const.DType
		case v.Type != nil && v.Type.Kind == onnx.KindTensor:
			return v.Type.Elem
		}
		break
	}
	return tensor.Undefined
}

// called returns the function of the model that a node calls, with its attributes bound,
// nil where it calls none or the caller brings the operator.
//
// Errors: errs.Unsupported where its body is written in another opset than the node.
func (b *builder) called(n *onnx.Node, fr *frame) (*onnx.Function, error) {
	domain := onnx.Domain(n.Domain)
	f := b.functions[funcKey{domain, n.OpType, n.Overload}]
	if f == nil || b.custom != nil && b.custom.Has(domain, n.OpType) {
		return nil, nil
	}
	if len(n.Inputs) > len(f.Inputs) || len(n.Outputs) > len(f.Outputs) {
		return nil, errs.New(errs.Model, "the call has %d inputs and %d outputs, the function %d and %d",
			len(n.Inputs), len(n.Outputs), len(f.Inputs), len(f.Outputs))
	}
	ops, err := opsets(f.Opsets)
	if err != nil {
		return nil, err
	}
	for d, v := range ops {
		if have, ok := fr.opsets[d]; ok && have != v {
			return nil, errs.New(errs.Unsupported, "the function imports opset %d of domain %q, the graph that calls it %d: no gradient goes through it", v, d, have)
		}
	}
	bound := &frame{attrs: fr.arguments(f, n)}
	body := *f
	body.Nodes = make([]onnx.Node, len(f.Nodes))
	for i, node := range f.Nodes {
		node.Attrs = bound.bindAll(node.Attrs)
		body.Nodes[i] = node
	}
	return &body, nil
}

// bind puts the attributes that a function is called with in the place of those that
// refer to them. What refers to one that the call leaves out stays.
func (fr *frame) bind(list []onnx.Node) []onnx.Node {
	if len(fr.attrs) == 0 {
		return list
	}
	bound := make([]onnx.Node, len(list))
	for i, n := range list {
		bound[i] = n
		bound[i].Attrs = slices.Clone(n.Attrs)
		for k := range n.Attrs {
			if a, ok := fr.bound(&n.Attrs[k]); ok {
				bound[i].Attrs[k] = *a
				bound[i].Attrs[k].Name = n.Attrs[k].Name
			}
		}
	}
	return bound
}
