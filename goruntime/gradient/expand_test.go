package gradient

import (
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// node is written as "Mul a b -> y".
func node(line string, attrs ...onnx.Attr) onnx.Node {
	left, right, _ := strings.Cut(line, " -> ")
	words := strings.Fields(left)
	return onnx.Node{OpType: words[0], Inputs: words[1:], Outputs: strings.Fields(right), Attrs: attrs}
}

func of(line, y, xs, zs string) onnx.Node {
	list := func(name, names string) onnx.Attr {
		a := onnx.Attr{Name: name, Type: onnx.AttrStrings}
		for _, s := range strings.Fields(names) {
			a.Strings = append(a.Strings, []byte(s))
		}
		return a
	}
	n := node(line, text("y", y), list("xs", xs), list("zs", zs))
	n.Domain = trainingDomain
	return n
}

// at is the scope of a list in a graph of its own, whose values have names of one or two
// letters.
func at() Scope {
	return Scope{
		Opset: 18, Count: new(int),
		Defined:  func(name string) bool { return len(name) < 3 },
		Producer: func(string) *onnx.Node { return nil },
	}
}

// counted is how many nodes of each operator are in a list.
func counted(list []onnx.Node) map[string]int {
	m := map[string]int{}
	for _, n := range list {
		m[n.OpType]++
	}
	return m
}

func TestListsWithoutGradientsStay(t *testing.T) {
	list := []onnx.Node{node("Mul a b -> y")}
	got, err := Expand(list, at())
	if err != nil || len(got) != 1 || &got[0] != &list[0] {
		t.Errorf("%v, %v", got, err)
	}
}

// The forward values are used again where the Gradient is given them, and computed
// again where it is given others.
func TestForwardNodesAreRepeatedForOtherValuesOnly(t *testing.T) {
	forward := []onnx.Node{node("Exp x -> h"), node("Mul h z -> y"), node("Neg q -> other")}
	for _, c := range []struct {
		gradient onnx.Node
		exp      int
	}{
		{of("Gradient x z -> dx", "y", "x", "z"), 1},
		{of("Gradient x1 z -> dx", "y", "x", "z"), 2},
		{of("Gradient h1 z -> dh", "y", "h", "z"), 1}, // h is independent: nothing before it counts
	} {
		got, err := Expand(append(slices.Clone(forward), c.gradient), at())
		if err != nil {
			t.Fatal(err)
		}
		n := counted(got)
		if n["Exp"] != c.exp || n["Gradient"] != 0 || n["Neg"] != 1 {
			t.Errorf("%v: %v", c.gradient.Inputs, n)
		}
	}
}

// The gradient of a node that y does not need, or that no x reaches, is not written.
func TestOnlyWhatLiesBetweenIsDifferentiated(t *testing.T) {
	list := []onnx.Node{node("CumSum z a -> w"), node("Mul x w -> y"), node("CumSum x a -> aside"), of("Gradient x z a -> dx", "y", "x", "z a")}
	if _, err := Expand(list, at()); err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	branch := node("If c -> y", onnx.Attr{Name: "then_branch", Type: onnx.AttrGraph, G: &onnx.Graph{}})
	for _, c := range []struct {
		name string
		list []onnx.Node
		code errs.Code
		text string
	}{
		{"an operator without a rule", []onnx.Node{node("CumSum x a -> y"), of("Gradient x a -> dx", "y", "x", "a")}, errs.Unsupported, "CumSum"},
		{"an operator of another domain", []onnx.Node{{OpType: "Mul", Domain: "own", Inputs: []string{"x"}, Outputs: []string{"y"}}, of("Gradient x -> dx", "y", "x", "")}, errs.Unsupported, "Mul"},
		{"the second output", []onnx.Node{node("MaxPool x -> p i", numbers("kernel_shape", 1)), node("Neg i -> y"), of("Gradient x -> dx", "y", "x", "")}, errs.Unsupported, "other outputs"},
		{"a subgraph for other values", []onnx.Node{node("Neg c -> d"), branch, of("Gradient c1 -> dc", "y", "c", "")}, errs.Unsupported, "has a subgraph"},
		{"no y", []onnx.Node{of("Gradient x -> dx", "", "x", "")}, errs.Model, "both are needed"},
		{"more outputs than xs", []onnx.Node{node("Neg x -> y"), of("Gradient x -> dx dz", "y", "x", "")}, errs.Model, "as many outputs as xs"},
		{"of itself", []onnx.Node{of("Gradient x -> y", "y", "x", "")}, errs.Model, "one of itself"},
		{"of each other", []onnx.Node{of("Gradient x -> a", "b", "x", ""), of("Gradient x -> b", "a", "x", "")}, errs.Model, "one of itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Expand(c.list, at())
			if errs.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %v with %q", err, c.code, c.text)
			}
		})
	}
}
