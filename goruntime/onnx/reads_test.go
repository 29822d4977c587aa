package onnx

import (
	"slices"
	"testing"
)

func TestReads(t *testing.T) {
	inner := &Graph{
		Inputs:             []ValueInfo{{Name: "i"}},
		Initializers:       []Tensor{{Name: "w"}},
		SparseInitializers: []SparseTensor{{Values: Tensor{Name: "s"}}},
		Nodes:              []Node{{Inputs: []string{"i", "w", "s", "", "outer"}, Outputs: []string{"o"}}},
		Outputs:            []ValueInfo{{Name: "o"}, {Name: "passed"}},
	}
	middle := &Graph{Nodes: []Node{{Attrs: []Attr{{G: inner}}, Outputs: []string{"passed"}}}, Outputs: []ValueInfo{{Name: "i"}}}
	for _, c := range []struct {
		name string
		node Node
		want []string
	}{
		{"inputs, those left out aside", Node{Inputs: []string{"a", "", "b"}}, []string{"a", "b"}},
		{"what a subgraph takes from outside", Node{Inputs: []string{"c"}, Attrs: []Attr{{G: inner}}}, []string{"c", "outer", "passed"}},
		{"what one takes through another", Node{Attrs: []Attr{{Graphs: []*Graph{middle}}}}, []string{"outer", "i"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slices.Collect(c.node.Reads); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for range c.node.Reads {
				break // an iterator that goes on after this panics
			}
		})
	}
}
