package graph

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// call puts the body of a model-local function in the place of a node that
// calls it: formal inputs and outputs become the caller's values, attributes
// are bound by reference (ONNX IR, "Functions").
func (b *builder) call(f *onnx.Function, n *onnx.Node, name string, sp *space, fr *frame) error {
	if fr.depth > maxDepth {
		return errs.New(errs.Model, "functions call each other more than %d deep", maxDepth)
	}
	if err := fits(f, n); err != nil {
		return err
	}
	inner := &frame{opsets: opsets(f.Opsets), depth: fr.depth + 1, prefix: name + "/", attrs: fr.arguments(f, n)}
	body := &space{g: sp.g, names: map[string]ID{}, calls: f}
	for k, formal := range f.Inputs {
		if _, twice := body.names[formal]; twice {
			return errs.New(errs.Model, "the input %q of the function is listed twice", formal)
		}
		if k >= len(n.Inputs) || n.Inputs[k] == "" {
			body.names[formal] = None
			continue
		}
		id, ok := sp.lookup(n.Inputs[k])
		if !ok {
			return errs.New(errs.Model, "the input %q is produced by no node, input or initializer", n.Inputs[k])
		}
		body.names[formal] = id
	}
	if err := b.nodes(f.Nodes, body, inner); err != nil {
		return err
	}
	for k, actual := range n.Outputs {
		if actual == "" {
			continue
		}
		id, ok := body.names[f.Outputs[k]]
		if !ok || id == None {
			return errs.New(errs.Model, "the function's output %q is produced by no node of it", f.Outputs[k])
		}
		sp.names[actual] = id
		if v := &sp.g.Values[id]; !v.Input && v.Const == nil {
			v.Name = actual
		}
	}
	return nil
}

// fits refuses a call with more inputs or outputs than its function has.
func fits(f *onnx.Function, n *onnx.Node) error {
	if len(n.Inputs) > len(f.Inputs) || len(n.Outputs) > len(f.Outputs) {
		return errs.New(errs.Model, "the call has %d inputs and %d outputs, the function %d and %d",
			len(n.Inputs), len(n.Outputs), len(f.Inputs), len(f.Outputs))
	}
	return nil
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
	if err := fits(f, n); err != nil {
		return nil, err
	}
	for d, v := range opsets(f.Opsets) {
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
