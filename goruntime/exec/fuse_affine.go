package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// fuseAffine lets the steps that multiply channels by numbers known before the run, and
// add some, join chains and the tails of products.
func (z *specializer) fuseAffine() error {
	for i := range z.p.steps {
		st := &z.p.steps[i]
		if st.node.Def.Affine == nil || !z.p.only(st) {
			continue
		}
		x := &z.p.vals[st.in[0]].view
		if len(x.Shape) < 2 {
			continue
		}
		line := x.Shape[2:].Elements()
		if line == 1 {
			line = x.Shape[1] // the channels are side by side
		}
		if line < chainLine {
			continue
		}
		times, plus, ok := st.node.Def.Affine(z.inferred(st))
		if !ok {
			continue
		}
		in := []int{st.in[0], plan.None, plan.None}
		for k, list := range [][]float32{times, plus} {
			var err error
			if in[1+k], err = z.perChannel(z.p.vals[st.in[1+k]].name, len(x.Shape), list); err != nil {
				return err
			}
		}
		n := st.node
		st.node = &graph.Node{Name: n.Name, OpType: n.OpType, Domain: n.Domain, Version: n.Version, Opset: n.Opset, Def: affine}
		st.in, st.args, st.out = in, len(in), slices.Clone(st.out[:1])
	}
	z.prune()
	return nil
}

// perChannel adds a constant that has a number for each channel of images of a rank.
func (z *specializer) perChannel(name string, rank int, list []float32) (int, error) {
	shape := tensor.Shape{len(list)}
	for range rank - 2 {
		shape = append(shape, 1)
	}
	return z.constant(name, tensor.View{DType: tensor.F32, Shape: shape}, func(dst []float32) { copy(dst, list) })
}

// constant adds an f32 constant that is computed while specializing.
func (z *specializer) constant(name string, v tensor.View, fill func(dst []float32)) (int, error) {
	h, err := z.fold.m.weights.Acquire(v.Bytes())
	if err != nil {
		return 0, err
	}
	z.p.owned = append(z.p.owned, h)
	v.Data = h.Data()
	fill(tensor.Elems[float32](&v))
	return z.add(value{name: name, view: v, shaped: true, known: true, feed: -1}), nil
}

// affine is x * a + b, which is always fused, if only with itself.
var affine = chained(func(_ *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	return b.Combine(vec.Plus, b.Combine(vec.Times, x(0), x(1)), x(2)), true
})
