package attention

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RotaryEmbedding turns pairs of numbers of each head by angles that depend on
// the position.
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html   Departures: none.
var RotaryEmbedding = op.Declare("", "RotaryEmbedding", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{23: ""},
		Attrs:    op.Attrs(op.Int("interleaved", 0), op.Int("num_heads", 0), op.Int("rotary_embedding_dim", 0)),
		InPlace:  op.FirstOnly,
		Shape: func(c *op.Infer) error {
			c.SetOutput(0, c.DType(0), c.In(0))
			var positions tensor.Shape
			if c.Has(3) {
				positions = c.In(3)
			}
			_, err := newRotation(c.Attr, c.In(0), c.In(1), c.In(2), positions, c.Has(3))
			return err
		},
		Prepare: func(c *op.Context) error {
			var positions tensor.Shape
			if c.Has(3) {
				positions = c.In(3).Shape
			}
			r, err := newRotation(c.Attr, c.In(0).Shape, c.In(1).Shape, c.In(2).Shape, positions, c.Has(3))
			c.State = &r
			return err
		},
		Run: func(c *op.Context) error {
			r := c.State.(*rotation)
			r.positions = nil
			if c.Has(3) {
				r.positions = tensor.Elems[int64](c.In(3))
			}
			return r.run(c, c.In(1), c.In(2))
		},
		DTypes: op.Uniform(struct{}{}, tensor.F32),
		Also:   map[int][]tensor.DType{3: {tensor.I64}},
	})
})

// rotation is how a tensor is seen: [batch, rows, heads] of size numbers, of
// which the first dim are turned.
type rotation struct {
	batch, rows, heads, size, dim int
	stepBatch, stepRow, stepHead  int
	table                         int // rows of the cosines, 0 where each position has its own
	interleaved                   bool
	positions                     []int64 // [batch, rows], or the first one of a run of rows where first is set
	work                          turning
	first                         bool
}

// newRotation reads X [B, L, H*d] or [B, H, L, d].
func newRotation(a *op.Values, x, cos, sin, positions tensor.Shape, given bool) (r rotation, err error) {
	switch heads := a.Int("num_heads"); {
	case len(x) == 4:
		r.batch, r.heads, r.rows, r.size = x[0], x[1], x[2], x[3]
		r.stepBatch, r.stepHead, r.stepRow = r.heads*r.rows*r.size, r.rows*r.size, r.size
	case len(x) != 3:
		return r, errs.New(errs.Shape, "X has shape %v: rank 3 or 4 expected", x)
	case heads <= 0 || x[2]%heads != 0:
		return r, errs.New(errs.Shape, "X has shape %v, num_heads is %d: it must divide the last dimension", x, heads)
	default:
		r.batch, r.rows, r.heads, r.size = x[0], x[1], heads, x[2]/heads
		r.stepBatch, r.stepHead, r.stepRow = r.rows*x[2], r.size, x[2]
	}
	if r.dim = a.Int("rotary_embedding_dim"); r.dim == 0 {
		r.dim = r.size
	}
	if r.dim < 0 || r.dim > r.size || r.dim%2 != 0 {
		return r, errs.New(errs.Shape, "%d numbers of a head of %d are to be turned: an even number of them expected", r.dim, r.size)
	}
	r.interleaved = a.Bool("interleaved")
	want := tensor.Shape{r.batch, r.rows, r.dim / 2}
	if given {
		if len(cos) != 2 || cos[1] != r.dim/2 || !cos.Equal(sin) {
			return r, errs.New(errs.Shape, "cos_cache has shape %v, sin_cache %v: both [P, %d] expected", cos, sin, r.dim/2)
		}
		if !positions.Equal(tensor.Shape{r.batch, r.rows}) {
			return r, errs.New(errs.Shape, "position_ids has shape %v, [%d, %d] expected", positions, r.batch, r.rows)
		}
		r.table = cos[0]
		return r, nil
	}
	if !cos.Equal(want) || !sin.Equal(want) {
		return r, errs.New(errs.Shape, "cos_cache has shape %v, sin_cache %v: both %v expected without position_ids", cos, sin, want)
	}
	return r, nil
}

// angle returns which row of the tables a position reads.
func (r *rotation) angle(b, i int) (int, error) {
	if r.positions == nil {
		return b*r.rows + i, nil
	}
	p := 0
	if r.first {
		p = int(r.positions[0]) + i
	} else {
		p = int(r.positions[b*r.rows+i])
	}
	if p < 0 || p >= r.table {
		return 0, errs.New(errs.Compute, "position %d is out of range: it must lie in [0, %d]", p, r.table-1)
	}
	return p, nil
}

// turning is a rotation at work.
type turning struct {
	*rotation
	x, y, cos, sin []float32
	rowOf          []int // of the tables, for each position
}

func (r *rotation) run(c *op.Context, cosines, sines *tensor.View) error {
	t := &r.work
	t.rotation = r
	t.x, t.y, t.cos, t.sin = tensor.Elems[float32](c.In(0)), tensor.Elems[float32](c.Out(0)), tensor.Elems[float32](cosines), tensor.Elems[float32](sines)
	t.rowOf = t.rowOf[:0]
	for b := range r.batch {
		for i := range r.rows {
			p, err := r.angle(b, i)
			if err != nil {
				return err
			}
			t.rowOf = append(t.rowOf, p)
		}
	}
	c.For(len(t.rowOf), max(1, (16<<10)/max(1, r.heads*r.size)), t)
	return nil
}

// Chunk implements op.Task over the positions.
func (t *turning) Chunk(lo, hi int) {
	half := t.dim / 2
	for at := lo; at < hi; at++ {
		cos, sin := t.cos[t.rowOf[at]*half:][:half], t.sin[t.rowOf[at]*half:][:half]
		for h := range t.heads {
			from := at/t.rows*t.stepBatch + at%t.rows*t.stepRow + h*t.stepHead
			src, dst := t.x[from:from+t.size], t.y[from:from+t.size]
			if t.interleaved {
				for k, c := range cos {
					u, v, s := src[2*k], src[2*k+1], sin[k]
					dst[2*k], dst[2*k+1] = c*u-s*v, s*u+c*v
				}
			} else {
				first, second, real, imaginary := src[:half], src[half:2*half], dst[:half], dst[half:2*half]
				for k, c := range cos {
					u, v, s := first[k], second[k], sin[k]
					real[k], imaginary[k] = c*u-s*v, s*u+c*v
				}
			}
			copy(dst[t.dim:], src[t.dim:])
		}
	}
}
