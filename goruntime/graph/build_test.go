package graph

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/onnx"
	_ "github.com/goruntime/goruntime/goruntime/ops" // the operators
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// model returns a model with the input x and the output y.
func model(nodes ...onnx.Node) *onnx.Model {
	return &onnx.Model{
		Opsets: []onnx.OpsetID{{Version: 21}},
		Graph: &onnx.Graph{
			Name:    "g",
			Nodes:   nodes,
			Inputs:  []onnx.ValueInfo{{Name: "x", Type: onnx.Type{Kind: onnx.KindTensor, Elem: tensor.F32}}},
			Outputs: []onnx.ValueInfo{{Name: "y"}},
		},
	}
}

// node is "Op in,in -> out,out".
func node(text string, attrs ...onnx.Attr) onnx.Node {
	left, out, _ := strings.Cut(text, " -> ")
	op, in, _ := strings.Cut(left, " ")
	n := onnx.Node{OpType: op, Attrs: attrs}
	if in != "" {
		n.Inputs = strings.Split(in, ",")
	}
	if out != "" {
		n.Outputs = strings.Split(out, ",")
	}
	return n
}

func build(m *onnx.Model) (*Graph, error) {
	return Build(m, func(n int) ([]byte, error) { return make([]byte, n), nil }, nil)
}

func ref(name, of string, t onnx.AttrType) onnx.Attr {
	return onnx.Attr{Name: name, RefName: of, Type: t}
}

func intAttr(name string, v int64) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrInt, I: v}
}

func branches(then, els *onnx.Graph) []onnx.Attr {
	return []onnx.Attr{
		{Name: "then_branch", Type: onnx.AttrGraph, G: then},
		{Name: "else_branch", Type: onnx.AttrGraph, G: els},
	}
}

func body(out string, nodes ...onnx.Node) *onnx.Graph {
	return &onnx.Graph{Nodes: nodes, Outputs: []onnx.ValueInfo{{Name: out}}}
}

func opTypes(g *Graph) []string {
	var list []string
	for i := range g.Nodes {
		list = append(list, g.Nodes[i].OpType)
	}
	return list
}

func TestNodesArePutInOrder(t *testing.T) {
	g, err := build(model(node("Tanh b -> y"), node("Sigmoid a -> b"), node("Relu x -> a")))
	if err != nil {
		t.Fatal(err)
	}
	if got := opTypes(g); !slices.Equal(got, []string{"Relu", "Sigmoid", "Tanh"}) {
		t.Errorf("the order is %v", got)
	}
}

func TestNodesInOrderKeepIt(t *testing.T) {
	g, err := build(model(node("Relu x -> a"), node("Tanh x -> b"), node("Sigmoid x -> c"), node("Add a,b -> y")))
	if err != nil {
		t.Fatal(err)
	}
	if got := opTypes(g); !slices.Equal(got, []string{"Relu", "Tanh", "Sigmoid", "Add"}) {
		t.Errorf("the order is %v", got)
	}
}

func TestLongChainInReverseOrder(t *testing.T) {
	const n = 100_000
	nodes := make([]onnx.Node, n)
	name := func(i int) string {
		if i == 0 {
			return "x"
		}
		if i == n {
			return "y"
		}
		return "v" + strconv.Itoa(i)
	}
	for i := range nodes {
		nodes[n-1-i] = onnx.Node{OpType: "Relu", Inputs: []string{name(i)}, Outputs: []string{name(i + 1)}}
	}
	g, err := build(model(nodes...))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != n || g.Nodes[0].In[0] != g.Inputs[0] {
		t.Errorf("%d nodes, the first reads %v", len(g.Nodes), g.Nodes[0].In)
	}
}

