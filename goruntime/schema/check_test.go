package schema

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// node returns a node with one output and these inputs.
func node(op string, inputs ...string) *onnx.Node {
	return &onnx.Node{OpType: op, Inputs: inputs, Outputs: []string{"y"}}
}

func withAttrs(n *onnx.Node, attrs ...onnx.Attr) *onnx.Node {
	n.Attrs = attrs
	return n
}

func attr(name string, t onnx.AttrType) onnx.Attr { return onnx.Attr{Name: name, Type: t} }

func of(domain string, n *onnx.Node) *onnx.Node {
	n.Domain = domain
	return n
}

func outputs(n *onnx.Node, names ...string) *onnx.Node {
	n.Outputs = names
	return n
}

func TestCheckAcceptsWhatTheStandardAllows(t *testing.T) {
	for name, c := range map[string]struct {
		n     *onnx.Node
		opset int64
	}{
		"a plain node":                    {node("Relu", "x"), 14},
		"an omitted optional input":       {node("Clip", "x", "", "max"), 13},
		"omitted inputs at the end":       {node("Clip", "x", "", ""), 13},
		"many of a variadic input":        {withAttrs(node("Concat", "a", "b", "c"), attr("axis", onnx.AttrInt)), 13},
		"the other name of the domain":    {of("ai.onnx", withAttrs(node("If", "c"), attr("then_branch", onnx.AttrGraph), attr("else_branch", onnx.AttrGraph))), 16},
		"a loop that carries nothing":     {withAttrs(node("Loop", "n"), attr("body", onnx.AttrGraph)), 16},
		"an omitted output":               {outputs(node("Dropout", "x"), "y", ""), 13},
		"an attribute by reference":       {withAttrs(node("Elu", "x"), onnx.Attr{Name: "alpha", RefName: "a"}), 6},
		"a typed reference":               {withAttrs(node("Elu", "x"), onnx.Attr{Name: "alpha", RefName: "a", Type: onnx.AttrFloat}), 6},
		"a note of a tool":                {withAttrs(node("Relu", "x"), attr("__note", onnx.AttrString)), 14},
		"another domain":                  {of("ai.onnx.ml", withAttrs(node("Binarizer", "x"), attr("threshold", onnx.AttrFloat))), 1},
		"the old form of an operator":     {withAttrs(node("Add", "a", "b"), attr("broadcast", onnx.AttrInt), attr("consumed_inputs", onnx.AttrInts)), 1},
		"an opset that is not known yet":  {node("Relu", "x"), 1000},
		"an optional input left out":      {withAttrs(node("Optional"), attr("type", onnx.AttrTypeProto)), 15},
		"an operator without any input":   {withAttrs(node("Constant"), attr("value_strings", onnx.AttrStrings)), 13},
		"a preview operator for training": {of("ai.onnx.preview.training", withAttrs(outputs(node("Gradient", "x"), "d"), attr("xs", onnx.AttrStrings), attr("y", onnx.AttrString))), 1},
	} {
		if err := Check(c.n, c.opset); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckErrors(t *testing.T) {
	for _, c := range []struct {
		n     *onnx.Node
		opset int64
		code  errs.Code
		want  string
	}{
		{node("SoftMax", "x"), 13, errs.Unsupported, `the operator SoftMax is unknown; the nearest are "Softmax", "LogSoftmax", "ArgMax"`},
		{of("ai.onnx.ml", node("Scaller", "x")), 3, errs.Unsupported, `the operator ai.onnx.ml.Scaller is unknown; the nearest are "Scaler", "Imputer", "Binarizer"`},
		{of("com.example", node("Relu", "x")), 1, errs.Unsupported, `the operator com.example.Relu is of the domain "com.example", which the standard does not define`},
		{node("Gelu", "x"), 17, errs.Unsupported, "the operator Gelu exists from opset 20, the model imports 17"},
		{node("Upsample", "x", "s"), 13, errs.Unsupported, "the operator Upsample is deprecated since opset 10"},
		{node("Relu"), 14, errs.Model, "the input X, number 0 of at least 1, is required and missing"},
		{node("Add", "a", ""), 14, errs.Model, "the input B, number 1 of at least 2, is required and missing"},
		{node("Relu", "x", "z"), 14, errs.Model, "2 inputs given, at most 1 expected"},
		{outputs(node("Relu", "x"), "y", "z"), 14, errs.Model, "2 outputs given, at most 1 expected"},
		{outputs(node("Relu", "x")), 14, errs.Model, "the output Y, number 0 of at least 1, is required and missing"},
		{withAttrs(node("Concat"), attr("axis", onnx.AttrInt)), 13, errs.Model, "the input inputs is given 0 times, at least 1 expected"},
		{withAttrs(node("Gather", "x", "i"), attr("axes", onnx.AttrInt)), 13, errs.Model, `the attribute "axes" is unknown to Gather 13; the nearest are "axis"`},
		{withAttrs(node("Add", "a", "b"), attr("broadcast", onnx.AttrInt)), 7, errs.Model, `the attribute "broadcast" is unknown: Add 7 has none`},
		{withAttrs(node("Gather", "x", "i"), attr("axis", onnx.AttrInts)), 13, errs.Model, `the attribute "axis" has type ints, int expected`},
		{withAttrs(node("Gather", "x", "i"), attr("axis", onnx.AttrUndefined)), 13, errs.Model, `the attribute "axis" has type UNDEFINED, int expected`},
		{withAttrs(node("Gather", "x", "i"), onnx.Attr{Name: "axis", RefName: "a", Type: onnx.AttrFloat}), 13, errs.Model, `the attribute "axis" has type float, int expected`},
		{withAttrs(node("Gather", "x", "i"), attr("axis", onnx.AttrInt), attr("axis", onnx.AttrInt)), 13, errs.Model, `the attribute "axis" is set twice`},
		{node("Cast", "x"), 13, errs.Model, `the attribute "to" of type int is required and missing`},
	} {
		if err := Check(c.n, c.opset); errs.CodeOf(err) != c.code || err.Error() != c.want {
			t.Errorf("%s: %v\n%s expected", c.n.OpType, err, c.want)
		}
	}
}
