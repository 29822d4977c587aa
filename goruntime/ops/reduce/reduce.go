// Package reduce holds the operators that fold dimensions into one number.
package reduce

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// reduction declares an operator that folds the elements along some axes. In
// the versions before they are an attribute, in the others input 1.
func reduction(name string, before, from op.Versions, table op.Table) (now, legacy *op.Def) {
	def := op.Def{
		Name: name, Versions: from, Attrs: op.Attrs(op.Int("keepdims", 1), op.Int("noop_with_empty_axes", 0)),
		Shape: func(c *op.Infer) error {
			axes, err := inputAxes(c)
			if err != nil {
				return err
			}
			return reducedShape(c, axes, c.Attr.Bool("noop_with_empty_axes"))
		},
		Prepare: func(c *op.Context) error {
			var axes []int
			if c.Has(1) {
				var err error
				if axes, err = c.Ints(1); err != nil {
					return err
				}
			}
			return prepare(c, axes, c.Attr.Bool("noop_with_empty_axes"))
		},
		Run: run, DTypes: table, Also: map[int][]tensor.DType{1: {tensor.I64}},
	}
	old := def
	old.Versions, old.Attrs, old.Also = before, op.Attrs(op.Int("keepdims", 1), op.Ints("axes")), nil
	old.Shape = func(c *op.Infer) error { return reducedShape(c, c.Attr.Ints("axes"), false) }
	old.Prepare = func(c *op.Context) error { return prepare(c, c.Attr.Ints("axes"), false) }
	return op.Declare(def), op.Declare(old)
}

func inputAxes(c *op.Infer) ([]int, error) {
	if !c.Has(1) {
		return nil, nil
	}
	return c.Ints(1)
}

// folded reports which dimensions are reduced: all where no axes are given,
// none where noop is set.
func folded(axes []int, rank int, noop bool) (uint64, error) {
	if rank > 64 {
		return 0, errs.New(errs.Unsupported, "a rank of %d is above 64", rank)
	}
	if len(axes) == 0 {
		if noop {
			return 0, nil
		}
		return 1<<rank - 1, nil
	}
	mask := uint64(0)
	for _, a := range axes {
		i, err := tensor.Axis(a, rank)
		if err != nil {
			return 0, err
		}
		mask |= 1 << i
	}
	return mask, nil
}

func reducedShape(c *op.Infer, axes []int, noop bool) error {
	in := c.In(0)
	mask, err := folded(axes, len(in), noop)
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(in))[:0]
	for i, d := range in {
		switch {
		case mask>>i&1 == 0:
			out = append(out, d)
		case c.Attr.Bool("keepdims"):
			out = append(out, 1)
		}
	}
	c.SetOutput(0, c.DType(0), out)
	return nil
}

// fold is the State of a reduction: output element i folds count inputs, which
// start at an offset of its own and lie dims by steps from there.
type fold struct {
	keepDims, keepSteps []int // of the dimensions that stay
	dims, steps         []int // of those that are folded, joined where they can be
	count               int
	row                 bool // the inputs of an output lie side by side
	kernel              kernel
	out, in             *tensor.View
}

// kernel computes the output elements [lo, hi).
type kernel func(f *fold, lo, hi int)

func prepare(c *op.Context, axes []int, noop bool) error {
	in := c.In(0).Shape
	mask, err := folded(axes, len(in), noop)
	if err != nil {
		return err
	}
	f := &fold{count: 1}
	step := 1
	for i := len(in) - 1; i >= 0; i-- { // innermost first
		if mask>>i&1 == 0 {
			f.keepDims, f.keepSteps = append(f.keepDims, in[i]), append(f.keepSteps, step)
		} else {
			f.fold(in[i], step)
		}
		step *= in[i]
	}
	f.row = len(f.dims) == 0 || len(f.dims) == 1 && f.steps[0] == 1
	c.State = f
	return nil
}

// fold adds a dimension that is folded to those inside it.
func (f *fold) fold(dim, step int) {
	f.count *= dim
	if k := len(f.dims) - 1; k >= 0 && f.steps[k]*f.dims[k] == step {
		f.dims[k] *= dim
		return
	}
	if dim != 1 {
		f.dims, f.steps = append(f.dims, dim), append(f.steps, step)
	}
}

// offset returns where the k-th input of an output lies behind the first.
func (f *fold) offset(k int) int {
	at := 0
	for d, n := range f.dims {
		at += k % n * f.steps[d]
		k /= n
	}
	return at
}

func run(c *op.Context) error {
	f := c.State.(*fold)
	f.kernel, f.out, f.in = op.Row[kernel](c), c.Out(0), c.In(0)
	c.For(f.out.Elements(), max(1, (16<<10)/max(1, f.count)), f)
	return nil
}

// Chunk implements op.Task over the output elements.
func (f *fold) Chunk(lo, hi int) { f.kernel(f, lo, hi) }

// start returns the offset of the first input element of output i.
func (f *fold) start(i int) int {
	at := 0
	for d, n := range f.keepDims {
		at += i % n * f.keepSteps[d]
		i /= n
	}
	return at
}
