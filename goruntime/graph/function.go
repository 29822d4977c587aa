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
	if len(n.Inputs) > len(f.Inputs) || len(n.Outputs) > len(f.Outputs) {
		return errs.New(errs.Model, "the call has %d inputs and %d outputs, the function %d and %d",
			len(n.Inputs), len(n.Outputs), len(f.Inputs), len(f.Outputs))
	}
	ops, err := opsets(f.Opsets)
	if err != nil {
		return err
	}
	inner := &frame{opsets: ops, depth: fr.depth + 1, prefix: name + "/", attrs: fr.arguments(f, n)}
	body := &space{g: sp.g, names: map[string]ID{}}
	for k, formal := range f.Inputs {
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
		if _, twice := sp.names[actual]; twice {
			return errs.New(errs.Model, "the value %q is produced twice: each name has one producer", actual)
		}
		sp.names[actual] = id
		if v := &sp.g.Values[id]; !v.Input && v.Const == nil {
			v.Name = actual
		}
	}
	return nil
}

// arguments returns the attributes of a function as a call sets them.
func (fr *frame) arguments(f *onnx.Function, n *onnx.Node) map[string]onnx.Attr {
	all := map[string]onnx.Attr{}
	for _, d := range f.AttrDefaults {
		all[d.Name] = d
	}
	for i := range n.Attrs {
		if a, ok := fr.bound(&n.Attrs[i]); ok {
			bound := *a
			bound.Name = n.Attrs[i].Name
			all[bound.Name] = bound
		}
	}
	return all
}
