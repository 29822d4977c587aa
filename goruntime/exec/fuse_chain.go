package exec

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Limits of a chain: what is longer is cut.
const (
	chainSteps = 24
	chainLine  = 16 // fewer elements side by side are not worth the steps' calls
)

// fuseChains joins elementwise f32 steps of one shape whose inner values nobody
// else reads into one step each, from the last step of a program to the first. A
// chain moves to the place of its last step; a product that only it reads takes it
// as its tail and moves there too.
func (z *specializer) fuseChains() {
	l := z.p.links()
	gone := make([]bool, len(z.p.steps))
	for i := len(z.p.steps) - 1; i >= 0; i-- {
		if gone[i] || !z.chainable(&z.p.steps[i]) {
			continue
		}
		c := z.grow(l, gone, i)
		if c.build(z) || c.alone(z, i) {
			for _, k := range c.joined() {
				gone[k] = k != i
			}
			z.p.steps[i] = c.step(z)
		}
	}
	kept := z.p.steps[:0]
	for i := range z.p.steps {
		if !gone[i] {
			kept = append(kept, z.p.steps[i])
		}
	}
	z.p.steps = kept
}

// chainable reports whether the step may be one of a chain.
func (z *specializer) chainable(st *step) bool {
	if st.node.Def.Chain == nil || st.tail != nil || !z.p.only(st) || len(st.in) > chain.MaxInputs {
		return false
	}
	for _, v := range st.in {
		if v != plan.None && (!z.p.vals[v].shaped || z.p.vals[v].view.DType != tensor.F32 && !z.p.vals[v].known) {
			return false
		}
	}
	var b chain.Builder
	_, ok := z.link(st, &b, func(v int) chain.Ref { return b.Input(z.p.vals[v].view.Shape) })
	return ok
}

// link adds the step to a chain; ref gives the inputs.
func (z *specializer) link(st *step, b *chain.Builder, ref func(v int) chain.Ref) (chain.Ref, bool) {
	return st.node.Def.Chain(z.inferred(st), b, func(k int) chain.Ref { return ref(st.in[k]) })
}

// cluster is a chain that grows.
type cluster struct {
	shape   tensor.Shape
	members []int // the steps, in order
	product int   // the step whose tail it becomes, or plan.None
	base    int   // what that step makes
	program *chain.Program
	in      []int
}

// grow collects the steps that end in step i.
func (z *specializer) grow(l *links, gone []bool, i int) *cluster {
	out := z.p.steps[i].out[0]
	c := &cluster{shape: z.p.vals[out].view.Shape, members: []int{i}, product: plan.None, base: plan.None}
	for again := true; again; {
		again = false
		for _, v := range c.reads(z) {
			m := l.maker[v]
			if m == plan.None || gone[m] || slices.Contains(c.members, m) || !c.owns(z, l, v) || len(c.members) >= chainSteps {
				continue
			}
			if z.chainable(&z.p.steps[m]) {
				c.members = append(c.members, m)
				again = true
			}
		}
	}
	slices.Sort(c.members)
	for _, v := range c.reads(z) {
		m := l.maker[v]
		if m == plan.None || m < c.product || gone[m] || slices.Contains(c.members, m) || !c.owns(z, l, v) {
			continue
		}
		if st := &z.p.steps[m]; st.node.Def.Tail && st.tail == nil && z.p.only(st) {
			c.product, c.base = m, v
		}
	}
	return c
}

