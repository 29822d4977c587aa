package optest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Run runs each case of an operator as a subtest, in every way that the package's
// comment names.
func Run(t *testing.T, o *op.Operator, cases []Case) {
	t.Helper()
	def := o.Def()
	for i := range cases {
		t.Run(cases[i].Name, func(t *testing.T) { one(t, def, &cases[i]) })
	}
}

// way is one manner of running a case.
type way struct {
	name    string
	skew    int  // bytes that all tensors lie above an aligned address
	late    bool // the values of inputs are known in the run only
	split   bool
	each    bool
	inPlace int // the input that output 0 lies in, or none
	allocs  bool
	columns bool // input 0 lies as columns
}

const none = -1

func ways(def *op.Def, c *Case) []way {
	list := []way{
		{name: "constant inputs", inPlace: none, allocs: true},
		{name: "values of the run", inPlace: none, late: true},
		{name: "odd addresses", inPlace: none, skew: 3},
		{name: "split loops", inPlace: none, split: true},
		{name: "single iterations", inPlace: none, each: true},
	}
	if takesColumns(def, c) {
		list = append(list, way{name: "columns", inPlace: none, columns: true, allocs: true}, way{name: "columns at odd addresses, split loops", inPlace: none, columns: true, skew: 3, split: true})
	}
	if def.Computes || len(c.Want) == 0 || c.Want[0] == nil {
		return list
	}
	for i, v := range c.In {
		if v == nil || def.InPlace == op.Never || def.InPlace == op.FirstOnly && i > 0 {
			continue
		}
		if v.Shape.Equal(c.Want[0].Shape) && v.DType.Bits() == c.Want[0].DType.Bits() {
			list = append(list, way{name: "in place of input " + string(rune('0'+i)), inPlace: i}, way{name: "split in place of input " + string(rune('0'+i)), inPlace: i, split: true})
		}
	}
	return list
}

func one(t *testing.T, def *op.Def, c *Case) {
	t.Helper()
	if c.Err != "" {
		fails(t, def, c)
		return
	}
	var first *node
	for _, w := range ways(def, c) {
		n, err := newNode(def, c, w)
		if err == nil {
			err = n.run()
		}
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			return
		}
		n.check(t, w.name)
		if first == nil {
			first = n
		} else if w.columns {
			n.sameAs(t, first)
		}
		if err := n.move(); err != nil {
			t.Errorf("%s, second run: %v", w.name, err)
			return
		}
		n.check(t, w.name+", second run")
		if w.allocs && !def.Computes && !invariants.Race {
			n.checkAllocs(t)
		}
	}
}

func fails(t *testing.T, def *op.Def, c *Case) {
	t.Helper()
	for _, w := range []way{{name: "constant inputs", inPlace: none}, {name: "values of the run", inPlace: none, late: true}} {
		n, err := newNode(def, c, w)
		if err == nil {
			err = n.run()
		}
		switch {
		case err == nil:
			t.Errorf("%s: no error, want %q", w.name, c.Err)
		case !strings.Contains(err.Error(), c.Err):
			t.Errorf("%s: error %q, want a message with %q", w.name, err, c.Err)
		case c.Code != errs.OK && errs.CodeOf(err) != c.Code:
			t.Errorf("%s: code %v, want %v (%v)", w.name, errs.CodeOf(err), c.Code, err)
		}
	}
}

// node is a case, bound to memory.
type node struct {
	def    *op.Def
	c      *Case
	w      way
	ctx    op.Context
	rt     *runtime
	in     []*tensor.View
	out    []*tensor.View // nil where the case names none
	blocks []*block       // of the inputs, nil where omitted
	given  [][]byte       // what was put into them
	outs   []*block
	attrs  op.Values
}

// newNode infers the outputs of a case, makes its tensors and prepares it.
func newNode(def *op.Def, c *Case, w way) (*node, error) {
	n := &node{def: def, c: c, w: w, rt: &runtime{split: w.split, each: w.each, skew: w.skew, packs: map[string][]byte{}}}
	var err error
	if n.attrs, err = op.NewValues(def, c.Attrs); err != nil {
		return nil, err
	}
	n.ctx.Attr, n.ctx.Version, n.ctx.Opset = &n.attrs, c.version(def), c.Opset
	if c.Opset == 0 {
		n.ctx.Opset = n.ctx.Version
	}
	n.in = make([]*tensor.View, len(c.In))
	for i, v := range c.In {
		if v != nil {
			n.in[i] = &tensor.View{DType: v.DType, Shape: v.Shape}
		}
	}
	n.out = make([]*tensor.View, c.outputs())
	n.fillInputs(w.skew)
	if err := n.infer(); err != nil {
		return nil, err
	}
	n.rt.outs = n.out
	n.fillOutputs(w.skew)
	return n, n.prepare()
}

