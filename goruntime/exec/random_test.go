package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// randomGraph makes a model of values of one type whose shapes it knows. It draws what
// reuse of memory could get wrong: values read late, views, views of views,
// broadcasts, outputs of several kinds, shapes known only in the run, branches; and
// operators that take each of the ways that values of 16 bits may be held in.
type randomGraph struct {
	*modelBuilder
	d    tensor.DType
	r    *rand.Rand
	vals []known
	n    int // names given
}

// known is a value of the graph and its shape.
type known struct {
	name  string
	shape []int64
}

func elements(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

const maxElements = 3000

// newRandomGraph makes the graph of a seed; its inputs are x, y, the bool cond
// and the i64 flat, which always holds -1.
func newRandomGraph(t testing.TB, d tensor.DType, seed uint64) *randomGraph {
	g := &randomGraph{modelBuilder: newModel(t), d: d, r: rand.New(rand.NewPCG(seed, 1))}
	shape := []int64{int64(1 + g.r.IntN(4)), int64(1 + g.r.IntN(9)), int64(2 + g.r.IntN(30))}
	g.vals = []known{{"x", shape}, {"y", shape}}
	g.input("x", d)
	g.input("y", d)
	g.input("cond", tensor.Bool)
	g.input("flat", tensor.I64)
	w := make([]float32, shape[2])
	for i := range w {
		w[i] = g.r.Float32()*2 - 1
	}
	g.vals = append(g.vals, known{g.floats("w", shape[2:], w...), shape[2:]})
	kinds := []func(){
		g.unary, g.unary, g.binary, g.binary, g.binary, g.reshape, g.flatten, g.transpose, g.concat, g.slice,
		g.split, g.branch, g.takenBranch, g.matmul, g.gather, g.reduce, g.choose, g.identity, g.lateShape, g.softmax, g.passOuter,
		g.recast, g.clip, g.normalize, g.convolve, g.pool,
	}
	for range 3 + g.r.IntN(20) {
		kinds[g.r.IntN(len(kinds))]()
	}
	g.pickOutputs()
	return g
}

func (g *randomGraph) pickOutputs() {
	last := g.vals[len(g.vals)-1].name
	names := []string{last}
	for range g.r.IntN(4) {
		names = append(names, g.pick().name)
	}
	g.r.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	g.outputs(names...)
}

// floats adds numbers of the graph's type to it.
func (g *randomGraph) floats(name string, dims []int64, list ...float32) string {
	if g.d == tensor.F32 {
		return g.init(floatsTensor(g.t, name, dims, list...))
	}
	return halfTensor(g.modelBuilder, g.d, name, dims, list...)
}

// weights adds that many numbers around 0.
func (g *randomGraph) weights(dims ...int64) string {
	w := make([]float32, elements(dims))
	for i := range w {
		w[i] = g.r.Float32() - 0.5
	}
	return g.floats(g.name(), dims, w...)
}

func (g *randomGraph) name() string {
	g.n++
	return fmt.Sprintf("v%d", g.n)
}

// pick returns a value, a late one more often.
func (g *randomGraph) pick() known {
	if g.r.IntN(3) > 0 {
		return g.vals[len(g.vals)-1-g.r.IntN(min(4, len(g.vals)))]
	}
	return g.vals[g.r.IntN(len(g.vals))]
}

func (g *randomGraph) add(name string, shape []int64) {
	g.vals = append(g.vals, known{name, slices.Clone(shape)})
}

func (g *randomGraph) unaryOp() string {
	ops := []string{"Relu", "Erf", "Exp", "Tanh", "Sigmoid", "HardSwish", "LeakyRelu", "Neg", "Abs", "Sin", "Gelu", "Softplus", "Floor", "Sign"}
	return ops[g.r.IntN(len(ops))]
}

func (g *randomGraph) unary() {
	v, out := g.pick(), g.name()
	g.node(g.unaryOp(), []string{v.name}, []string{out})
	g.add(out, v.shape)
}

// like returns a value of v's shape, v itself where there is no other.
func (g *randomGraph) like(v known) known {
	var list []known
	for _, o := range g.vals {
		if slices.Equal(o.shape, v.shape) {
			list = append(list, o)
		}
	}
	return list[g.r.IntN(len(list))]
}

func (g *randomGraph) binary() {
	v, out := g.pick(), g.name()
	o := g.like(v)
	if g.r.IntN(3) == 0 && len(v.shape) > 0 { // a broadcast
		list := make([]float32, v.shape[len(v.shape)-1])
		for i := range list {
			list[i] = g.r.Float32()
		}
		o = known{name: g.floats(g.name(), []int64{int64(len(list))}, list...)}
	}
	in := []string{v.name, o.name}
	if g.r.IntN(2) == 0 {
		in[0], in[1] = in[1], in[0]
	}
	g.node([]string{"Add", "Sub", "Mul", "Max", "Min", "Div"}[g.r.IntN(6)], in, []string{out})
	g.add(out, v.shape)
}

func (g *randomGraph) reshape() {
	v, out := g.pick(), g.name()
	n := elements(v.shape)
	to := []int64{n}
	for d := int64(2); d < 5; d++ {
		if n%d == 0 && g.r.IntN(2) == 0 {
			to = []int64{d, n / d}
		}
	}
	g.node("Reshape", []string{v.name, g.init(intsTensor(g.t, g.name(), to...))}, []string{out})
	g.add(out, to)
}

func (g *randomGraph) flatten() {
	v, out := g.pick(), g.name()
	axis := g.r.IntN(len(v.shape) + 1)
	g.node("Flatten", []string{v.name}, []string{out}, intAttr("axis", int64(axis)))
	g.add(out, []int64{elements(v.shape[:axis]), elements(v.shape[axis:])})
}

// lateShape reshapes by a value that the run brings.
func (g *randomGraph) lateShape() {
	v, out := g.pick(), g.name()
	g.node("Reshape", []string{v.name, "flat"}, []string{out})
	g.add(out, []int64{elements(v.shape)})
}

func (g *randomGraph) transpose() {
	v, out := g.pick(), g.name()
	perm, to := make([]int64, len(v.shape)), make([]int64, len(v.shape))
	for i, p := range g.r.Perm(len(v.shape)) {
		perm[i], to[i] = int64(p), v.shape[p]
	}
	g.node("Transpose", []string{v.name}, []string{out}, intsAttr("perm", perm...))
	g.add(out, to)
}

func (g *randomGraph) concat() {
	v, out := g.pick(), g.name()
	if 2*elements(v.shape) > maxElements || len(v.shape) == 0 {
		return
	}
	axis := g.r.IntN(len(v.shape))
	g.node("Concat", []string{v.name, g.like(v).name}, []string{out}, intAttr("axis", int64(axis)))
	to := slices.Clone(v.shape)
	to[axis] *= 2
	g.add(out, to)
}

func (g *randomGraph) slice() {
	v, out := g.pick(), g.name()
	if len(v.shape) == 0 {
		return
	}
	axis := g.r.IntN(len(v.shape))
	from := g.r.Int64N(v.shape[axis])
	to := slices.Clone(v.shape)
	to[axis] -= from
	g.node("Slice", []string{
		v.name, g.init(intsTensor(g.t, g.name(), from)), g.init(intsTensor(g.t, g.name(), v.shape[axis])), g.init(intsTensor(g.t, g.name(), int64(axis))),
	}, []string{out})
	g.add(out, to)
}

func (g *randomGraph) split() {
	v := g.pick()
	axis := len(v.shape) - 1
	if axis < 0 || v.shape[axis] < 2 {
		return
	}
	first := 1 + g.r.Int64N(v.shape[axis]-1)
	outs := []string{g.name(), g.name()}
	sizes := []int64{first, v.shape[axis] - first}
	g.node("Split", []string{v.name, g.init(intsTensor(g.t, g.name(), sizes...))}, outs, intAttr("axis", int64(axis)))
	for i, o := range outs {
		to := slices.Clone(v.shape)
		to[axis] = sizes[i]
		g.add(o, to)
	}
}

// branches returns two ways to compute a value of v's shape from outer values.
func (g *randomGraph) branches(v known) (a, b *onnx.Graph) {
	mid, end, other := g.name(), g.name(), g.name()
	return subgraph(end,
			onnx.Node{OpType: g.unaryOp(), Inputs: []string{v.name}, Outputs: []string{mid}},
			onnx.Node{OpType: "Add", Inputs: []string{mid, g.like(v).name}, Outputs: []string{end}}),
		subgraph(other, onnx.Node{OpType: "Mul", Inputs: []string{v.name, g.like(v).name}, Outputs: []string{other}})
}

func (g *randomGraph) branch() { g.ifNode("cond") }

// takenBranch is decided before the run.
func (g *randomGraph) takenBranch() {
	g.ifNode(g.init(rawTensor(g.t, g.name(), tensor.Bool, []int64{}, []byte{byte(g.r.IntN(2))})))
}

func (g *randomGraph) ifNode(cond string) {
	v, out := g.pick(), g.name()
	a, b := g.branches(v)
	g.node("If", []string{cond}, []string{out}, graphAttr("then_branch", a), graphAttr("else_branch", b))
	g.add(out, v.shape)
}

// passOuter is an If whose branches hand out values of the outer graph as they
// are.
func (g *randomGraph) passOuter() {
	v, out := g.pick(), g.name()
	a, b := g.name(), g.name()
	same := func(name, from string) *onnx.Graph {
		if g.r.IntN(2) == 0 {
			return subgraph(from) // the outer value's own name
		}
		return subgraph(name, onnx.Node{OpType: "Identity", Inputs: []string{from}, Outputs: []string{name}})
	}
	g.node("If", []string{"cond"}, []string{out}, graphAttr("then_branch", same(a, v.name)), graphAttr("else_branch", same(b, g.like(v).name)))
	g.add(out, v.shape)
}

func (g *randomGraph) matmul() {
	v, out := g.pick(), g.name()
	if len(v.shape) == 0 {
		return
	}
	k, n := v.shape[len(v.shape)-1], int64(1+g.r.IntN(9))
	to := slices.Clone(v.shape)
	to[len(to)-1] = n
	if k*n > maxElements || elements(to) > maxElements {
		return
	}
	g.node("MatMul", []string{v.name, g.weights(k, n)}, []string{out})
	g.add(out, to)
}

func (g *randomGraph) gather() {
	v, out := g.pick(), g.name()
	if len(v.shape) == 0 {
		return
	}
	axis := g.r.IntN(len(v.shape))
	ids := []int64{g.r.Int64N(v.shape[axis]), -1}
	to := slices.Clone(v.shape)
	to[axis] = 2
	if elements(to) > maxElements {
		return
	}
	g.node("Gather", []string{v.name, g.init(intsTensor(g.t, g.name(), ids...))}, []string{out}, intAttr("axis", int64(axis)))
	g.add(out, to)
}

func (g *randomGraph) reduce() {
	v, out := g.pick(), g.name()
	if len(v.shape) == 0 {
		return
	}
	axis := g.r.IntN(len(v.shape))
	to := slices.Clone(v.shape)
	to[axis] = 1
	g.node([]string{"ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"}[g.r.IntN(4)], []string{v.name, g.init(intsTensor(g.t, g.name(), int64(axis)))}, []string{out})
	g.add(out, to)
}

func (g *randomGraph) choose() {
	v, mask, out := g.pick(), g.name(), g.name()
	o := g.like(v)
	g.node("Less", []string{v.name, o.name}, []string{mask})
	g.node("Where", []string{mask, v.name, g.like(v).name}, []string{out})
	g.add(out, v.shape)
}

func (g *randomGraph) identity() {
	v, out := g.pick(), g.name()
	g.node("Identity", []string{v.name}, []string{out})
	g.add(out, v.shape)
}

func (g *randomGraph) softmax() {
	v, out := g.pick(), g.name()
	if len(v.shape) == 0 {
		return
	}
	g.node("Softmax", []string{v.name}, []string{out}, intAttr("axis", int64(g.r.IntN(len(v.shape)))))
	g.add(out, v.shape)
}

// recast computes in another type.
func (g *randomGraph) recast() {
	v, wide, mid, out := g.pick(), g.name(), g.name(), g.name()
	to := []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64}[g.r.IntN(4)]
	g.node("Cast", []string{v.name}, []string{wide}, intAttr("to", int64(to)))
	g.node("Sigmoid", []string{wide}, []string{mid})
	g.node("Cast", []string{mid}, []string{out}, intAttr("to", int64(g.d)))
	g.add(out, v.shape)
}

