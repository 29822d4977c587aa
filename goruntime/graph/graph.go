// Package graph is the runtime's picture of a model: values with numbers
// instead of names, nodes with the Def that runs them, subgraphs with the
// values they capture, functions already inlined. Build makes it from an
// onnx.Model and reports everything that is wrong with it or not supported.
//
// It executes nothing. Its invariants: nodes are in topological order; each
// value has one producer; a subgraph reaches values of its parent only through
// its Captures.
package graph

import (
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ID numbers a value within one Graph.
type ID int32

// None is the ID of an omitted input or output.
const None ID = -1

// Value is one value of a graph.
type Value struct {
	Name  string
	Type  *onnx.Type   // as declared, or nil
	Const *tensor.View // the initializer, or nil
	Input bool         // a formal input; with Const, one that has a default
	dtype tensor.DType // of a tensor, as far as it is known before any run
}

// Capture is a value that a subgraph takes from its parent.
type Capture struct{ Outer, Inner ID }

// Node is one operator call.
type Node struct {
	Name    string // as in the model, or "#position" where it has none
	OpType  string
	Domain  string
	Version int // the since_version of the schema that applies
	Opset   int // what the model imports for the domain
	Def     *op.Def
	Attrs   op.Values
	In, Out []ID
	Bodies  []Body
	// Tensors are the inputs that take tensors alone, where Def is told of values that
	// are none.
	Tensors []int
	// Spare are the outputs that the node may leave out.
	Spare []int
}

// Body is a subgraph of a node, by the attribute that holds it.
type Body struct {
	Attr  string
	Graph *Graph
}

// Body returns the subgraph of attribute attr, or nil.
func (n *Node) Body(attr string) *Graph {
	for i := range n.Bodies {
		if n.Bodies[i].Attr == attr {
			return n.Bodies[i].Graph
		}
	}
	return nil
}

// Graph is a graph or subgraph.
type Graph struct {
	Name     string
	Values   []Value
	Inputs   []ID // in the order of the model
	Outputs  []ID
	Nodes    []Node
	Captures []Capture
	names    map[string]ID
}

// Lookup returns the value of this name.
func (g *Graph) Lookup(name string) (ID, bool) {
	id, ok := g.names[name]
	return id, ok
}

// Needed returns which nodes must run to compute the wanted values.
func (g *Graph) Needed(wanted []ID) []bool {
	need := make([]bool, len(g.Nodes))
	live := make([]bool, len(g.Values))
	for _, id := range wanted {
		live[id] = true
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := &g.Nodes[i]
		for _, id := range n.Out {
			if id != None && live[id] {
				need[i] = true
			}
		}
		if !need[i] {
			continue
		}
		for _, id := range n.In {
			if id != None {
				live[id] = true
			}
		}
		for _, b := range n.Bodies {
			for _, c := range b.Graph.Captures {
				live[c.Outer] = true
			}
		}
	}
	return need
}
