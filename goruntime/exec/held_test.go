package exec

import (
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Operators that only give memory another shape are names in a subgraph too. What such a
// name shows of an element of a sequence is what leaves the subgraph, not the element.
func TestAnElementLeavesASubgraphInTheShapeItWasGiven(t *testing.T) {
	testkit.NoLeaks(t)
	node := func(op, out string, in ...string) onnx.Node {
		return onnx.Node{OpType: op, Inputs: in, Outputs: []string{out}}
	}
	for name, c := range map[string]struct {
		shape onnx.Node // e -> u, one rank more or one at all
		want  tensor.Shape
		twice tensor.Shape // after two rounds
	}{
		"another rank":          {node("Unsqueeze", "u", "e", "last"), tensor.Shape{2, 3, 1}, tensor.Shape{2, 3, 1, 1}},
		"one dimension":         {node("Reshape", "u", "e", "last"), tensor.Shape{6}, tensor.Shape{6}},
		"the same":              {node("Identity", "u", "e"), tensor.Shape{2, 3}, tensor.Shape{2, 3}},
		"what a branch gave it": {onnx.Node{OpType: "If", Inputs: []string{"yes"}, Outputs: []string{"u"}, Attrs: []onnx.Attr{graphAttr("then_branch", subgraph("p", node("Unsqueeze", "p", "e", "last"))), graphAttr("else_branch", subgraph("q", node("Identity", "q", "e")))}}, tensor.Shape{2, 3, 1}, tensor.Shape{2, 3, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			b.init(intsTensor(t, "last", -1))
			b.init(intsTensor(t, "two", 2))
			b.init(rawTensor(t, "first", tensor.I64, nil, make([]byte, 8)))
			b.init(rawTensor(t, "yes", tensor.Bool, nil, []byte{1}))
			b.node("Neg", []string{"x"}, []string{"y"})
			b.node("SequenceConstruct", []string{"x", "y"}, []string{"s"})
			b.node("SequenceMap", []string{"s"}, []string{"mapped"}, graphAttr("body", &onnx.Graph{
				Name: "map", Inputs: []onnx.ValueInfo{{Name: "e"}}, Outputs: []onnx.ValueInfo{{Name: "u"}}, Nodes: []onnx.Node{c.shape},
			}))
			b.node("SequenceAt", []string{"s", "first"}, []string{"a"})
			b.node("Loop", []string{"two", "", "a"}, []string{"carried"}, graphAttr("body", &onnx.Graph{
				Name: "loop", Inputs: []onnx.ValueInfo{{Name: "i"}, {Name: "go"}, {Name: "e"}}, Outputs: []onnx.ValueInfo{{Name: "go"}, {Name: "u"}}, Nodes: []onnx.Node{c.shape},
			}))
			b.node("SequenceAt", []string{"mapped", "first"}, []string{"again"})
			b.node("SequenceInsert", []string{"mapped", "carried"}, []string{"longer"})
			b.outputs("mapped", "carried", "again", "longer")
			s := mustNew(t, &b.m, Options{})
			defer s.Close()
			x, negated := []float32{1, 2, 3, 4, 5, 6}, []float32{-1, -2, -3, -4, -5, -6}
			for range 2 {
				out := runWith(t, s, f32(tensor.Shape{2, 3}, x...))
				mapped, longer := out[0].Value.Items, out[3].Value.Items
				for _, g := range []struct {
					name  string
					got   tensor.View
					shape tensor.Shape
					list  []float32
				}{
					{"the first that was mapped", mapped[0].View, c.want, x},
					{"the second", mapped[1].View, c.want, negated},
					{"what the loop carried", out[1].View, c.twice, x},
					{"the first, taken out", out[2].View, c.want, x},
					{"the first, in another sequence", longer[0].View, c.want, x},
					{"what the loop carried, in a sequence", longer[2].View, c.twice, x},
				} {
					if !g.got.Shape.Equal(g.shape) || !slices.Equal(tensor.Elems[float32](&g.got), g.list) {
						t.Errorf("%s is %v %v, %v %v expected", g.name, g.got.Shape, tensor.Elems[float32](&g.got), g.shape, g.list)
					}
				}
				release(out)
			}
			if live := s.IO().Stats().LiveBlocks + s.Execution().Stats().LiveBlocks; live != 0 {
				t.Errorf("%d blocks are live after a run whose outputs were released", live)
			}
		})
	}
}
