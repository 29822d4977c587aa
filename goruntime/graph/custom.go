package graph

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
)

// Custom are operators that the caller brings: Has tells for which ones, Make
// returns the Def of one node, whose attributes are bound.
type Custom struct {
	Has  func(domain, name string) bool
	Make func(n *onnx.Node, at Place) (*op.Def, error)
}

// Place is where a node of a custom operator stands.
type Place struct {
	Opset  int            // what is imported for the node's domain
	Opsets map[string]int // for all domains
	// Captures are the names that the node's subgraphs read from outside. Their values
	// are inputs behind the node's own, of which omitted ones keep their places.
	Captures []string
	// Functions are those of the model, where the node has subgraphs, which may call them.
	Functions []*onnx.Function
}

// customNode adds a node of an operator that the caller brings, which reads its
// attributes and runs its subgraphs itself.
func (b *builder) customNode(n *onnx.Node, name string, sp *space, fr *frame) error {
	own := *n
	own.Name, own.Attrs = name, fr.bindAll(n.Attrs)
	out := Node{Name: name, OpType: n.OpType, Domain: onnx.Domain(n.Domain)}
	out.Opset = fr.opsets[out.Domain]
	out.Version = out.Opset
	err := out.inputs(n, sp)
	if err != nil {
		return err
	}
	at := Place{Opset: out.Opset, Opsets: fr.opsets, Captures: captures(own.Attrs)}
	if slices.ContainsFunc(own.Attrs, func(a onnx.Attr) bool { return a.G != nil || len(a.Graphs) > 0 }) {
		at.Functions = b.model.Functions
	}
	for len(out.In) < len(n.Inputs) {
		out.In = append(out.In, None)
	}
	for _, c := range at.Captures {
		id, ok := sp.lookup(c)
		if !ok {
			return errs.New(errs.Model, "a subgraph reads %q, which is produced by no node, input or initializer", c)
		}
		out.In = append(out.In, id)
	}
	if err = out.outputs(n, sp); err != nil {
		return err
	}
	if out.Def, err = b.custom.Make(&own, at); err != nil {
		return err
	}
	sp.g.Nodes = append(sp.g.Nodes, out)
	return nil
}

// captures returns what the subgraphs among attributes read from outside, each name once.
func captures(attrs []onnx.Attr) []string {
	var names []string
	seen := map[string]bool{}
	for name := range (&onnx.Node{Attrs: attrs}).Reads {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