// reads returns the values that the members read, each once, the last read first.
func (c *cluster) reads(z *specializer) []int {
	var list []int
	for k := len(c.members) - 1; k >= 0; k-- {
		for _, v := range z.p.steps[c.members[k]].in {
			if v != plan.None && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// owns reports whether only members read v, which has the shape of the chain.
func (c *cluster) owns(z *specializer, l *links, v int) bool {
	if l.leaves[v] || !z.p.vals[v].view.Shape.Equal(c.shape) {
		return false
	}
	return !slices.ContainsFunc(l.readers[v], func(r int) bool { return !slices.Contains(c.members, r) })
}

// alone leaves step i only, where its operator is always fused, and builds the chain.
func (c *cluster) alone(z *specializer, i int) bool {
	if z.p.steps[i].node.Def.Run != nil {
		return false
	}
	*c = cluster{shape: c.shape, members: []int{i}, product: plan.None, base: plan.None}
	return c.build(z)
}

// build writes the program and reports whether it is worth having.
func (c *cluster) build(z *specializer) bool {
	if len(c.members) == 1 && c.product == plan.None && z.p.steps[c.members[0]].node.Def.Run != nil && !c.parted(z) {
		return false
	}
	var b chain.Builder
	made := map[int]chain.Ref{}
	if c.product != plan.None {
		made[c.base] = b.Input(c.shape)
	}
	for _, m := range c.members {
		st := &z.p.steps[m]
		r, ok := z.link(st, &b, func(v int) chain.Ref {
			if r, ok := made[v]; ok {
				return r
			}
			if pv := &z.p.vals[v]; pv.known && pv.view.Elements() == 1 {
				made[v] = b.Number(tensor.Elems[float32](&pv.view)[0])
				return made[v]
			}
			c.in = append(c.in, v)
			made[v] = b.Input(z.p.vals[v].view.Shape)
			return made[v]
		})
		if !ok {
			return false
		}
		made[st.out[0]] = r
	}
	if b.Inputs() > chain.MaxInputs {
		return false
	}
	c.program = b.Finish(c.shape, c.product != plan.None)
	return c.program != nil && c.program.Line() >= min(chainLine, c.program.Elements())
}

// parted reports whether a chain reads a value in parts, which a step alone cannot.
func (c *cluster) parted(z *specializer) bool {
	return slices.ContainsFunc(c.reads(z), func(v int) bool {
		parts := z.p.vals[v].view.Parts
		return parts != nil && len(parts) == 0
	})
}

// joined returns the steps that the chain's step stands for.
func (c *cluster) joined() []int {
	if c.product == plan.None {
		return c.members
	}
	return append([]int{c.product}, c.members...)
}

// step returns the step that stands for all.
func (c *cluster) step(z *specializer) step {
	last := &z.p.steps[c.members[len(c.members)-1]]
	st := step{node: chainNode(last.node), out: last.out[:1], static: true}
	t := &tail{program: c.program, in: c.in}
	if c.product != plan.None {
		p := &z.p.steps[c.product]
		st.node, st.in, st.args, t.onto = p.node, slices.Clone(p.in), p.args, true
	}
	for _, k := range c.joined() {
		t.nodes = append(t.nodes, z.p.steps[k].node.OpType)
	}
	st.in = append(st.in, c.in...)
	st.tail = t
	st.heavy = z.heavy(&st)
	return st
}

// chainNode is a node without a product, named for the last one of its chain.
func chainNode(n *graph.Node) *graph.Node {
	return &graph.Node{Name: n.Name, OpType: n.OpType, Domain: n.Domain, Version: n.Version, Opset: n.Opset, Def: chainOnly}
}

// chainOnly is a chain that follows no product.
var chainOnly = &op.Def{
	Name:     "Chain",
	Versions: op.Versions{1: ""},
	Shape:    op.SameAsInput,
	Prepare: func(c *op.Context) error {
		s := &chainLoop{room: chain.NewRoom(c.Tail(), c.Threads())}
		c.NeedWorkspace(4 * s.room.Floats())
		c.State = s
		return nil
	},
	Run: func(c *op.Context) error {
		s := c.State.(*chainLoop)
		s.bound, s.work = c.Tail(), op.WorkspaceOf[float32](c)
		s.parts, s.context = c.TailParts(), c
		c.For(s.bound.Elements(), max(1, chainGrain/s.bound.Steps()), s)
		return nil
	},
}

// chainGrain is how many operations make a chunk worth handing out.
const chainGrain = 32 << 10

// chainLoop is the State of a chain that follows no product.
type chainLoop struct {
	bound   *chain.Bound
	work    []float32
	room    chain.Room
	parts   []tensor.Part // of an input that lies so
	context *op.Context
}

// Chunk implements op.Task over the elements.
func (s *chainLoop) Chunk(lo, hi int) {
	scratch, part := s.room.Take(s.work)
	defer s.room.Give(part)
	if s.parts == nil {
		s.bound.Run(lo, hi, scratch)
		return
	}
	line := s.bound.Elements() / s.parts[len(s.parts)-1].End
	for i := range s.parts {
		first, end := s.parts[i].First*line, s.parts[i].End*line
		if from, to := max(lo, first), min(hi, end); from < to {
			b := s.context.TailPart(i)
			b.Run(from-first, to-first, scratch)
		}
	}
}
