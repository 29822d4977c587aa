package gradient

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/schema"
)

// rule writes the nodes that turn the gradients of a node's outputs into those of its
// inputs.
type rule func(s *step)

// rules has a rule for each operator of ai.onnx that is differentiated.
var rules = map[string]rule{
	"Add": aligned(add), "Sub": aligned(sub), "Mul": aligned(mul), "Div": aligned(div), "Pow": aligned(pow),
	"Neg": neg, "Sum": sum, "Mean": mean, "Max": largest, "Min": largest,
	"Abs": abs, "Sqrt": sqrt, "Reciprocal": reciprocal, "Exp": exp, "Log": logarithm, "Sin": sin, "Cos": cos, "Erf": erf, "Tanh": tanh,
	"Sigmoid": sigmoid, "Softplus": softplus, "Relu": relu, "LeakyRelu": leakyRelu, "Clip": clip, "Where": where,
	"Softmax": softmax, "LogSoftmax": logSoftmax,
	"MatMul": matMul, "Gemm": gemm, "Conv": conv, "ConvTranspose": convTranspose, "Pad": pad, "GlobalAveragePool": globalAveragePool,
	"ReduceSum": reduceSum, "ReduceMean": reduceMean, "ReduceSumSquare": reduceSumSquare, "ReduceL2": reduceL2, "ReduceLogSumExp": reduceLogSumExp,
	"ReduceMax": reduceLargest, "ReduceMin": reduceLargest,
	"Identity": identity, "Cast": cast, "CastLike": cast, "Dropout": dropout,
	"Reshape": reshape, "Flatten": reshape, "Squeeze": reshape, "Unsqueeze": reshape, "Transpose": transpose, "Expand": expand,
	"Concat": concat, "Einsum": einsum,
	"Slice": moved, "Split": moved, "Gather": moved, "GatherElements": moved, "GatherND": moved, "Tile": moved, "DepthToSpace": moved,
	"SpaceToDepth": moved, "Compress": moved, "ScatterElements": scatterElements, "MaxPool": maxPool, "BatchNormalization": batchNormalization,
}

// flat has the operators whose outputs change by steps only: nothing goes back through
// them.
var flat = map[string]bool{
	"Floor": true, "Ceil": true, "Round": true, "Sign": true, "Shape": true, "Size": true, "Equal": true, "Less": true, "Greater": true,
	"LessOrEqual": true, "GreaterOrEqual": true, "Not": true, "And": true, "Or": true, "Xor": true, "IsNaN": true, "IsInf": true,
	"ArgMax": true, "ArgMin": true, "NonZero": true, "OneHot": true,
}

// carries reports whether input i of a node tells more than a type or where a step is.
func carries(n *onnx.Node, i int) bool {
	standard := n.Domain == Domain || onnx.Domain(n.Domain) == ""
	return !standard || !flat[n.OpType] && (n.OpType != "CastLike" || i == 0)
}

// differentiate writes the nodes from y back to xs.
func (s *subgraph) differentiate() error {
	gradients := map[string]string{}
	if s.active[s.y] {
		seed := &step{subgraph: s, n: s.n}
		gradients[s.y] = seed.filled(1, s.of(s.y))
	}
	for _, n := range slices.Backward(s.order) {
		if err := s.back(n, gradients); err != nil {
			return err
		}
	}
	last := &step{subgraph: s, n: s.n}
	for i, o := range s.n.Outputs {
		if o == "" {
			continue
		}
		g := gradients[s.xs[i]]
		if g == "" {
			g = last.filled(0, s.of(s.xs[i]))
		}
		s.add(&onnx.Node{Name: s.name("Identity"), Domain: Domain, OpType: "Identity", Inputs: []string{g}, Outputs: []string{o}})
		delete(s.pending, o)
	}
	return nil
}

// back adds what goes through n to the gradients of its inputs.
func (s *subgraph) back(n *onnx.Node, gradients map[string]string) error {
	reached := func(o string) bool { return o != "" && gradients[o] != "" && !s.independent[o] }
	if !slices.ContainsFunc(n.Outputs, reached) {
		return nil
	}
	if len(s.all) > maxNodes {
		return errs.New(errs.Model, "the graph has more than %d nodes once its gradients are written out: each gradient of a gradient multiplies them", maxNodes)
	}
	opset := s.Opset
	if n.Domain == Domain {
		opset = Opset
	}
	r := rules[n.OpType]
	if r == nil || n.Domain != Domain && onnx.Domain(n.Domain) != "" {
		return errs.New(errs.Unsupported, "%s %q lies between y and xs, and has no gradient here", n.OpType, n.Name)
	}
	if n.Domain != Domain {
		if err := schema.Check(n, int64(opset)); err != nil {
			return errs.New(errs.CodeOf(err), "%s %q: %w", n.OpType, n.Name, err)
		}
	}
	k := &step{subgraph: s, n: n, opset: opset, gs: make([]string, len(n.Outputs)), given: make([]string, len(n.Inputs))}
	for i, o := range n.Outputs {
		if reached(o) {
			k.gs[i] = gradients[o]
		}
	}
	k.g = k.gs[0]
	r(k)
	if k.err == nil && !k.each && (k.g == "" || slices.ContainsFunc(k.gs[1:], func(g string) bool { return g != "" })) {
		k.fail("for other outputs than the first")
	}
	if k.err != nil {
		return k.err
	}
	for i, g := range k.given {
		in := n.Inputs[i]
		switch {
		case g == "" || !s.active[in]:
		case gradients[in] == "":
			gradients[in] = g
		default:
			gradients[in] = k.op("Add", gradients[in], g)
		}
	}
	return nil
}