func TestModelsThatAreWrong(t *testing.T) {
	bare := func(nodes ...onnx.Node) *onnx.Model { return model(nodes...) }
	with := func(m *onnx.Model, f func(*onnx.Model)) *onnx.Model { f(m); return m }
	fn := func(m *onnx.Model, list ...*onnx.Function) *onnx.Model { m.Functions = list; return m }
	self := &onnx.Function{Name: "F", Inputs: []string{"a"}, Outputs: []string{"b"}, Opsets: []onnx.OpsetID{{Version: 21}}, Nodes: []onnx.Node{node("F a -> b")}}
	simple := &onnx.Function{Name: "F", Inputs: []string{"a"}, Outputs: []string{"b"}, Opsets: []onnx.OpsetID{{Version: 21}}, Nodes: []onnx.Node{node("Relu a -> b")}}
	lost := &onnx.Function{Name: "F", Inputs: []string{"a"}, Outputs: []string{"c"}, Opsets: []onnx.OpsetID{{Version: 21}}, Nodes: []onnx.Node{node("Relu a -> b")}}
	outer := &onnx.Function{Name: "F", Inputs: []string{"a"}, Outputs: []string{"b"}, Opsets: []onnx.OpsetID{{Version: 21}}, Nodes: []onnx.Node{node("Add a,x -> b")}}
	for _, c := range []struct {
		name string
		m    *onnx.Model
		want string
	}{
		{"a cycle", bare(node("Add x,b -> a"), node("Relu a -> b"), node("Relu b -> y")), "the graph has a cycle through 2 nodes"},
		{"a cycle through a subgraph", bare(node("Less x,x -> c"), node("If c -> a", branches(body("p", node("Relu b -> p")), body("q", node("Relu x -> q")))...),
			node("Relu a -> b"), node("Relu b -> y")), "the graph has a cycle through 2 nodes"},
		{"an input listed twice", with(bare(node("Relu x -> y")), func(m *onnx.Model) { m.Graph.Inputs = append(m.Graph.Inputs, m.Graph.Inputs[0]) }), `the input "x" is listed twice`},
		{"a value that nobody produces", bare(node("Relu z -> y")), `the input "z" is produced by no node, input or initializer`},
		{"an output that nobody produces", bare(node("Relu x -> z")), `the output "y" of graph "g" is produced by no node`},
		{"an undeclared value in a subgraph", bare(node("Less x,x -> c"), node("If c -> y", branches(body("p", node("Relu z -> p")), body("q", node("Relu x -> q")))...)), `the input "z" is produced by no node`},
		{"a value of a subgraph read outside", bare(node("Less x,x -> c"), node("If c -> a", branches(body("p", node("Relu x -> p")), body("q", node("Relu x -> q")))...), node("Relu p -> y")), `the input "p" is produced by no node`},
		{"no output", bare(node("Relu x"), node("Relu x -> y")), "the node has no output"},
		{"an omitted required output", bare(node("Relu x -> ,"), node("Relu x -> y")), "the output Y, number 0, is required and missing"},
		{"no input", bare(node("Relu -> y")), "the input X, number 0, is required and missing"},
		{"an omitted required input", bare(node("Add ,x -> y")), "the input A, number 0, is required and missing"},
		{"too many inputs", bare(node("Relu x,x -> y")), "2 inputs given, at most 1 expected"},
		{"too many outputs", bare(node("Relu x -> y,z")), "2 outputs given, at most 1 expected"},
		{"Identity without an output name", bare(node("Identity x -> ,"), node("Relu x -> y")), "the output output, number 0, is required and missing"},
		{"Concat of nothing", bare(node("Concat -> y", intAttr("axis", 0))), "the input inputs is given 0 times, at least 1 expected"},
		{"Concat of an omitted input", bare(node("Concat x,,x -> y", intAttr("axis", 0))), "the input inputs, number 1, is one of a list and missing"},
		{"a missing required attribute", bare(node("Concat x -> y")), `attribute "axis" is required and missing`},
		{"an attribute of another type", bare(node("Concat x -> y", onnx.Attr{Name: "axis", Type: onnx.AttrFloat, F: 1})), `attribute "axis" has another type`},
		{"an attribute that the operator does not have", bare(node("Relu x -> y", intAttr("axis", 1))), `the operator has no attribute "axis"`},
		{"a subgraph that the operator does not run", bare(node("Relu x -> y", onnx.Attr{Name: "body", Type: onnx.AttrGraph, G: body("p", node("Tanh x -> p"))})), `the operator has no attribute "body"`},
		{"a graph attribute without a graph", bare(node("Less x,x -> c"), node("If c -> y", branches(nil, nil)...)), "of type GRAPH and holds none"},
		{"a tensor attribute without a tensor", bare(node("Shape x -> s"), node("ConstantOfShape s -> y", onnx.Attr{Name: "value", Type: onnx.AttrTensor})), "of type TENSOR and holds none"},
		{"a Constant without a tensor", bare(node("Constant -> y", onnx.Attr{Name: "value", Type: onnx.AttrTensor})), "the attribute value holds no tensor"},
		{"a Constant with a value of another type", bare(node("Constant -> y", onnx.Attr{Name: "value_float", Type: onnx.AttrInt, I: 3})), "value_float is of type INT, FLOAT expected"},
		{"a Constant with two values", bare(node("Constant -> y", intAttr("value_int", 1), intAttr("value_int", 2))), "2 attributes and 1 outputs given"},
		{"a function that calls itself", fn(bare(node("F x -> y")), self), "functions call each other more than 100 deep"},
		{"a call with too many inputs", fn(bare(node("F x,x -> y")), simple), "the call has 2 inputs and 1 outputs, the function 1 and 1"},
		{"a function whose output nobody produces", fn(bare(node("F x -> y")), lost), `the function's output "c" is produced by no node of it`},
		{"a function that reads its caller's values", fn(bare(node("F x -> y")), outer), `the input "x" is produced by no node`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := build(c.m)
			if errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, something with %q expected", err, c.want)
			}
		})
	}
}

