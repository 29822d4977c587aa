package reduce

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// reduction declares an operator that folds the elements along some axes. In
// the versions before they are an attribute, in the others input 1.
func reduction(before, from op.Versions, table op.Table) (now, legacy op.Def) {
	def := op.Def{
		Versions: from, Attrs: op.Attrs(op.Int("keepdims", 1), op.Int("noop_with_empty_axes", 0)),
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
	return op.Widened(def), op.Widened(old)
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

// fold is the State of a reduction. Where the innermost dimension is folded, an
// output folds segments of run elements that lie side by side; else outputs that
// lie side by side are folded together, each segment giving one element to each.
type fold struct {
	keepDims, keepSteps []int // of the dimensions that stay, innermost first, joined where they can be
	dims, steps         []int // of those that are folded, without a run
	run                 int   // elements of a segment, 0 where neighbours are folded together
	segments            int   // of an output
	count               int   // elements of an output
	kernel              kernel
	out, in             *tensor.View
}

// kernel computes the output elements [lo, hi).
type kernel func(f *fold, lo, hi int)

// block is how many elements a kernel keeps on its stack.
const block = 128

func prepare(c *op.Context, axes []int, noop bool) error {
	in := c.In(0).Shape
	mask, err := folded(axes, len(in), noop)
	if err != nil {
		return err
	}
	c.State = newFold(in, mask)
	return nil
}

// newFold plans the reduction of the dimensions in mask.
func newFold(in tensor.Shape, mask uint64) *fold {
	f := &fold{count: 1, segments: 1}
	step := 1
	for i := len(in) - 1; i >= 0; i-- { // innermost first
		if mask>>i&1 == 0 {
			f.keepDims, f.keepSteps = join(f.keepDims, f.keepSteps, in[i], step)
		} else {
			f.dims, f.steps = join(f.dims, f.steps, in[i], step)
			f.count *= in[i]
		}
		step *= in[i]
	}
	if len(f.dims) > 0 && f.steps[0] == 1 {
		f.run, f.dims, f.steps = f.dims[0], f.dims[1:], f.steps[1:]
	}
	for _, d := range f.dims {
		f.segments *= d
	}
	if f.count == 0 {
		f.segments = 0
	}
	return f
}

// join adds a dimension outside of those given, as part of the last one where
// it continues it.
func join(dims, steps []int, dim, step int) (d, s []int) {
	k := len(dims) - 1
	switch {
	case dim == 1:
		return dims, steps
	case k >= 0 && steps[k]*dims[k] == step:
		dims[k] *= dim
		return dims, steps
	default:
		return append(dims, dim), append(steps, step)
	}
}

// start returns the offset of the first element of output i.
func (f *fold) start(i int) int { return offset(i, f.keepDims, f.keepSteps) }

// segment returns where the k-th segment of an output lies behind its first.
func (f *fold) segment(k int) int { return offset(k, f.dims, f.steps) }

// alike returns how many segments from the k-th on, up to most, begin one step behind
// the other, and the step.
func (f *fold) alike(k, most int) (n, step int) {
	if len(f.dims) == 0 {
		return 1, 0
	}
	return min(most, f.dims[0]-k%f.dims[0]), f.steps[0]
}

func offset(k int, dims, steps []int) (at int) {
	for d, n := range dims {
		at += k % n * steps[d]
		k /= n
	}
	return at
}

// together returns how many outputs from lo on, up to most, are folded together.
func (f *fold) together(lo, hi, most int) int {
	if f.run > 0 || len(f.keepDims) == 0 {
		return 1
	}
	return min(most, hi-lo, f.keepDims[0]-lo%f.keepDims[0])
}

func run(c *op.Context) error {
	f := c.State.(*fold)
	f.kernel, f.out, f.in = op.Row[kernel](c), c.Out(0), c.In(0)
	grain := max(1, (16<<10)/max(1, f.count))
	if f.run == 0 { // neighbours, of which few together are slow to fold
		grain = max(grain, wide)
		if f.count > 2*wide {
			grain = block
		}
	}
	c.For(f.out.Elements(), grain, f)
	return nil
}

// Chunk implements op.Task over the output elements.
func (f *fold) Chunk(lo, hi int) { f.kernel(f, lo, hi) }
