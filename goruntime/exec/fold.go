package exec

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// A result that is larger than what it is computed from is computed ahead up to
// foldBytes, and beyond as long as the program has less than foldRoom of those: an
// Expand to a gigabyte stays in the run, filters made by ConstantOfShape do not.
const (
	foldBytes = 64 << 10
	foldRoom  = 256 << 20
)

// foldable reports whether the step can be computed while specializing.
func (z *specializer) foldable(st *step, outs []tensor.View) bool {
	def := st.node.Def
	if def.Random || def.Control || len(st.node.Bodies) > 0 {
		return false
	}
	size := 0
	for _, v := range st.in {
		if v == plan.None {
			continue
		}
		if !z.p.vals[v].known && !def.FromShape {
			return false
		}
		if z.p.vals[v].known {
			size += z.p.vals[v].view.Bytes()
		}
	}
	grown := 0
	for i := range outs {
		grown += outs[i].Bytes()
	}
	if grown <= max(size, foldBytes) {
		return true
	}
	if grown > foldRoom-z.grown {
		return false
	}
	z.grown += grown
	return true
}

// evaluate computes the step now: its outputs become known values.
func (z *specializer) evaluate(g *graph.Graph, st *step, outs []tensor.View, sc scope) error {
	n := st.node
	in := make([]*tensor.View, len(st.in))
	for k, v := range st.in {
		if v != plan.None {
			view := z.p.vals[v].view
			in[k] = &view
		}
	}
	if n.Def.View {
		outs[0].Data = in[0].Data
	} else if err := z.fold.run(n, in, outs); err != nil {
		return err
	}
	for k, id := range n.Out {
		if id == graph.None {
			continue
		}
		sc[id] = z.add(value{
			name: g.Values[id].Name, view: outs[k], shaped: true, known: true, feed: -1,
			model: n.Def.View && z.p.vals[st.in[0]].model,
		})
		z.p.computed(g, n, k, sc[id])
	}
	if n.Def.Codes != nil {
		out := sc[n.Out[0]]
		z.sources[out] = &step{node: n, in: st.in, args: st.args, out: []int{out}, static: true}
	}
	return nil
}

// folder is the Runtime of nodes that are computed while specializing. What
// they make belongs to the program, in the session's weights arena.
type folder struct {
	m     *compiled
	p     *program
	temps []arena.Handle
}

func (f *folder) run(n *graph.Node, in []*tensor.View, outs []tensor.View) error {
	defer f.free()
	c := &op.Context{Attr: &n.Attrs, Version: n.Version, Opset: n.Opset}
	out, constant := make([]*tensor.View, len(outs)), make([]bool, len(in))
	for k := range outs {
		h, err := f.m.weights.Acquire(outs[k].Bytes())
		if err != nil {
			return err
		}
		f.p.owned = append(f.p.owned, h)
		outs[k].Data, out[k] = h.Data(), &outs[k]
	}
	for k := range constant {
		constant[k] = true
	}
	c.Bind(op.Bind{Runtime: f, In: in, Out: out, Constant: constant})
	if err := c.PickRow(n.Def); err != nil {
		return err
	}
	if _, err := c.Prepare(n.Def); err != nil {
		return err
	}
	if w := c.WorkspaceBytes(); w > 0 {
		p, err := f.Temporary(c, w)
		if err != nil {
			return err
		}
		c.BindWorkspace(p)
	}
	return n.Def.Run(c)
}

func (f *folder) free() {
	for i := range f.temps {
		f.temps[i].Release()
	}
	f.temps = f.temps[:0]
}

// MakeOutput fails: operators whose shapes come out of the computation are not
// folded.
func (f *folder) MakeOutput(*op.Context, int, tensor.DType, tensor.Shape) (*tensor.View, error) {
	return nil, errs.New(errs.Internal, "an output was made while folding a node whose outputs are made before")
}

// Temporary implements op.Runtime.
func (f *folder) Temporary(_ *op.Context, n int) (unsafe.Pointer, error) {
	h, err := f.m.weights.Acquire(n)
	if err != nil {
		return nil, err
	}
	f.temps = append(f.temps, h)
	return h.Data(), nil
}

// Text implements op.TextMaker: strings of a known value live as long as it.
func (f *folder) Text(_ *op.Context, _, n int) ([]byte, error) {
	h, err := f.m.weights.Acquire(n)
	if err != nil {
		return nil, err
	}
	f.p.packs.hold(h)
	return bytesOf(h, n), nil
}

// spare gives back the results that only other results were computed from, where nobody
// looks at them.
func (z *specializer) spare() {
	if z.p.whole {
		return
	}
	read := map[unsafe.Pointer]bool{}
	use := func(v int) {
		if v != plan.None && z.p.vals[v].known {
			read[z.p.vals[v].view.Data] = true
		}
	}
	for i := range z.p.steps {
		for _, v := range z.p.steps[i].in {
			use(v)
		}
		for _, b := range z.p.steps[i].bodies {
			for _, f := range b.unit.fixed {
				read[f.view.Data] = true
			}
		}
	}
	for _, v := range z.p.outputs {
		use(v)
	}
	kept := z.p.owned[:0]
	for _, h := range z.p.owned {
		if read[h.Data()] {
			kept = append(kept, h)
		} else {
			h.Release()
		}
	}
	z.p.owned = kept
}

// Pack implements op.Runtime: a node that is computed once is packed once.
func (f *folder) Pack(c *op.Context, _ int, _ string, n int, fill func([]byte) error) ([]byte, error) {
	p, err := f.Temporary(c, n)
	if err != nil {
		return nil, err
	}
	//lint:allow unsafe the temporary is lent to a kernel as bytes
	// SAFETY: Temporary returned n bytes.
	b := unsafe.Slice((*byte)(p), n)
	return b, fill(b)
}

// For implements op.Runtime on the calling goroutine.
func (f *folder) For(n, _ int, task op.Task) { task.Chunk(0, n) }

// Threads implements op.Runtime.
func (f *folder) Threads() int { return 1 }

// Branch fails: nodes with subgraphs are not folded.
func (f *folder) Branch(*op.Context, string) error {
	return errs.New(errs.Internal, "a subgraph was run while folding")
}

// Stopped implements op.Runtime.
func (f *folder) Stopped() error { return nil }
