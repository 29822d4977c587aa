package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// fuseBytes lets products of codes of a byte multiply the bytes where their operator says
// that this is faster: the product, the DequantizeLinear of what it reads and the
// QuantizeLinear that reads it become one step, or the product and the DequantizeLinear
// alone.
func (z *specializer) fuseBytes() {
	l := z.p.links()
	for i := range z.p.steps {
		z.multiplyBytes(l, &z.p.steps[i])
		z.scaleProducts(l, &z.p.steps[i])
	}
	z.prune()
}

func (z *specializer) multiplyBytes(l *links, st *step) {
	if st.node.Def.Bytes == nil || !z.p.only(st) || l.leaves[st.out[0]] || len(l.readers[st.out[0]]) != 1 || l.maker[st.in[0]] == plan.None {
		return
	}
	before, after := &z.p.steps[l.maker[st.in[0]]], &z.p.steps[l.readers[st.out[0]][0]]
	x, ok := z.bytesOf(before, before.in[0])
	if !ok {
		return
	}
	if _, ok = z.bytesOf(after, after.out[0]); !ok {
		return
	}
	w := z.sources[st.in[1]]
	scales, ok := z.filterScales(w)
	if !ok {
		return
	}
	bias, ok := z.biasCodes(st, x.Scale, scales)
	if !ok {
		return
	}
	def, ok := st.node.Def.Bytes(z.inferred(st))
	if !ok {
		return
	}
	n := *st.node
	n.OpType, n.Def, n.Version = def.Name, def, def.First()
	in := slices.Concat(before.in[:3], w.in[:2], []int{given(w.in, 2)}, after.in[1:3], []int{bias})
	st.node, st.in, st.args, st.out = &n, in, len(in), []int{after.out[0]}
	after.out = []int{plan.None}
}

// scaleProducts lets a product of numbers that were codes, by a constant that was, scale the
// sums of the products of the codes.
func (z *specializer) scaleProducts(l *links, st *step) {
	if st.node.Def.Scaled == nil || !z.p.only(st) || l.maker[st.in[0]] == plan.None {
		return
	}
	before, w := &z.p.steps[l.maker[st.in[0]]], z.sources[st.in[1]]
	if _, ok := z.codesOf(before); !ok || !z.areCodes(before) || w == nil || !z.areCodes(w) {
		return
	}
	codes, scale := &z.p.vals[w.in[0]].view, &z.p.vals[w.in[1]].view
	axis := w.node.Attrs.Int("axis")
	columns := len(codes.Shape) == 2 && len(scale.Shape) == 1 && scale.Shape[0] == codes.Shape[1] && (axis == 1 || axis == -1)
	if scale.Elements() != 1 && !columns {
		return
	}
	def, ok := st.node.Def.Scaled(z.inferred(st))
	if !ok {
		return
	}
	n := *st.node
	n.OpType, n.Domain, n.Def, n.Version = def.Name, def.Domain, def, def.First()
	in := []int{before.in[0], w.in[0], before.in[1], w.in[1], given(before.in, 2), given(w.in, 2)}
	st.node, st.in, st.args = &n, in, len(in)
}

// areCodes reports whether a step turns codes of a byte to f32.
func (z *specializer) areCodes(st *step) bool {
	d := z.p.vals[st.in[0]].view.DType
	return (d == tensor.U8 || d == tensor.I8) && z.p.vals[st.in[1]].view.DType == tensor.F32
}

// given returns input i of a node, None where it is left out.
func given(in []int, i int) int {
	if i >= len(in) {
		return plan.None
	}
	return in[i]
}

// bytesOf tells how a step quantizes to or from value v, one byte a number, with a zero
// point that is written down.
func (z *specializer) bytesOf(st *step, v int) (op.Codes, bool) {
	c, ok := z.codesOf(st)
	if !ok || v == plan.None || given(st.in, 2) == plan.None || st.args < 3 {
		return c, false
	}
	d := z.p.vals[v].view.DType
	return c, d == tensor.U8 || d == tensor.I8
}

// filterScales returns the scales of filters that were folded from codes of a byte: one
// for all, or one for each.
func (z *specializer) filterScales(w *step) ([]float32, bool) {
	if w == nil {
		return nil, false
	}
	codes, scale := &z.p.vals[w.in[0]].view, &z.p.vals[w.in[1]].view
	if d := codes.DType; d != tensor.U8 && d != tensor.I8 || scale.DType != tensor.F32 {
		return nil, false
	}
	one := scale.Elements() == 1
	each := len(scale.Shape) == 1 && scale.Shape[0] == codes.Shape[0] && w.node.Attrs.Int("axis") == 0
	return tensor.Elems[float32](scale), one || each
}

// biasCodes returns the codes of the bias, None where there is none. False says that they
// are not in units of the products.
func (z *specializer) biasCodes(st *step, x float32, w []float32) (codes int, ok bool) {
	v := given(st.in, 2)
	if v == plan.None {
		return plan.None, true
	}
	from := z.sources[v]
	if from == nil || z.p.vals[from.in[0]].view.DType != tensor.I32 {
		return plan.None, false
	}
	if zero := given(from.in, 2); zero != plan.None && slices.ContainsFunc(tensor.Elems[int32](&z.p.vals[zero].view), func(n int32) bool { return n != 0 }) {
		return plan.None, false
	}
	scale := &z.p.vals[from.in[1]].view
	if scale.DType != tensor.F32 {
		return plan.None, false
	}
	list := tensor.Elems[float32](scale)
	for m := range max(len(list), len(w)) {
		if !near(list[m%len(list)], x*w[m%len(w)]) {
			return plan.None, false
		}
	}
	return from.in[0], true
}
