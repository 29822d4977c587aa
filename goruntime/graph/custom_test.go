package graph

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
)

// made is what Custom.Make was given for a node.
type made struct {
	node  onnx.Node
	place Place
}

// buildCustom builds a model whose operators called Own are the caller's.
func buildCustom(m *onnx.Model) (*Graph, []made, error) {
	var list []made
	c := &Custom{
		Has: func(_, name string) bool { return name == "Own" },
		Make: func(n *onnx.Node, at Place) (*op.Def, error) {
			list = append(list, made{*n, at})
			return &op.Def{Name: n.OpType}, nil
		},
	}
	g, err := Build(m, func(n int) ([]byte, error) { return make([]byte, n), nil }, c)
	return g, list, err
}

func graphAttr(g *onnx.Graph) onnx.Attr { return onnx.Attr{Name: "body", Type: onnx.AttrGraph, G: g} }

func TestWhatASubgraphOfACustomNodeReadsIsAnInput(t *testing.T) {
	inner := body("z", node("Add a,h -> b"), node("Mul b,b -> c"), node("Sub c,x -> z"))
	inner.Inputs = []onnx.ValueInfo{{Name: "a"}}
	g, list, err := buildCustom(model(node("Neg x -> h"), node("Own x,, -> y", graphAttr(inner))))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %d nodes made", err, len(list))
	}
	at := list[0].place
	if !slices.Equal(at.Captures, []string{"h", "x"}) || at.Opset != 21 || !maps.Equal(at.Opsets, map[string]int{"": 21}) {
		t.Errorf("%+v", at)
	}
	n := g.Nodes[len(g.Nodes)-1]
	var in []string
	for _, id := range n.In {
		if id == None {
			in = append(in, "")
		} else {
			in = append(in, g.Values[id].Name)
		}
	}
	if want := []string{"x", "", "", "h", "x"}; !slices.Equal(in, want) {
		t.Errorf("inputs %q, %q expected: omitted ones keep their places", in, want)
	}
}

// Attributes that refer to those of a function are bound, however deep they lie.
func TestSubgraphsOfCustomNodesInFunctions(t *testing.T) {
	inner := body("z", node("Softmax v -> w", ref("axis", "along", onnx.AttrInt)), node("Own w -> z", ref("scale", "missing", onnx.AttrInt)))
	m := model(node("F x -> y", intAttr("along", 3)))
	m.Functions = []*onnx.Function{{
		Name: "F", Inputs: []string{"v"}, Outputs: []string{"r"}, Attrs: []string{"along", "missing"},
		Opsets: []onnx.OpsetID{{Version: 20}}, Nodes: []onnx.Node{node("Own v -> r", graphAttr(inner))},
	}}
	_, list, err := buildCustom(m)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %d nodes made", err, len(list))
	}
	got := list[0]
	nodes := got.node.Attrs[0].G.Nodes
	if a := nodes[0].Attrs; len(a) != 1 || a[0].Name != "axis" || a[0].RefName != "" || a[0].I != 3 {
		t.Errorf("%+v", a)
	}
	if a := nodes[1].Attrs; len(a) != 0 {
		t.Errorf("%+v: an attribute that the call leaves out is left out", a)
	}
	if !slices.Equal(got.place.Captures, []string{"v"}) || len(got.place.Functions) != 1 || got.place.Opset != 20 {
		t.Errorf("%+v", got.place)
	}
	if inner.Nodes[0].Attrs[0].RefName != "along" {
		t.Error("the model was changed")
	}
}

func TestASubgraphOfACustomNodeReadsWhatIsNot(t *testing.T) {
	_, _, err := buildCustom(model(node("Own x -> y", graphAttr(body("z", node("Neg q -> z"))))))
	if errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), `a subgraph reads "q"`) {
		t.Error(err)
	}
}
