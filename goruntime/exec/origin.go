package exec

import "github.com/goruntime/goruntime/goruntime/graph"

// origins are what a trace tells of nodes that are no steps of a program that is whole:
// those that were computed ahead, and those that only give a value another name.
type origins struct {
	of    map[int]origin   // of constants that were computed, by value
	names map[int][]origin // further names of a value
}

type origin struct {
	node   *graph.Node
	inputs []string
	name   string
}

func originOf(g *graph.Graph, n *graph.Node, k int) origin {
	o := origin{node: n, inputs: make([]string, len(n.In)), name: g.Values[n.Out[k]].Name}
	for i, id := range n.In {
		if id != graph.None {
			o.inputs[i] = g.Values[id].Name
		}
	}
	return o
}

// renamed says that output k of node n is value v.
func (p *program) renamed(g *graph.Graph, n *graph.Node, k, v int) {
	if !p.whole || n.Out[k] == graph.None {
		return
	}
	if p.origins.names == nil {
		p.origins.names = map[int][]origin{}
	}
	p.origins.names[v] = append(p.origins.names[v], originOf(g, n, k))
}

// computed says that value v is output k of node n.
func (p *program) computed(g *graph.Graph, n *graph.Node, k, v int) {
	if !p.whole {
		return
	}
	if p.origins.of == nil {
		p.origins.of = map[int]origin{}
	}
	p.origins.of[v] = originOf(g, n, k)
}
