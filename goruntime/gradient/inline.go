package gradient

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// maxDepth bounds functions within each other.
const maxDepth = 100

// inline puts the body of the function that n calls in the place of n, if it calls one
// and is a node of the list, and reports whether it did.
func (e *expander) inline(n *onnx.Node) (bool, error) {
	if e.Function == nil || n.Domain == Domain {
		return false, nil
	}
	at := slices.Index(e.all, n)
	if at < 0 {
		return false, nil
	}
	f, err := e.Function(n)
	if f == nil || err != nil {
		return false, err
	}
	depth := e.depth[n] + 1
	if depth > maxDepth {
		return false, errs.New(errs.Model, "functions call each other more than %d deep", maxDepth)
	}
	if len(e.all) > maxNodes {
		return false, errs.New(errs.Model, "the graph has more than %d nodes once functions are put in place", maxNodes)
	}
	e.all = slices.Delete(e.all, at, at+1)
	names := map[string]string{"": ""}
	for i, formal := range f.Inputs {
		names[formal] = ""
		if i < len(n.Inputs) {
			names[formal] = n.Inputs[i]
		}
	}
	var same []onnx.Node // outputs that are inputs or outputs already
	for i, o := range n.Outputs {
		formal := f.Outputs[i]
		if _, taken := names[formal]; !taken && o != "" {
			names[formal] = o
		} else if o != "" {
			same = append(same, onnx.Node{Name: e.name("Identity"), Domain: Domain, OpType: "Identity", Inputs: []string{names[formal]}, Outputs: []string{o}})
		}
	}
	r := renamer{names, e.name}
	for i := range f.Nodes {
		body := r.node(&f.Nodes[i])
		body.Name = e.name(f.Nodes[i].OpType)
		e.add(&body)
		e.depth[&body] = depth
	}
	for i := range same {
		e.add(&same[i])
	}
	return true, nil
}

// renamer gives the values of a function's body names that the graph has not.
type renamer struct {
	names map[string]string
	fresh func(of string) string
}

func (r renamer) of(name string) string {
	if _, ok := r.names[name]; !ok {
		r.names[name] = r.fresh(name)
	}
	return r.names[name]
}

func (r renamer) list(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = r.of(name)
	}
	return list
}

func (r renamer) node(n *onnx.Node) onnx.Node {
	made := *n
	made.Inputs, made.Outputs = r.list(n.Inputs), r.list(n.Outputs)
	made.Attrs = slices.Clone(n.Attrs)
	for i := range made.Attrs {
		a := &made.Attrs[i]
		if a.G != nil {
			a.G = r.graph(a.G)
		}
		a.Graphs = slices.Clone(a.Graphs)
		for k, g := range a.Graphs {
			a.Graphs[k] = r.graph(g)
		}
	}
	return made
}

// graph renames what a subgraph defines too, since it must not hide what it reads.
func (r renamer) graph(g *onnx.Graph) *onnx.Graph {
	made := *g
	made.Inputs, made.Outputs = slices.Clone(g.Inputs), slices.Clone(g.Outputs)
	made.Initializers, made.SparseInitializers = slices.Clone(g.Initializers), slices.Clone(g.SparseInitializers)
	for i := range made.Inputs {
		made.Inputs[i].Name = r.of(g.Inputs[i].Name)
	}
	for i := range made.Initializers {
		made.Initializers[i].Name = r.of(g.Initializers[i].Name)
	}
	for i := range made.SparseInitializers {
		made.SparseInitializers[i].Values.Name = r.of(g.SparseInitializers[i].Values.Name)
	}
	made.Nodes = make([]onnx.Node, len(g.Nodes))
	for i := range g.Nodes {
		made.Nodes[i] = r.node(&g.Nodes[i])
	}
	for i := range made.Outputs {
		made.Outputs[i].Name = r.of(g.Outputs[i].Name)
	}
	return &made
}
