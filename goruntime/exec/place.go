package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// plan makes the program's plan; work is the workspace of each step.
func (z *specializer) plan(work []int) {
	p := z.p
	p.work = work
	pr := &plan.Problem{Values: make([]plan.Value, len(p.vals)), Steps: make([]plan.Step, len(p.steps)), NoReuse: p.unit.m.noReuse}
	for i := range p.vals {
		v := &p.vals[i]
		pr.Values[i] = plan.Value{Bytes: plan.Unsized, Borrowed: v.feed >= 0 || v.known}
		switch {
		case !v.view.Dense() && v.feed < 0: // it has addresses only
			pr.Values[i].Bytes = 0
		case v.shaped:
			pr.Values[i].Bytes = v.view.Bytes()
		}
	}
	for k, v := range p.outputs {
		pr.Values[v].Output = p.through[k] == made
	}
	for i := range p.steps {
		st := &p.steps[i]
		pr.Steps[i] = plan.Step{
			In: st.in, Out: st.out, View: st.node.Def.View, Over: z.over(st), Moves: len(st.bodies) > 0, Workspace: work[i],
			Join: z.joined(st), Cut: z.cut(st),
		}
	}
	p.plan = plan.Make(pr)
	p.exitOf = make([]int, len(p.plan.Buffers))
	for k, v := range p.outputs {
		if p.through[k] == made {
			p.exitOf[p.plan.Of[v]] = k
		}
	}
}

// joined returns at which byte of output 0 each input begins, where the step only puts them
// one behind the other.
func (z *specializer) joined(st *step) []int {
	if z.p.whole || !st.static || st.node.Def.Appends == nil || st.out[0] == plan.None || !st.node.Def.Appends(z.inferred(st)) {
		return nil
	}
	at, list := 0, make([]int, st.args)
	for k, v := range st.in[:st.args] {
		list[k] = at
		at += z.p.vals[v].view.Bytes()
	}
	return list
}

// cut returns at which byte of input 0 each output begins, where the step only takes
// ranges of it.
func (z *specializer) cut(st *step) []int {
	def := st.node.Def
	if z.p.whole || !st.static || def.Cuts == nil || z.p.vals[st.in[0]].view.DType.Bits() < 8 {
		return nil
	}
	c := z.inferred(st, make([]tensor.View, len(st.out))...)
	if err := def.Shape(c); err != nil {
		return nil
	}
	list, ok := def.Cuts(c)
	if !ok || slices.ContainsFunc(st.out[len(list):], func(v int) bool { return v != plan.None }) {
		return nil
	}
	for k := range list {
		list[k] *= z.p.vals[st.in[0]].view.DType.Width()
	}
	return list
}

// over returns the inputs that the step's output 0 may overwrite: of the same
// shape and elements as wide, where the operator allows it.
func (z *specializer) over(st *step) []int {
	if st.node.Def == chainOnly {
		return st.tail.program.Over()
	}
	if !st.static || st.rename || st.node.Def.InPlace == op.Never || st.out[0] == plan.None {
		return nil
	}
	limit := st.args
	if st.node.Def.InPlace == op.FirstOnly {
		limit = min(limit, 1)
	}
	var over []int
	out := &z.p.vals[st.out[0]].view
	for k, v := range st.in[:limit] {
		if v == plan.None {
			continue
		}
		if in := &z.p.vals[v].view; in.Shape.Equal(out.Shape) && in.DType.Bits() == out.DType.Bits() {
			over = append(over, k)
		}
	}
	return over
}
