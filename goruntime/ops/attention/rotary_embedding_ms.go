package attention

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RotaryEmbeddingMS is RotaryEmbedding of the domain com.microsoft: the positions
// come second, and one number is the first of consecutive ones.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.RotaryEmbedding
// Departures: no is_packed_batching; scale is not applied, as on ONNX Runtime's
// CPU.
var RotaryEmbeddingMS = op.Declare(microsoft, "RotaryEmbedding", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2, 3},
		Attrs: op.Attrs(op.Int("interleaved", 0), op.Int("num_heads", 0), op.Int("rotary_embedding_dim", 0), op.Int("is_packed_batching", 0), op.Float("scale", 1)),
		Shape: func(c *op.Infer) error {
			if err := c.Alike(0, 2, 3); err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), c.In(0))
			_, err := rotationMS(c.Attr, c.In(0), c.In(1), c.In(2), c.In(3))
			return err
		},
		Prepare: func(c *op.Context) error {
			r, err := rotationMS(c.Attr, c.In(0).Shape, c.In(1).Shape, c.In(2).Shape, c.In(3).Shape)
			c.State = &r
			return err
		},
		Run: func(c *op.Context) error {
			r := c.State.(*rotation)
			r.positions = tensor.Elems[int64](c.In(1))
			return r.run(c, c.In(2), c.In(3))
		},
		InPlace: op.FirstOnly,
		DTypes:  op.Uniform(struct{}{}, tensor.F32),
		Also:    map[int][]tensor.DType{1: {tensor.I64}},
	})
})

// rotationMS reads X [B, L, H*d] or [B, H, L, d].
func rotationMS(a *op.Values, x, positions, cos, sin tensor.Shape) (r rotation, err error) {
	if len(cos) != 2 || !cos.Equal(sin) {
		return r, errs.New(errs.Shape, "cos_cache has shape %v, sin_cache %v: both [P, d/2] expected", cos, sin)
	}
	if a.Bool("is_packed_batching") {
		return r, errs.New(errs.Unsupported, "is_packed_batching is not supported")
	}
	r.table, r.interleaved, r.dim = cos[0], a.Bool("interleaved"), 2*cos[1]
	switch heads := a.Int("num_heads"); {
	case len(x) == 4:
		r.batch, r.heads, r.rows, r.size = x[0], x[1], x[2], x[3]
		r.stepBatch, r.stepHead, r.stepRow = r.heads*r.rows*r.size, r.rows*r.size, r.size
	case len(x) == 3:
		if r.size = r.dim; heads > 0 {
			r.size = x[2] / heads
		}
		if r.size == 0 || x[2]%r.size != 0 {
			return r, errs.New(errs.Shape, "X has shape %v: heads of %d numbers expected", x, r.size)
		}
		r.batch, r.rows, r.heads = x[0], x[1], x[2]/r.size
		r.stepBatch, r.stepHead, r.stepRow = r.rows*x[2], r.size, x[2]
	default:
		return r, errs.New(errs.Shape, "X has shape %v: rank 3 or 4 expected", x)
	}
	if dim := a.Int("rotary_embedding_dim"); r.dim > r.size || dim > 0 && dim != r.dim {
		return r, errs.New(errs.Shape, "cos_cache has shape %v: half of rotary_embedding_dim %d or of the head's %d expected", cos, dim, r.size)
	}
	if r.first = positions.Elements() == 1; !r.first && !positions.Equal(tensor.Shape{r.batch, r.rows}) {
		return r, errs.New(errs.Shape, "position_ids has shape %v, [1] or [%d, %d] expected", positions, r.batch, r.rows)
	}
	return r, nil
}
