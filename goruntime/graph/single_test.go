package graph

import (
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func named(name string, n onnx.Node) onnx.Node {
	n.Name = name
	return n
}

// conditional is a model that computes c and reads it in an If whose then_branch is
// what is given.
func conditional(then *onnx.Graph, before ...onnx.Node) *onnx.Model {
	other := body("q", node("Relu x -> q"))
	other.Name = "other"
	return model(append(before, node("Less x,x -> c"), named("choose", node("If c -> y", branches(then, other)...)))...)
}

func ones(name string) onnx.Tensor {
	return *onnx.New(name, tensor.F32, []int64{2}, make([]byte, 8))
}

func TestNamesThatAreGivenTwice(t *testing.T) {
	with := func(m *onnx.Model, names ...string) *onnx.Model {
		for _, n := range names {
			m.Graph.Initializers = append(m.Graph.Initializers, ones(n))
		}
		return m
	}
	sub := func(g *onnx.Graph) *onnx.Graph { g.Name = "inner"; return g }
	loop := func(in string, nodes ...onnx.Node) *onnx.Model {
		g := sub(body("k", nodes...))
		g.Inputs = []onnx.ValueInfo{{Name: "i"}, {Name: in}, {Name: "v"}}
		g.Outputs = append(g.Outputs, onnx.ValueInfo{Name: "w"})
		return model(node("Less x,x -> c"), node("Loop ,c,x -> y", onnx.Attr{Name: "body", Type: onnx.AttrGraph, G: g}))
	}
	fn := func(nodes ...onnx.Node) *onnx.Model {
		return calls(named("call", node("F x -> y")), &onnx.Function{Name: "F", Inputs: []string{"a"}, Outputs: []string{"b"}, Nodes: nodes})
	}
	for _, c := range []struct {
		name string
		m    *onnx.Model
		want string
	}{
		{"an input that its reader gives again", model(named("r", node("Relu x -> x")), node("Relu x -> y")), `Relu node "r": the output "x" is also an input of the graph "g"`},
		{"an input, by a Constant", model(node("Constant -> x", intAttr("value_int", 1)), node("Relu x -> y")), `Constant node "#0": the output "x" is also an input of the graph "g"`},
		{"an initializer", with(model(node("Relu x -> w"), node("Add x,w -> y")), "w"), `Relu node "#0": the output "w" is also an initializer of the graph "g"`},
		{"an initializer, by its reader", with(model(node("Relu w -> w"), node("Add x,w -> y")), "w"), `the output "w" is also an initializer of the graph "g"`},
		{"another node's output", model(named("p", node("Relu x -> y")), named("q", node("Tanh x -> y"))), `Tanh node "q": the output "y" is also an output of Relu node "p"`},
		{"another node's output, by its reader", model(node("Relu x -> a"), node("Relu a -> a"), node("Add x,a -> y")), `Relu node "#1": the output "a" is also an output of Relu node "#0"`},
		{"its own reading", model(node("Relu x -> y"), node("Add x,y -> y")), `Add node "#1": the output "y" is also an output of Relu node "#0"`},
		{"another output of the node", model(node("Split x -> y,y", intAttr("num_outputs", 2))), `Split node "#0": the output "y" is also an output of Split node "#0"`},
		{"nodes whose operators are not known", model(node("NoSuch x -> a"), node("NoSuch a -> a"), node("Relu a -> y")), `NoSuch node "#1": the output "a" is also an output of NoSuch node "#0"`},
		{"an input of the graph around", conditional(sub(body("x", node("Relu x -> x")))), `Relu node "#0": "then_branch": the output "x" is also an input of the graph "g"`},
		{"a node of the graph around", conditional(sub(body("a", node("Relu x -> a"))), named("outer", node("Relu x -> a"))), `the output "a" is also an output of Relu node "outer"`},
		{"an initializer of the graph around", with(conditional(sub(body("w", node("Relu x -> w")))), "w"), `the output "w" is also an initializer of the graph "g"`},
		{"a node two graphs around", conditional(sub(body("p", node("Less a,x -> d"), node("If d -> p", branches(sub(body("a", node("Relu x -> a"))), body("r", node("Relu a -> r")))...))), node("Relu x -> a")), `the output "a" is also an output of Relu node "#0"`},
		{"an initializer of a subgraph", func() *onnx.Model {
			g := sub(body("w", node("Relu x -> w")))
			g.Initializers = []onnx.Tensor{ones("w")}
			return conditional(g)
		}(), `the output "w" is also an initializer of the graph "inner"`},
		{"an input of a loop's body", loop("k", node("Identity k -> k"), node("Relu v -> w")), `the output "k" is also an input of the graph "inner"`},
		{"two nodes of a loop's body", loop("h", node("Identity h -> k"), named("first", node("Relu v -> w")), node("Relu w -> w")), `the output "w" is also an output of Relu node "first"`},
		{"an input of a function", fn(node("Relu a -> a"), node("Relu a -> b")), `the output "a" is also an input of the function "F"`},
		{"two nodes of a function", fn(node("Relu a -> b"), node("Relu a -> b")), `Relu node "call/#1": the output "b" is also an output of Relu node "call/#0"`},
		{"an input of a function, in a subgraph of it", fn(node("Less a,a -> c"), node("If c -> b", branches(sub(body("a", node("Relu a -> a"))), body("e", node("Relu a -> e")))...)), `the output "a" is also an input of the function "F"`},
		{"an input, by the call of a function", model(named("call", node("F x -> x")), node("Relu x -> y")), `F node "call": the output "x" is also an input of the graph "g"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := build(c.m)
			if errs.CodeOf(err) != errs.Model {
				t.Fatalf("got %v, errs.Model expected", err)
			}
			for _, want := range []string{c.want, "a name is given to one value (single static assignment), rename one of the two where it is given and read"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, something with %q expected", err, want)
				}
			}
		})
	}
}

func TestListsThatNameAValueTwice(t *testing.T) {
	m := model(node("Add x,w -> y"))
	m.Graph.Initializers = []onnx.Tensor{ones("w"), ones("w")}
	f := calls(node("F x,x -> y"), &onnx.Function{Name: "F", Inputs: []string{"a", "a"}, Outputs: []string{"b"}, Nodes: []onnx.Node{node("Relu a -> b")}})
	for want, m := range map[string]*onnx.Model{`the initializer "w" is listed twice`: m, `the input "a" of the function is listed twice`: f} {
		if _, err := build(m); errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, something with %q expected", err, want)
		}
	}
}

// Names that mean something else elsewhere, which the standard's checker lets pass.
func TestNamesThatAreGivenOnceInTheirScope(t *testing.T) {
	inner := body("z", node("Relu x -> z"))
	inner.Initializers = []onnx.Tensor{ones("x")}
	formal := body("k", node("Identity c -> k"), node("Relu x -> w"))
	formal.Inputs = []onnx.ValueInfo{{Name: "i"}, {Name: "c"}, {Name: "x"}}
	formal.Outputs = append(formal.Outputs, onnx.ValueInfo{Name: "w"})
	for name, m := range map[string]*onnx.Model{
		"both branches":                      conditional(body("q", node("Tanh x -> q"))),
		"a branch and its own node's output": conditional(body("y", node("Tanh x -> y"))),
		"an initializer that hides an input": conditional(inner),
		"inputs of a body that hide others":  model(node("Less x,x -> c"), node("Loop ,c,x -> y", onnx.Attr{Name: "body", Type: onnx.AttrGraph, G: formal})),
		"a function and the graph it is of":  calls(node("F x -> y"), &onnx.Function{Name: "F", Inputs: []string{"y"}, Outputs: []string{"x"}, Nodes: []onnx.Node{node("Relu y -> x")}}),
		"two calls of one function": func() *onnx.Model {
			m := calls(node("F x -> a"), &onnx.Function{Name: "F", Inputs: []string{"p"}, Outputs: []string{"q"}, Nodes: []onnx.Node{node("Relu p -> r"), node("Relu r -> q")}})
			m.Graph.Nodes = append(m.Graph.Nodes, node("F a -> y"))
			return m
		}(),
		"outputs without a name": model(node("MaxPool x -> a,", onnx.Attr{Name: "kernel_shape", Type: onnx.AttrInts, Ints: []int64{1}}), node("MaxPool a -> y,", onnx.Attr{Name: "kernel_shape", Type: onnx.AttrInts, Ints: []int64{1}})),
	} {
		if _, err := build(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
