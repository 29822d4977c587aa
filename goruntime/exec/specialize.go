package exec

import (
	"errors"
	"slices"
	"unsafe" //lint:allow unsafe a signature says of columns that they are there

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// specializer walks a unit's graph once, for known input shapes, and writes
// down a program.
type specializer struct {
	p       *program
	fold    folder
	sources map[int]*step // of constants that were computed from codes or to them
	grown   int           // bytes that were folded although they are more than what they are computed from
}

// scope maps the values of one graph to those of the program; -1 is not yet.
type scope []int

func newScope(g *graph.Graph) scope {
	s := make(scope, len(g.Values))
	for i := range s {
		s[i] = -1
	}
	return s
}

// specialize makes the program of u for inputs of these types and shapes, none of whose
// values takes more than most bytes, and its first frame.
func specialize(u *unit, in []tensor.View, whole bool, most int) (*program, *frame, error) {
	p, z, err := walked(u, in, whole)
	if err != nil {
		return nil, nil, err
	}
	z.prune()
	if err := z.fuse(); err != nil {
		p.drop()
		return nil, nil, err
	}
	z.join()
	z.gather()
	z.spare()
	if err := z.fits(most); err != nil {
		p.drop()
		return nil, nil, err
	}
	f, err := newFrame(p, z.plan)
	if err != nil {
		p.drop()
		return nil, nil, err
	}
	u.m.weights.Trim() // what folding left and packing did not take
	return p, f, nil
}

// walked returns what a walk over u's graph finds for such inputs: values and steps,
// and no plan yet.
func walked(u *unit, in []tensor.View, whole bool) (*program, *specializer, error) {
	p := &program{unit: u, whole: whole, inputs: make([]int, len(in)), sig: make([]tensor.View, len(in))}
	z := &specializer{p: p, fold: folder{m: u.m, p: p}, sources: map[int]*step{}}
	sc := newScope(u.g)
	for i, v := range in {
		p.inputs[i] = -1
		p.sig[i] = tensor.View{DType: v.DType, Shape: v.Shape.Clone()}
		if v.Columns != nil {
			p.sig[i].Columns = make([]unsafe.Pointer, len(v.Columns))
		}
		p.sig[i].Parts = partsLike(v.Parts)
		id := u.inputs[i]
		if v.DType == tensor.Undefined {
			continue // an optional input that is not fed: its default stands
		}
		shaped := v.DType != tensor.Other && (u.varies == nil || !u.varies[i])
		p.inputs[i] = z.add(value{name: u.g.Values[id].Name, view: p.sig[i], shaped: shaped, feed: i})
		sc[id] = p.inputs[i]
	}
	for _, f := range u.fixed {
		sc[f.id] = z.add(value{name: u.g.Values[f.id].Name, view: f.view, shaped: true, known: true, model: f.root, feed: -1})
	}
	if err := z.walk(u.g, sc, u.need); err != nil {
		p.drop()
		return nil, nil, err
	}
	z.leave(sc)
	return p, z, nil
}

func (z *specializer) add(v value) int {
	v.root = len(z.p.vals)
	z.p.vals = append(z.p.vals, v)
	return v.root
}

// walk adds the nodes of g that are needed.
func (z *specializer) walk(g *graph.Graph, sc scope, need []bool) error {
	for i := range g.Nodes {
		if need != nil && !need[i] {
			continue
		}
		n := &g.Nodes[i]
		if err := z.node(g, n, sc); err != nil {
			return errs.At(err, n.OpType, n.Name, "")
		}
	}
	return nil
}

// value returns the program's value of id, an initializer on its first use.
func (z *specializer) value(g *graph.Graph, sc scope, id graph.ID) int {
	if id == graph.None {
		return plan.None
	}
	if sc[id] < 0 {
		c := g.Values[id].Const
		sc[id] = z.add(value{name: g.Values[id].Name, view: *c, shaped: true, known: true, model: true, feed: -1})
	}
	return sc[id]
}

func (z *specializer) node(g *graph.Graph, n *graph.Node, sc scope) error {
	in := make([]int, len(n.In))
	for k, id := range n.In {
		in[k] = z.value(g, sc, id)
	}
	if n.Def.Taken != nil && z.p.vals[in[0]].known {
		return z.inline(g, n, sc, in[0])
	}
	if n.Def.Domain == "" && n.Def.Name == "Identity" {
		sc[n.Out[0]] = in[0]
		z.p.renamed(g, n, 0, in[0])
		return nil
	}
	st := step{node: n, in: in, out: make([]int, len(n.Out)), args: len(in)}
	if n.Def.Alias != nil && !z.p.whole && z.p.vals[in[0]].shaped && n.Def.Alias(z.inferred(&st)) {
		sc[n.Out[0]] = in[0]
		return nil
	}
	outs, err := z.infer(&st)
	if err != nil {
		return err
	}
	if st.static && z.foldable(&st, outs) {
		return z.evaluate(g, &st, outs, sc)
	}
	for k, id := range n.Out {
		st.out[k] = plan.None
		if id == graph.None {
			continue
		}
		v := value{name: g.Values[id].Name, feed: -1}
		if st.static {
			v.view, v.shaped = tensor.View{DType: outs[k].DType, Shape: outs[k].Shape}, true
		}
		st.out[k] = z.add(v)
		sc[id] = st.out[k]
	}
	if n.Def.View && st.out[0] != plan.None {
		z.p.vals[st.out[0]].root = z.p.vals[in[0]].root
		st.rename = st.static
	}
	st.args = len(st.in)
	if err := z.bodies(g, n, sc, &st); err != nil {
		return err
	}
	st.heavy = z.heavy(&st)
	z.p.steps = append(z.p.steps, st)
	return nil
}

// infer runs the shape rule where all input shapes are known and sets
// st.static if that settles the outputs.
func (z *specializer) infer(st *step) ([]tensor.View, error) {
	n := st.node
	if n.Def.Shape == nil {
		return nil, nil
	}
	in, known := make([]*tensor.View, len(st.in)), make([]bool, len(st.in))
	for k, v := range st.in {
		if v == plan.None {
			continue
		}
		if !z.p.vals[v].shaped {
			return nil, nil
		}
		in[k], known[k] = &z.p.vals[v].view, z.p.vals[v].known
	}
	outs := make([]tensor.View, len(n.Out))
	err := n.Def.Shape(op.NewInfer(&n.Attrs, n.Version, n.Opset, in, known, outs))
	if errors.Is(err, op.ErrNeedsValue) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	st.static = true
	return outs, nil
}

// bodies makes a unit of each subgraph of a node that is run as it is. What the
// subgraphs capture becomes further inputs of the step.
func (z *specializer) bodies(g *graph.Graph, n *graph.Node, sc scope, st *step) error {
	for _, b := range n.Bodies {
		u := newUnit(z.p.unit.m, b.Graph, b.Graph.Outputs)
		u.body = len(b.Graph.Inputs) > 0
		u.inputs = slices.Clone(b.Graph.Inputs)
		use := body{attr: b.Attr, unit: u}
		for _, c := range b.Graph.Captures {
			v := z.value(g, sc, c.Outer)
			if pv := &z.p.vals[v]; pv.known {
				u.fixed = append(u.fixed, fixed{c.Inner, pv.view, pv.model})
				continue
			}
			u.inputs = append(u.inputs, c.Inner)
			use.captures = append(use.captures, v)
		}
		st.in = append(st.in, use.captures...)
		st.bodies = append(st.bodies, use)
	}
	return nil
}

// inline puts the branch that the known condition selects in the node's place.
func (z *specializer) inline(g *graph.Graph, n *graph.Node, sc scope, cond int) error {
	attr, err := n.Def.Taken(&z.p.vals[cond].view)
	if err != nil {
		return err
	}
	body := n.Body(attr)
	inner := newScope(body)
	for _, c := range body.Captures {
		inner[c.Inner] = z.value(g, sc, c.Outer)
	}
	if err := z.walk(body, inner, body.Needed(body.Outputs)); err != nil {
		return err
	}
	if len(body.Outputs) != len(n.Out) {
		return errs.New(errs.Model, "%s has %d outputs, the node %d", attr, len(body.Outputs), len(n.Out))
	}
	for k, id := range n.Out {
		if id != graph.None {
			sc[id] = z.value(body, inner, body.Outputs[k])
			z.p.renamed(g, n, k, sc[id])
		}
	}
	return nil
}

// prune drops the steps whose results nothing reads, and of other steps the results that
// they may leave out.
func (z *specializer) prune() {
	live := make([]bool, len(z.p.vals))
	for _, v := range z.p.outputs {
		live[v] = true
	}
	kept := z.p.steps[:0:0]
	for i := len(z.p.steps) - 1; i >= 0; i-- {
		st := &z.p.steps[i]
		if !slices.ContainsFunc(st.out, func(v int) bool { return v != plan.None && live[v] }) {
			for _, b := range st.bodies {
				b.unit.close()
			}
			continue
		}
		for _, k := range st.node.Spare {
			if v := st.out[k]; v != plan.None && !live[v] && !z.p.whole {
				st.out[k] = plan.None
			}
		}
		for _, v := range st.in {
			if v != plan.None {
				live[v] = true
			}
		}
		kept = append(kept, *st)
	}
	slices.Reverse(kept)
	z.p.steps = kept
}

// heavyBytes is how much a step must read and write to be worth a look at the
// clock after it.
const heavyBytes = 256 << 10

func (z *specializer) heavy(st *step) bool {
	if !st.static || len(st.bodies) > 0 {
		return true
	}
	n := 0
	for _, list := range [][]int{st.in, st.out} {
		for _, v := range list {
			if v != plan.None {
				n += z.p.vals[v].view.Bytes()
			}
		}
	}
	return n > heavyBytes
}