// step is a node that is differentiated.
type step struct {
	*subgraph
	n     *onnx.Node
	opset int      // of ai.onnx that the node is written in
	g     string   // the gradient of its first output
	gs    []string // those of all outputs, empty where y does not depend on one
	each  bool     // the rule uses gs
	given []string
	err   error // of the rule
}

// wants reports whether the gradient of input i is of use.
func (s *step) wants(i int) bool { return i < len(s.n.Inputs) && s.active[s.n.Inputs[i]] }

// in and out return the names that hold the inputs and the first output.
func (s *step) in(i int) string { return s.of(s.n.Inputs[i]) }

func (s *step) out() string { return s.of(s.n.Outputs[0]) }

// give says that g is the gradient of input i.
func (s *step) give(i int, g string) { s.given[i] = g }

// op writes a node with one output, whose name it returns.
func (s *step) op(opType string, inputs ...string) string { return s.node(opType, nil, inputs...) }

func (s *step) node(opType string, attrs []onnx.Attr, inputs ...string) string {
	o := s.name(opType)
	s.add(&onnx.Node{Name: o, Domain: Domain, OpType: opType, Inputs: inputs, Outputs: []string{o}, Attrs: attrs})
	return o
}

func number(name string, i int) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrInt, I: int64(i)}
}

func text(name, s string) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrString, S: []byte(s)}
}

func numbers(name string, list ...int64) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrInts, Ints: list}
}

// ints is a constant vector of whole numbers.
func (s *step) ints(list ...int64) string {
	return s.node("Constant", []onnx.Attr{numbers("value_ints", list...)})
}

// whole is a constant scalar.
func (s *step) whole(x int) string {
	return s.node("Constant", []onnx.Attr{number("value_int", x)})
}

// real is a constant scalar of the type of like.
func (s *step) real(x float32, like string) string {
	return s.op("CastLike", s.node("Constant", []onnx.Attr{{Name: "value_float", Type: onnx.AttrFloat, F: x}}), like)
}

// filled has the shape and type of like, and x everywhere.
func (s *step) filled(x float32, like string) string {
	return s.op("Expand", s.real(x, like), s.op("Shape", like))
}

// like sums what was broadcast: x has the shape of like afterwards.
func (s *step) like(x, like string) string {
	from, to := s.op("Shape", x), s.op("Shape", like)
	more := s.op("Sub", s.op("Shape", from), s.op("Shape", to))
	long := s.node("Concat", []onnx.Attr{number("axis", 0)}, s.op("Expand", s.ints(1), more), to)
	axes := s.op("Reshape", s.op("NonZero", s.op("Not", s.op("Equal", from, long))), s.ints(-1))
	sums := s.node("ReduceSum", []onnx.Attr{number("keepdims", 1), number("noop_with_empty_axes", 1)}, x, axes)
	return s.shaped(sums, to)
}

// shaped gives x another shape of as many elements.
func (s *step) shaped(x, shape string) string {
	return s.node("Reshape", []onnx.Attr{number("allowzero", 1)}, x, shape)
}

// attr returns an attribute of the node, nil where it is not set.
func (s *step) attr(name string) *onnx.Attr {
	for i := range s.n.Attrs {
		if s.n.Attrs[i].Name == name && s.n.Attrs[i].RefName == "" {
			return &s.n.Attrs[i]
		}
	}
	return nil
}

func (s *step) int(name string, def int) int {
	if a := s.attr(name); a != nil {
		return int(a.I)
	}
	return def
}

func (s *step) float(name string, def float32) float32 {
	if a := s.attr(name); a != nil {
		return a.F
	}
	return def
}

// fail ends the rule: the node is used in a way that has no gradient here.
func (s *step) fail(format string, args ...any) {
	s.err = errs.New(errs.Unsupported, "the gradient of "+s.n.OpType+" is not there "+format, args...)
}