func (g *randomGraph) clip() {
	v, out := g.pick(), g.name()
	g.node("Clip", []string{v.name, g.floats(g.name(), nil, -g.r.Float32()), g.floats(g.name(), nil, g.r.Float32())}, []string{out})
	g.add(out, v.shape)
}

func (g *randomGraph) normalize() {
	v, out := g.pick(), g.name()
	if len(v.shape) == 0 {
		return
	}
	n := v.shape[len(v.shape)-1]
	g.node("LayerNormalization", []string{v.name, g.weights(n), g.weights(n)}, []string{out})
	g.add(out, v.shape)
}

// convolve and pool take values of three dimensions for lines of channels.
func (g *randomGraph) convolve() {
	v, out := g.pick(), g.name()
	if len(v.shape) != 3 {
		return
	}
	filters := int64(1 + g.r.IntN(5))
	to := []int64{v.shape[0], filters, v.shape[2]}
	if elements(to) > maxElements {
		return
	}
	g.node("Conv", []string{v.name, g.weights(filters, v.shape[1], 3), g.weights(filters)}, []string{out}, intsAttr("pads", 1, 1))
	g.add(out, to)
}

func (g *randomGraph) pool() {
	v, out := g.pick(), g.name()
	if len(v.shape) != 3 {
		return
	}
	g.node([]string{"MaxPool", "AveragePool"}[g.r.IntN(2)], []string{v.name}, []string{out}, intsAttr("kernel_shape", 3), intsAttr("pads", 1, 1))
	g.add(out, v.shape)
}

// feeds returns inputs for the graph.
func (g *randomGraph) feeds(seed uint64) []tensor.View {
	r := rand.New(rand.NewPCG(seed, 2))
	shape := tensor.Shape{}
	for _, d := range g.vals[0].shape {
		shape = append(shape, int(d))
	}
	var in []tensor.View
	for range 2 {
		list := make([]float32, shape.Elements())
		for i := range list {
			list[i] = r.Float32()*4 - 2
		}
		in = append(in, g.view(shape, list))
	}
	cond, err := tensor.ViewOf(tensor.Bool, tensor.Shape{}, []bool{r.IntN(2) == 0})
	if err != nil {
		g.t.Fatal(err)
	}
	flat, err := tensor.ViewOf(tensor.I64, tensor.Shape{1}, []int64{-1})
	if err != nil {
		g.t.Fatal(err)
	}
	return append(in, cond, flat)
}

func (g *randomGraph) view(shape tensor.Shape, list []float32) tensor.View {
	if g.d == tensor.F32 {
		return f32(shape, list...)
	}
	v, err := tensor.ViewOf(g.d, shape, halvesOf(g.d, list))
	if err != nil {
		g.t.Fatal(err)
	}
	return v
}
