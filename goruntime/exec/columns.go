package exec

import (
	"slices"
	"unsafe" //lint:allow unsafe columns are addresses

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// join lets steps that put columns side by side do nothing, where all that reads the
// matrix takes columns. The columns then live as long as the matrix is read.
func (z *specializer) join() {
	for i := range z.p.steps {
		st := &z.p.steps[i]
		if !st.static || st.node.Def.Joins == nil || z.p.whole || slices.Contains(z.p.outputs, st.out[0]) || !z.columnar(st.out[0]) || !st.node.Def.Joins(z.inferred(st)) {
			continue
		}
		n := *st.node
		out := &z.p.vals[st.out[0]].view
		if z.allInParts(st) {
			n.Def = joinedParts
			out.Parts = []tensor.Part{{Columns: []unsafe.Pointer{}}}
		} else {
			n.Def = joined
			out.Columns = make([]unsafe.Pointer, st.args)
		}
		st.node, st.heavy = &n, false
		for k := range z.p.steps[i+1:] {
			if later := &z.p.steps[i+1+k]; slices.Contains(later.in, st.out[0]) {
				later.in, later.kept = append(slices.Clone(later.in), st.in[:st.args]...), later.kept+st.args
			}
		}
	}
}

// allInParts reports whether all that a step reads lies in parts that are dense.
func (z *specializer) allInParts(st *step) bool {
	return !slices.ContainsFunc(st.in[:st.args], func(v int) bool {
		parts := z.p.vals[v].view.Parts
		return parts == nil || len(parts) > 0
	})
}

// joined tells a matrix where its columns lie.
var joined = &op.Def{
	Name:     "Concat",
	Versions: op.Versions{1: ""},
	Shape:    op.SameAsInput,
	Run: func(c *op.Context) error {
		list := c.Out(0).Columns
		for k := range list {
			list[k] = c.In(k).Data
		}
		return nil
	},
}

// joinedParts is joined for columns that lie in parts, of the same rows all of them.
var joinedParts = &op.Def{
	Name:     "Concat",
	Versions: op.Versions{1: ""},
	Shape:    op.SameAsInput,
	Prepare: func(c *op.Context) error {
		c.State = &joining{parts: []tensor.Part{}}
		return nil
	},
	Run: func(c *op.Context) error {
		c.State.(*joining).join(c)
		return nil
	},
}

// joining is the State of joinedParts: where the columns of each part lie.
type joining struct {
	parts   []tensor.Part
	columns []unsafe.Pointer
}

// join points output 0 at the columns of this run. Those that another reader had gathered
// lie side by side.
func (j *joining) join(c *op.Context) {
	rows, width, k := []tensor.Part{{End: c.In(0).Shape[0]}}, c.In(0).DType.Width(), c.Inputs()
	for i := range k {
		if p := c.In(i).Parts; p != nil {
			rows = p
			break
		}
	}
	j.parts, j.columns = j.parts[:0], slices.Grow(j.columns[:0], len(rows)*k)
	for i, p := range rows {
		for n := range k {
			if in := c.In(n); in.Parts != nil {
				j.columns = append(j.columns, in.Parts[i].Data)
			} else {
				//lint:allow unsafe rows are addressed by number
				// SAFETY: the column has the rows of all parts.
				j.columns = append(j.columns, unsafe.Add(in.Data, p.First*width))
			}
		}
		j.parts = append(j.parts, tensor.Part{First: p.First, End: p.End, Columns: j.columns[i*k : (i+1)*k]})
	}
	c.Out(0).Parts = j.parts
}

// gather puts a step in front that makes rows of each input that lies as columns or in
// parts, unless all steps that read it take columns. A program that is whole, or whose value
// leaves, has readers that do not.
func (z *specializer) gather() {
	first := z.p.steps[:0:0]
	for _, v := range z.p.inputs {
		if v == plan.None || z.p.vals[v].view.Dense() || z.columnar(v) {
			continue
		}
		src := &z.p.vals[v]
		n := &graph.Node{Name: src.name, OpType: gathered.Name, Version: 1, Def: gathered}
		out := z.add(value{name: src.name, view: tensor.View{DType: src.view.DType, Shape: src.view.Shape}, shaped: true, feed: -1})
		for i := range z.p.steps {
			for k, in := range z.p.steps[i].in {
				if in == v {
					z.p.steps[i].in[k] = out
				}
			}
			if t := z.p.steps[i].tail; t != nil {
				for k, in := range t.in {
					if in == v {
						t.in[k] = out
					}
				}
			}
		}
		st := step{node: n, in: []int{v}, out: []int{out}, args: 1, static: true}
		st.heavy = z.heavy(&st)
		first = append(first, st)
	}
	z.p.steps = append(first, z.p.steps...)
}

// columnar reports whether all steps that read v take it as columns.
func (z *specializer) columnar(v int) bool {
	if z.p.whole {
		return false
	}
	for i := range z.p.steps {
		st := &z.p.steps[i]
		for k, in := range st.in {
			if in == v && k < len(st.in)-st.kept && (k > 0 || !z.takesColumns(st)) && !z.takesParts(st, v) {
				return false
			}
		}
	}
	return true
}

// takesColumns asks the operator of a step whether it takes the matrix that it reads first
// as columns, and so in parts.
func (z *specializer) takesColumns(st *step) bool {
	return len(z.p.vals[st.in[0]].view.Shape) == 2 && st.static && !st.rename && st.node.Def.Columns != nil && st.node.Def.Columns(z.inferred(st))
}

// takesParts reports whether a step reads v, whose parts are dense, part by part: one that
// joins columns in parts, or a chain of the shape of v.
func (z *specializer) takesParts(st *step, v int) bool {
	view := &z.p.vals[v].view
	if view.Parts == nil || len(view.Parts) > 0 {
		return false
	}
	return st.node.Def == joinedParts || st.node.Def == chainOnly && view.Shape.Equal(z.p.vals[st.out[0]].view.Shape)
}

// partsLike returns what the signature of a program has for the parts of an input: none for
// parts that are all dense, one that is not for others; nil where it does not lie in parts.
func partsLike(parts []tensor.Part) []tensor.Part {
	switch {
	case parts == nil:
		return nil
	case slices.ContainsFunc(parts, func(p tensor.Part) bool { return p.Columns != nil }):
		return []tensor.Part{{Columns: []unsafe.Pointer{}}}
	}
	return []tensor.Part{}
}

// sameParts reports whether an input's parts are as a signature has them.
func sameParts(like, parts []tensor.Part) bool {
	is := partsLike(parts)
	return (like == nil) == (is == nil) && len(like) == len(is)
}

// inferred is what an operator is told of a step, of the inputs that its node lists,
// when it is asked about it; outs are what its rule may write to.
func (z *specializer) inferred(st *step, outs ...tensor.View) *op.Infer {
	in, known := make([]*tensor.View, st.args), make([]bool, st.args)
	for k, v := range st.in[:st.args] {
		if v != plan.None {
			in[k], known[k] = &z.p.vals[v].view, z.p.vals[v].known
		}
	}
	n := st.node
	return op.NewInfer(&n.Attrs, n.Version, n.Opset, in, known, outs)
}

// gathered makes rows of columns and of parts. It is a copy that a run makes of its own accord,
// and it is counted.
var gathered = &op.Def{
	Name:     "Interleave",
	Versions: op.Versions{1: ""},
	Shape:    op.SameAsInput,
	Prepare: func(c *op.Context) error {
		c.State = &gathering{}
		return nil
	},
	Run: func(c *op.Context) error {
		g := c.State.(*gathering)
		g.out, g.in = c.Out(0), c.In(0)
		n, k := g.in.Shape[0], g.in.RowElements()
		c.For(n, max(1, gatherGrain/max(1, k)), g)
		return nil
	},
}

// gatherReason is why a matrix is copied that does not lie as rows.
func gatherReason(v *tensor.View) arena.CopyReason {
	if v.Parts != nil {
		return arena.CopyCoalesce
	}
	return arena.CopyInterleave
}

// gatherGrain is how many elements make a chunk worth handing out.
const gatherGrain = 64 << 10

// gathering is the State of a step that makes rows of columns.
type gathering struct{ out, in *tensor.View }

// Chunk implements op.Task over the rows.
func (g *gathering) Chunk(lo, hi int) {
	op.GatherRows(g.out.At(lo*g.in.RowElements()), g.in, lo, hi)
}
