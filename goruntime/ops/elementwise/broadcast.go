package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// row computes n output elements: out[o+i] from a[i0+i*sa] and b[j0+i*sb], where
// the steps are 0 or 1 for all but unusual layouts.
type row func(out, a, b *tensor.View, o, i0, j0, n, sa, sb int)

// pair is the State of an operator on two broadcast inputs: the output's
// dimensions, joined where both inputs allow, and the steps of each input.
type pair struct {
	dims, sa, sb []int
	rows         int
	kernel       row
	out, a, b    *tensor.View

	lines lines32 // float32 rows with a number each
	total int     // elements of the output where rows are short, else 0
	full  [2]full // the inputs then
}

// grain is how many elements make a chunk worth handing out.
const grain = 16 << 10

func newPair(out, a, b tensor.Shape) *pair {
	p := &pair{rows: 1}
	sa, sb := a.Strides(len(out)), b.Strides(len(out))
	for i, d := range out {
		if d == 1 {
			continue
		}
		if k := len(p.dims) - 1; k >= 0 && p.sa[k] == d*sa[i] && p.sb[k] == d*sb[i] {
			p.dims[k] *= d
			p.sa[k], p.sb[k] = sa[i], sb[i]
			continue
		}
		p.dims, p.sa, p.sb = append(p.dims, d), append(p.sa, sa[i]), append(p.sb, sb[i])
	}
	if len(p.dims) == 0 {
		p.dims, p.sa, p.sb = []int{1}, []int{1}, []int{1}
	}
	for _, d := range p.dims[:len(p.dims)-1] {
		p.rows *= d
	}
	return p
}

// run computes the output of c with a row kernel, on the threads of the run.
func (p *pair) run(c *op.Context, kernel row) error {
	p.kernel, p.out, p.a, p.b = kernel, c.Out(0), c.In(0), c.In(1)
	last := p.dims[len(p.dims)-1]
	switch {
	case p.out.Elements() == 0:
	case p.total > 0:
		if err := p.bind(c); err != nil {
			return err
		}
		c.For(p.total, grain/2, p)
	case p.rows == 1: // one long row: split it
		c.For(last, grain, p)
	default:
		c.For(p.rows, max(1, grain/last), p)
	}
	return nil
}

// Chunk implements op.Task over rows, or over the elements of the only row.
func (p *pair) Chunk(lo, hi int) {
	if p.total > 0 {
		p.long(lo, hi)
		return
	}
	k := len(p.dims) - 1
	n, sa, sb := p.dims[k], p.sa[k], p.sb[k]
	if p.rows == 1 {
		p.kernel(p.out, p.a, p.b, lo, lo*sa, lo*sb, hi-lo, sa, sb)
		return
	}
	for r := lo; r < hi; r++ {
		i, j := offsetOf(r, p.dims[:k], p.sa), offsetOf(r, p.dims[:k], p.sb)
		p.kernel(p.out, p.a, p.b, r*n, i, j, n, sa, sb)
	}
}

func preparePair(c *op.Context) error {
	c.State = plan(c, c.In(1).Shape)
	return nil
}

func runPair(c *op.Context) error {
	return c.State.(*pair).run(c, op.Row[row](c))
}

// broadcastAs is the shape rule of operators on two broadcast inputs whose
// output has the given type, Undefined for that of the inputs.
func broadcastAs(dtype tensor.DType) func(*op.Infer) error {
	return func(c *op.Infer) error {
		if c.DType(0) != c.DType(1) {
			return errs.New(errs.Type, "the inputs are %v and %v: they must be alike", c.DType(0), c.DType(1))
		}
		out, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), c.In(0), c.In(1))
		if err != nil {
			return err
		}
		if dtype == tensor.Undefined {
			dtype := c.DType(0)
			c.SetOutput(0, dtype, out)
			return nil
		}
		c.SetOutput(0, dtype, out)
		return nil
	}
}

// The inputs of operators before version 7 are broadcast only where the
// attribute says so, the second one from the dimension axis of the first on.

var legacyAttrs = op.Attrs(op.Int("broadcast", 0), op.Optional("axis", op.KindInt))

// legacyShape returns the shape of the second input as the rules of version 7
// would need it.
func legacyShape(attr *op.Values, a, b tensor.Shape) (tensor.Shape, error) {
	if !attr.Bool("broadcast") {
		if !a.Equal(b) {
			return nil, errs.New(errs.Shape, "shapes %v and %v differ and broadcast is not set", a, b)
		}
		return b, nil
	}
	axis := len(a) - len(b)
	if attr.Has("axis") {
		var err error
		if axis, err = tensor.Axis(attr.Int("axis"), max(1, len(a))); err != nil {
			return nil, err
		}
	}
	if axis < 0 || axis+len(b) > len(a) {
		return nil, errs.New(errs.Shape, "shape %v does not fit into %v at axis %d", b, a, axis)
	}
	full := make(tensor.Shape, len(a)-axis)
	for i := range full {
		full[i] = 1
	}
	copy(full, b)
	for i, d := range full {
		if d != 1 && d != a[axis+i] {
			return nil, errs.New(errs.Shape, "shape %v does not fit into %v at axis %d", b, a, axis)
		}
	}
	return full, nil
}

func legacyAs(dtype tensor.DType) func(*op.Infer) error {
	return func(c *op.Infer) error {
		if _, err := legacyShape(c.Attr, c.In(0), c.In(1)); err != nil {
			return err
		}
		t := dtype
		if t == tensor.Undefined {
			t = c.DType(0)
		}
		c.SetOutput(0, t, c.In(0))
		return nil
	}
}

func prepareLegacy(c *op.Context) error {
	b, err := legacyShape(c.Attr, c.In(0).Shape, c.In(1).Shape)
	if err == nil {
		c.State = plan(c, b)
	}
	return err
}