func TestErrorsNameTheNode(t *testing.T) {
	n := node("Relu z -> y")
	n.Name = "first"
	_, err := build(model(n))
	if err == nil || !strings.Contains(err.Error(), "Relu") || !strings.Contains(err.Error(), "first") {
		t.Errorf("%v names neither operator nor node", err)
	}
}

func TestUnsupportedOperatorsAreAllListed(t *testing.T) {
	other := node("Thing x -> c")
	other.Domain = "com.example"
	inside := body("p", node("NoSuchInside x -> p"))
	m := model(node("NoSuchA x -> a"), node("NoSuchB a -> b"), node("NoSuchA b -> d"), other,
		node("NoSuchLoop c -> e", onnx.Attr{Name: "body", Type: onnx.AttrGraph, G: body("q", node("NoSuchDeep x -> q"))}),
		node("If c -> f", branches(inside, body("r", node("Relu x -> r")))...),
		node("Relu f -> y"))
	_, err := build(m)
	if errs.CodeOf(err) != errs.Unsupported {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"6 operators", "NoSuchA (opset 21)", "NoSuchB (opset 21)", "com.example.Thing (its domain is not imported)", "NoSuchLoop", "NoSuchDeep", "NoSuchInside"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

// calls returns a model with the one node and these functions.
func calls(call onnx.Node, fs ...*onnx.Function) *onnx.Model {
	m := model(call)
	for _, f := range fs {
		f.Opsets = []onnx.OpsetID{{Version: 21}}
	}
	m.Functions = fs
	return m
}

func TestFunctionsBindAttributesByReference(t *testing.T) {
	inner := func() *onnx.Function {
		return &onnx.Function{
			Name: "Inner", Inputs: []string{"a"}, Outputs: []string{"b"}, Attrs: []string{"where"}, AttrDefaults: []onnx.Attr{intAttr("by", 7)},
			Nodes: []onnx.Node{node("Concat a,a -> c", ref("axis", "where", onnx.AttrInt)), node("Flatten c -> b", ref("axis", "by", onnx.AttrInt))},
		}
	}
	middle := &onnx.Function{
		Name: "Outer", Inputs: []string{"p"}, Outputs: []string{"q"}, Attrs: []string{"at"},
		Nodes: []onnx.Node{node("Inner p -> q", ref("where", "at", onnx.AttrInt))},
	}
	for _, c := range []struct {
		name            string
		m               *onnx.Model
		concat, flatten int
	}{
		{"an attribute and a default", calls(node("Inner x -> y", intAttr("where", 2)), inner()), 2, 7},
		{"an attribute in place of the default", calls(node("Inner x -> y", intAttr("where", 1), intAttr("by", 3)), inner()), 1, 3},
		{"through two calls", calls(node("Outer x -> y", intAttr("at", 5)), inner(), middle), 5, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := build(c.m)
			if err != nil {
				t.Fatal(err)
			}
			if got := opTypes(g); !slices.Equal(got, []string{"Concat", "Flatten"}) {
				t.Fatalf("the nodes are %v", got)
			}
			if a, b := g.Nodes[0].Attrs.Int("axis"), g.Nodes[1].Attrs.Int("axis"); a != c.concat || b != c.flatten {
				t.Errorf("the attributes are %d and %d, %d and %d expected", a, b, c.concat, c.flatten)
			}
			if g.Nodes[1].Out[0] != g.Outputs[0] {
				t.Error("the call's output is not the function's")
			}
		})
	}
}

func TestReferenceToAnAttributeThatTheCallOmits(t *testing.T) {
	f := &onnx.Function{
		Name: "F", Inputs: []string{"a"}, Outputs: []string{"b"}, Attrs: []string{"by"},
		Nodes: []onnx.Node{node("Flatten a -> b", ref("axis", "by", onnx.AttrInt))},
	}
	g, err := build(calls(node("F x -> y"), f))
	if err != nil {
		t.Fatal(err)
	}
	if a := g.Nodes[0].Attrs.Int("axis"); a != 1 {
		t.Errorf("axis is %d, the operator's default is 1", a)
	}
}

func TestFunctionInsideASubgraphAndSubgraphInsideAFunction(t *testing.T) {
	f := &onnx.Function{Name: "F", Inputs: []string{"a"}, Outputs: []string{"b"}, Nodes: []onnx.Node{
		node("Less a,a -> c"), node("If c -> b", branches(body("p", node("Relu a -> p")), body("q", node("Tanh a -> q")))...),
	}}
	m := calls(node("F x -> y"), f)
	m.Graph.Nodes = []onnx.Node{node("Less x,x -> c"), node("If c -> y", branches(body("p", node("F x -> p")), body("q", node("Relu x -> q")))...)}
	g, err := build(m)
	if err != nil {
		t.Fatal(err)
	}
	then := g.Nodes[1].Body("then_branch")
	if got := opTypes(then); !slices.Equal(got, []string{"Less", "If"}) {
		t.Fatalf("the branch's nodes are %v", got)
	}
	if len(then.Captures) != 1 || then.Captures[0].Outer != g.Inputs[0] {
		t.Errorf("the branch captures %v, x expected", then.Captures)
	}
	deep := then.Nodes[1].Body("else_branch")
	if len(deep.Captures) != 1 || then.Values[deep.Captures[0].Outer].Name != "x" {
		t.Errorf("the inner branch captures %v", deep.Captures)
	}
}

func TestFunctionsThatDoubleAreBounded(t *testing.T) {
	if invariants.Race {
		t.Skip("a million nodes take too long under the race detector")
	}
	var fs []*onnx.Function
	for i := range 25 {
		next := "F" + strconv.Itoa(i+1)
		f := &onnx.Function{Name: "F" + strconv.Itoa(i), Inputs: []string{"a"}, Outputs: []string{"b"}, Nodes: []onnx.Node{node(next + " a -> c"), node(next + " c -> b")}}
		fs = append(fs, f)
	}
	fs = append(fs, &onnx.Function{Name: "F25", Inputs: []string{"a"}, Outputs: []string{"b"}, Nodes: []onnx.Node{node("Relu a -> b")}})
	_, err := build(calls(node("F0 x -> y"), fs...))
	if errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), "nodes once its functions are put in place") {
		t.Errorf("got %v", err)
	}
}