// infer runs the shape rule: once knowing nothing of the values, which it may
// refuse, and twice knowing all.
func (n *node) infer() error {
	res := make([]tensor.View, n.c.outputs())
	if n.def.Shape != nil {
		blind := op.NewInfer(&n.attrs, n.ctx.Version, n.ctx.Opset, n.in, make([]bool, len(n.in)), make([]tensor.View, len(res)))
		early := n.def.Shape(blind)
		c := op.NewInfer(&n.attrs, n.ctx.Version, n.ctx.Opset, n.in, nil, res)
		if err := n.def.Shape(c); err != nil {
			return err
		}
		if err := n.def.Shape(c); err != nil {
			return err
		}
		if early != nil && !errors.Is(early, op.ErrNeedsValue) {
			return early
		}
		for i, v := range blind.Results() {
			if early == nil && (v.DType != res[i].DType || !v.Shape.Equal(res[i].Shape)) {
				return errs.New(errs.Internal, "the shape rule gives %v without values and %v with them", &v, &res[i])
			}
		}
	}
	for i := range res {
		if i >= len(n.c.Want) || n.c.Want[i] != nil {
			n.out[i] = &res[i]
		}
	}
	return nil
}

// fillInputs puts the inputs into memory of their own.
func (n *node) fillInputs(skew int) {
	n.blocks, n.given = make([]*block, len(n.in)), make([][]byte, len(n.in))
	for i, v := range n.in {
		if v == nil {
			continue
		}
		n.blocks[i] = newBlock(v.Bytes(), skewed(v.DType, skew))
		if v.Bytes() > 0 {
			n.given[i] = n.c.In[i].Raw()
			if n.w.columns && i == 0 {
				n.given[i] = turned(n.c.In[i])
			}
			copy(n.blocks[i].bytes(), n.given[i])
		}
		n.lay(i, n.blocks[i].pointer())
	}
}

func (n *node) fillOutputs(skew int) {
	n.outs = make([]*block, len(n.out))
	for i, v := range n.out {
		switch {
		case v == nil || n.def.Computes:
		case i == 0 && n.w.inPlace != none:
			v.Data = n.in[n.w.inPlace].Data
		default:
			n.outs[i] = newBlock(v.Bytes(), skewed(v.DType, skew))
			v.Data = n.outs[i].pointer()
		}
	}
}

// prepare does what exec does before a run: where values are not known, Prepare
// is called without them first.
func (n *node) prepare() error {
	constant := make([]bool, len(n.in))
	for i := range constant {
		constant[i] = !n.w.late
	}
	n.ctx.Bind(op.Bind{Runtime: n.rt, In: n.in, Out: n.out, Constant: constant})
	if n.w.late {
		n.showData(false)
		if err := n.ctx.PickRow(n.def); err != nil {
			return err
		}
		_, err := n.ctx.Prepare(n.def)
		n.showData(true)
		if err != nil {
			return err
		}
	}
	if err := n.ctx.PickRow(n.def); err != nil {
		return err
	}
	if _, err := n.ctx.Prepare(n.def); err != nil {
		return err
	}
	if w := n.ctx.WorkspaceBytes(); w > 0 {
		p, err := n.rt.Temporary(&n.ctx, w)
		if err != nil {
			return err
		}
		n.ctx.BindWorkspace(p)
		n.rt.temps, n.rt.used = nil, 0 // no temporary may take its place
	}
	return nil
}

// showData hides or shows the memory of all inputs.
func (n *node) showData(show bool) {
	for i, v := range n.in {
		if v == nil {
			continue
		}
		n.lay(i, nil)
		if show {
			n.lay(i, n.blocks[i].pointer())
		}
	}
}

func (n *node) run() error {
	n.rt.used, n.rt.texts = 0, 0
	return n.def.Run(&n.ctx)
}

// move runs again with the same State and every tensor somewhere else.
func (n *node) move() error {
	n.fillInputs(n.w.skew)
	n.fillOutputs(n.w.skew)
	return n.run()
}

func (n *node) check(t *testing.T, what string) {
	t.Helper()
	for i, want := range n.c.Want {
		if want != nil {
			Equal(t, what+": output "+string(rune('0'+i)), n.out[i], want, n.c.Tol)
		}
	}
	for i, b := range n.blocks {
		if b == nil {
			continue
		}
		if i != n.w.inPlace && b.n > 0 && !bytes.Equal(b.bytes(), n.given[i]) {
			t.Errorf("%s: input %d was written", what, i)
		}
		if !b.intact() {
			t.Errorf("%s: memory beside input %d was written", what, i)
		}
	}
	for _, b := range append(append(n.outs[:len(n.outs):len(n.outs)], n.rt.temps...), n.rt.keep...) {
		if b != nil && !b.intact() {
			t.Errorf("%s: memory beside an output or a temporary was written", what)
		}
	}
}

// checkAllocs fails where Run allocates Go memory.
func (n *node) checkAllocs(t *testing.T) {
	t.Helper()
	var err error
	if got := testing.AllocsPerRun(3, func() { err = n.run() }); got != 0 || err != nil {
		t.Errorf("Run allocates %v times, want 0 (error %v)", got, err)
	}
}
