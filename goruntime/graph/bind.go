package graph

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/onnx"
)

// frame is what the nodes of one model or function body share: the opsets it
// imports and, in a function, the attributes that the call binds.
type frame struct {
	opsets map[string]int
	attrs  map[string]onnx.Attr
	depth  int
	prefix string // of the names and nodes of an inlined function
}

// bound returns the attribute that a stands for: itself, or inside a function
// the caller's that it refers to.
func (fr *frame) bound(a *onnx.Attr) (*onnx.Attr, bool) {
	if a.RefName == "" {
		return a, true
	}
	v, ok := fr.attrs[a.RefName]
	return &v, ok
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

// bindAll returns attributes as the call of a function sets them, those of nodes in
// subgraphs too. What refers to one that the call leaves out is left out.
func (fr *frame) bindAll(attrs []onnx.Attr) []onnx.Attr {
	var all []onnx.Attr
	for i := range attrs {
		a, ok := fr.bound(&attrs[i])
		if !ok {
			continue
		}
		bound := *a
		bound.Name, bound.RefName = attrs[i].Name, ""
		if bound.G != nil {
			bound.G = fr.bindGraph(bound.G)
		}
		if len(bound.Graphs) > 0 {
			bound.Graphs = make([]*onnx.Graph, len(a.Graphs))
			for k, g := range a.Graphs {
				bound.Graphs[k] = fr.bindGraph(g)
			}
		}
		all = append(all, bound)
	}
	return all
}

func (fr *frame) bindGraph(g *onnx.Graph) *onnx.Graph {
	if len(fr.attrs) == 0 {
		return g
	}
	bound := *g
	bound.Nodes = make([]onnx.Node, len(g.Nodes))
	for i, n := range g.Nodes {
		n.Attrs = fr.bindAll(n.Attrs)
		bound.Nodes[i] = n
	}
	return &bound
}
