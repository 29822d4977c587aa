package onnx

// Reads yields each name that the node reads, those that its subgraphs take from
// outside included. One may come more than once.
func (n *Node) Reads(yield func(name string) bool) { n.reads(yield) }

func (n *Node) reads(yield func(string) bool) bool {
	for _, in := range n.Inputs {
		if in != "" && !yield(in) {
			return false
		}
	}
	for i := range n.Attrs {
		if g := n.Attrs[i].G; g != nil && !g.reads(yield) {
			return false
		}
		for _, g := range n.Attrs[i].Graphs {
			if !g.reads(yield) {
				return false
			}
		}
	}
	return true
}

// reads yields what the nodes and outputs of g do not find in g.
func (g *Graph) reads(yield func(string) bool) bool {
	own := map[string]bool{}
	for i := range g.Inputs {
		own[g.Inputs[i].Name] = true
	}
	for i := range g.Initializers {
		own[g.Initializers[i].Name] = true
	}
	for i := range g.SparseInitializers {
		own[g.SparseInitializers[i].Name()] = true
	}
	for i := range g.Nodes {
		for _, o := range g.Nodes[i].Outputs {
			own[o] = true
		}
	}
	outer := func(name string) bool { return own[name] || yield(name) }
	for i := range g.Nodes {
		if !g.Nodes[i].reads(outer) {
			return false
		}
	}
	for i := range g.Outputs {
		if !outer(g.Outputs[i].Name) {
			return false
		}
	}
	return true
}
