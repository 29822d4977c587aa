package exec

import (
	"slices"
	"unsafe" //lint:allow unsafe a packed constant becomes a value

	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// halves lets f32 hold the 16-bit floats of a program. A node whose f32 kernel gives them,
// rounded, is run on f32; the rounding is an elementwise operation, which joins chains and
// the tails of products. Every half value has a twin then, the same numbers in f32, and is
// itself made of its twin where something reads it.
type halves struct {
	z     *specializer
	steps []step
	twins map[int]int // by the half value
	same  map[int]int // f32 values that are a twin, by value
}

// fuseHalves runs on f32 what may be.
func (z *specializer) fuseHalves() error {
	if !slices.ContainsFunc(z.p.steps, func(st step) bool { return z.widens(&st) }) {
		return nil
	}
	h := &halves{z: z, twins: map[int]int{}, same: map[int]int{}}
	for i := range z.p.steps {
		if err := h.take(z.p.steps[i]); err != nil {
			return err
		}
	}
	z.p.steps = h.steps
	z.prune()
	return nil
}

func (z *specializer) half(v int) bool {
	return v != plan.None && z.p.vals[v].shaped && z.p.vals[v].view.DType.Half()
}

// widens reports whether f32 serves a step that makes halves of halves.
func (z *specializer) widens(st *step) bool {
	return st.static && len(st.bodies) == 0 && (st.node.Def.View || st.node.Def.Halves != op.NoHalves) && slices.ContainsFunc(st.in, z.half) && slices.ContainsFunc(st.out, z.half)
}

func (h *halves) take(st step) error {
	st.in = slices.Clone(st.in)
	for k, v := range st.in[:st.args] { // subgraphs have what they capture by its number
		if twin, ok := h.same[v]; ok {
			st.in[k] = twin
		}
	}
	casts := st.static && st.node.Def.Domain == "" && st.node.Def.Name == "Cast"
	switch {
	case h.z.widens(&st):
		return h.widen(st)
	case casts && h.z.half(st.in[0]) && h.z.p.vals[st.out[0]].view.DType == tensor.F32 && h.z.p.vals[st.in[0]].view.Elements() > 0:
		twin, err := h.twin(st.in[0])
		if err != nil {
			return err
		}
		h.same[st.out[0]] = twin
		h.round(h.z.p.vals[st.in[0]].view.DType, twin, st.out[0]) // changes nothing, and joins chains
		return nil
	case casts && h.z.half(st.out[0]) && h.z.p.vals[st.in[0]].view.DType == tensor.F32:
		h.twins[st.out[0]] = h.rounded(st.in[0], st.out[0])
	}
	h.steps = append(h.steps, st)
	return nil
}

// widen runs a step on twins, and makes the halves of what it gives.
func (h *halves) widen(st step) error {
	for k, v := range st.in {
		if !h.z.half(v) {
			continue
		}
		twin, err := h.twin(v)
		if err != nil {
			return err
		}
		st.in[k] = twin
	}
	made := slices.Clone(st.out)
	for k, v := range made {
		if !h.z.half(v) {
			continue
		}
		made[k] = h.z.single(v)
		if k == 0 && st.node.Def.View {
			h.z.p.vals[made[k]].root = h.z.p.vals[st.in[0]].root
		}
	}
	out := st.out
	st.out = made
	st.heavy = h.z.heavy(&st)
	h.steps = append(h.steps, st)
	for k, v := range out {
		if !h.z.half(v) {
			continue
		}
		if h.twins[v] = made[k]; st.node.Def.Halves == op.RoundedHalves {
			h.twins[v] = h.rounded(made[k], v)
		}
		h.add(recast, h.twins[v], v)
	}
	return nil
}

// twin returns the value in f32 that has the numbers of v.
func (h *halves) twin(v int) (int, error) {
	if twin, ok := h.twins[v]; ok {
		return twin, nil
	}
	twin := h.z.single(v)
	if pv := &h.z.p.vals[v]; pv.known {
		data, err := h.z.p.wide(pv)
		if err != nil {
			return plan.None, err
		}
		w := &h.z.p.vals[twin]
		w.known, w.model, w.view.Data = true, pv.model, data
	} else {
		h.add(recast, v, twin)
	}
	h.twins[v] = twin
	return twin, nil
}

// single adds an f32 value of the shape of v.
func (z *specializer) single(v int) int {
	pv := &z.p.vals[v]
	return z.add(value{name: pv.name, view: tensor.View{DType: tensor.F32, Shape: pv.view.Shape}, shaped: true, feed: -1})
}

// wide returns the numbers of a constant in f32, made once.
func (p *program) wide(pv *value) (unsafe.Pointer, error) {
	packs, n := &p.packs, max(1, 4*pv.view.Elements())
	if pv.model {
		packs = &p.unit.m.packs
	}
	b, err := packs.get(p.unit.m.weights, keyOf(&pv.view, "f32", n), n, func(b []byte) error {
		to := tensor.View{DType: tensor.F32, Shape: pv.view.Shape, Data: unsafe.Pointer(unsafe.SliceData(b))}
		(&op.Recast{Dst: &to, Src: &pv.view}).Chunk(0, to.Elements())
		return nil
	})
	return unsafe.Pointer(unsafe.SliceData(b)), err
}

// rounded returns f32 value v rounded to the type of a half. Nothing is v itself: no
// chain takes steps without elements, and a rounding runs in a chain alone.
func (h *halves) rounded(v, half int) int {
	if h.z.p.vals[v].view.Elements() == 0 {
		return v
	}
	to := h.z.single(half)
	h.round(h.z.p.vals[half].view.DType, v, to)
	return to
}

// round adds the step that rounds an f32 value to what a type has.
func (h *halves) round(d tensor.DType, v, to int) {
	if d == tensor.BF16 {
		h.add(toBrain, v, to)
	} else {
		h.add(toHalf, v, to)
	}
}

func (h *halves) add(def *op.Def, in, out int) {
	n := &graph.Node{Name: h.z.p.vals[out].name, OpType: "Cast", Version: 1, Def: def}
	st := step{node: n, in: []int{in}, out: []int{out}, args: 1, static: true}
	st.heavy = h.z.heavy(&st)
	h.steps = append(h.steps, st)
}

// toHalf and toBrain round f32 to numbers that a half has.
var toHalf, toBrain = rounding(vec.ToHalf), rounding(vec.ToBrain)

func rounding(f vec.Function) *op.Def {
	return chained(func(_ *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		return b.Apply(f, x(0)), true
	})
}

// recast converts between halves and f32.
var recast = &op.Def{
	Name:     "Cast",
	Versions: op.Versions{1: ""},
	Prepare: func(c *op.Context) error {
		c.State = &op.Recast{}
		return nil
	},
	Run: func(c *op.Context) error {
		s := c.State.(*op.Recast)
		s.Dst, s.Src = c.Out(0), c.In(0)
		c.For(s.Dst.Elements(), op.RecastGrain, s)
		return nil
	},
}
