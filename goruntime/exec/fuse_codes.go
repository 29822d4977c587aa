package exec

import (
	"math"
	"slices"

	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// exactSum is what whole numbers in f32 stay below for every sum of them to be exact.
const exactSum = 1 << 24

// codes fuses QuantizeLinear and DequantizeLinear. Between them lie codes: whole
// numbers, which f32 holds as well as a byte does, less the zero point. The two are
// elementwise operations of f32 then, and join chains and the tails of products.
type codes struct {
	z       *specializer
	links   *links
	makers  map[int]op.Codes // the steps that make codes
	numbers map[int]quantity // the values that are codes times a scale
}

// quantity is a value that is codes times a scale.
type quantity struct {
	of    int // the codes
	codes op.Codes
}

// folded is a constant that was computed from codes.
type folded struct {
	view  tensor.View
	codes op.Codes
}

// fuseCodes lets f32 hold the codes that only DequantizeLinear reads. Products of codes
// of which codes are made multiply whole numbers; the scales are applied to the sums.
func (z *specializer) fuseCodes() error {
	f := &codes{z: z, links: z.p.links(), makers: map[int]op.Codes{}, numbers: map[int]quantity{}}
	for i := range z.p.steps {
		f.hold(i)
	}
	if len(f.makers) == 0 {
		return nil
	}
	for i := range z.p.steps {
		if err := f.multiply(i); err != nil {
			return err
		}
	}
	z.prune()
	return nil
}

// codesOf asks the operator of a step how it quantizes.
func (z *specializer) codesOf(st *step) (op.Codes, bool) {
	if st.node.Def.Codes == nil || !st.static || z.p.vals[st.out[0]].view.Elements() == 0 {
		return op.Codes{}, false
	}
	return st.node.Def.Codes(z.inferred(st))
}

// foldedOf returns a constant that was computed with one scale for all.
func (z *specializer) foldedOf(v int) (folded, bool) {
	from := z.sources[v]
	if from == nil {
		return folded{}, false
	}
	c, ok := z.codesOf(from)
	return folded{z.p.vals[from.in[0]].view, c}, ok
}

// hold makes f32 codes of what step i quantizes, if all readers turn them back.
func (f *codes) hold(i int) {
	p, st := f.z.p, &f.z.p.steps[i]
	v := st.out[0]
	if v == plan.None || f.links.leaves[v] || len(f.links.readers[v]) == 0 || st.node.Def.Codes == nil || p.vals[st.in[0]].view.DType != tensor.F32 {
		return
	}
	made, ok := f.z.codesOf(st)
	if !ok {
		return
	}
	scales := make([]op.Codes, len(f.links.readers[v]))
	for k, r := range f.links.readers[v] {
		back := &p.steps[r]
		scales[k], ok = f.z.codesOf(back)
		if !ok || back.in[0] != v || back.out[0] == plan.None || scales[k].Zero != made.Zero {
			return
		}
	}
	for k, r := range f.links.readers[v] {
		back := &p.steps[r]
		f.numbers[back.out[0]] = quantity{v, scales[k]}
		f.replace(back, toNumbers(scales[k].Scale))
	}
	p.vals[v].view.DType = tensor.F32
	f.makers[i] = made
	f.replace(st, toCodes(vec.Over, made.Scale, &made))
}

// replace makes a step of its first input alone that is only part of chains.
func (f *codes) replace(st *step, def *op.Def) {
	n := st.node
	st.node = &graph.Node{Name: n.Name, OpType: n.OpType, Domain: n.Domain, Version: n.Version, Opset: n.Opset, Def: def}
	st.in, st.args = st.in[:1:1], 1
}

// toCodes rounds x o by to a code.
func toCodes(o vec.Operation, by float32, c *op.Codes) *op.Def {
	least, most := c.Least(), c.Most()
	return chained(func(_ *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		return b.Bend(vec.Whole, b.Combine(o, x(0), b.Number(by)), least, most), true
	})
}

// toNumbers multiplies codes by their scale.
func toNumbers(scale float32) *op.Def {
	return chained(func(_ *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		return b.Combine(vec.Times, x(0), b.Number(scale)), true
	})
}

// chained is an operator that is always fused, if only with itself.
func chained(link func(*op.Infer, *chain.Builder, func(int) chain.Ref) (chain.Ref, bool)) *op.Def {
	return &op.Def{Name: "Codes", Versions: op.Versions{1: ""}, Shape: op.SameAsInput, Chain: link}
}

// multiply lets step i, a product of numbers that are codes times a scale of which
// codes are made, multiply the codes. Codes of signed types stay numbers, which the
// faster algorithms take.
func (f *codes) multiply(i int) error {
	p, st := f.z.p, &f.z.p.steps[i]
	if st.node.Def.Whole == nil || !p.only(st) {
		return nil
	}
	x, isCodes := f.numbers[st.in[0]]
	w, fromCodes := f.z.foldedOf(st.in[1])
	readers := f.links.readers[st.out[0]]
	if !isCodes || x.codes.Low < 0 || !fromCodes || f.links.leaves[st.out[0]] || len(readers) != 1 {
		return nil
	}
	made, rounds := f.makers[readers[0]]
	def, ok := st.node.Def.Whole(f.z.inferred(st))
	if !rounds || !ok {
		return nil
	}
	bias := folded{}
	if given(st.in, 2) != plan.None {
		if bias, ok = f.z.foldedOf(st.in[2]); !ok || !near(bias.codes.Scale, x.codes.Scale*w.codes.Scale) {
			return nil
		}
	}
	if !exact(&x.codes, &w, &bias) {
		return nil
	}
	in := slices.Clone(st.in)
	in[0] = x.of
	for k, c := range []*folded{&w, &bias} {
		if c.view.Data == nil {
			continue
		}
		var err error
		if in[1+k], err = f.z.whole(p.vals[in[1+k]].name, c); err != nil {
			return err
		}
	}
	n := *st.node
	if def != nil {
		n.Def = def
	}
	st.node, st.in = &n, in
	f.replace(&p.steps[readers[0]], toCodes(vec.Times, x.codes.Scale*w.codes.Scale/made.Scale, &made))
	return nil
}

// near reports whether a bias is in units of the products.
func near(scale, products float32) bool {
	return math.Abs(float64(scale-products)) <= 1e-5*math.Abs(float64(products))
}

// exact reports whether no sum of codes and weights, and of its parts in any order,
// reaches exactSum.
func exact(x *op.Codes, w, bias *folded) bool {
	most := math.Max(math.Abs(float64(x.Least())), math.Abs(float64(x.Most())))
	filters := w.view.Shape[0]
	each := w.view.Elements() / max(1, filters)
	for m := range filters {
		sum := 0.0
		if bias.view.Data != nil {
			sum = math.Abs(bias.code(m))
		}
		for k := range each {
			sum += most * math.Abs(w.code(m*each+k))
		}
		if sum >= exactSum {
			return false
		}
	}
	return true
}

// code is code i of a constant less the zero point.
func (c *folded) code(i int) float64 { return c.codes.Read(&c.view, i) - float64(c.codes.Zero) }

// whole adds a constant of the codes as f32.
func (z *specializer) whole(name string, c *folded) (int, error) {
	return z.constant(name, tensor.View{DType: tensor.F32, Shape: c.view.Shape}, func(dst []float32) {
		for i := range dst {
			dst[i] = float32(c.code(i))
		}
	})
}