func TestConstants(t *testing.T) {
	m := model(node("Constant -> c", onnx.Attr{Name: "value_floats", Type: onnx.AttrFloats, Floats: []float32{1, 2}}),
		node("Constant -> s", onnx.Attr{Name: "value_strings", Type: onnx.AttrStrings, Strings: [][]byte{[]byte("a"), []byte("bc")}}),
		node("Constant -> i", intAttr("value_int", -3)), node("Add x,c -> y"))
	g, err := build(m)
	if err != nil {
		t.Fatal(err)
	}
	if got := opTypes(g); !slices.Equal(got, []string{"Add"}) {
		t.Errorf("the nodes are %v", got)
	}
	value := func(name string) *tensor.View {
		id, ok := g.Lookup(name)
		if !ok || g.Values[id].Const == nil {
			t.Fatalf("%s is no constant", name)
		}
		return g.Values[id].Const
	}
	if v := value("c"); !slices.Equal(tensor.Elems[float32](v), []float32{1, 2}) || !v.Shape.Equal(tensor.Shape{2}) {
		t.Errorf("c is %v", v)
	}
	if v := value("s"); !slices.Equal(tensor.Elems[string](v), []string{"a", "bc"}) {
		t.Errorf("s is %v", v)
	}
	if v := value("i"); tensor.Elems[int64](v)[0] != -3 || len(v.Shape) != 0 {
		t.Errorf("i is %v", v)
	}
}

func TestNeeded(t *testing.T) {
	g, err := build(model(node("Relu x -> a"), node("Tanh x -> b"), node("Sigmoid a -> y")))
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Needed(g.Outputs); !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("the needed nodes are %v", got)
	}
	if got := g.Needed(nil); slices.Contains(got, true) {
		t.Errorf("nothing wanted needs %v", got)
	}
}
