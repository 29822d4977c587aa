package microsoft

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SimplifiedLayerNormalization divides by the root of the mean of squares over
// all dimensions from axis on. ONNX Runtime puts it into the default domain.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#SimplifiedLayerNormalization
// Departures: everything is computed in f32, f64 too.
var SimplifiedLayerNormalization = op.Declare("", "SimplifiedLayerNormalization", simplified)

// SimplifiedLayerNormalizationMS is the same in the domain com.microsoft.
var SimplifiedLayerNormalizationMS = op.Declare(domain, "SimplifiedLayerNormalization", simplified)

func simplified() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1},
		Attrs: op.Attrs(op.Int("axis", -1), op.Float("epsilon", 1e-5), op.Int("stash_type", 1)),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			axis, err := c.Axis("axis", len(x))
			if err != nil {
				return err
			}
			if n := x[axis:].Elements(); c.In(1).Elements() != n {
				return errs.New(errs.Shape, "the scale has shape %v, %d numbers expected", c.In(1), n)
			}
			c.SetOutput(0, c.DType(1), x)
			stats := x.Clone()
			for i := axis; i < len(stats); i++ {
				stats[i] = 1
			}
			c.SetOutput(1, tensor.F32, stats)
			return nil
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			axis, err := tensor.Axis(c.Attr.Int("axis"), len(x))
			if err != nil {
				return err
			}
			s := &simplifying{}
			s.rows, s.n, s.simple, s.epsilon = x[:axis].Elements(), x[axis:].Elements(), true, c.Attr.Float("epsilon")
			s.gather = func(row, _ []float32, r int) ([]float32, error) { return rowOf(s.x, r, s.n, row), nil }
			var r op.Room
			s.plan(c, &r, 1)
			r.Need(c)
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*simplifying)
			s.x, s.out, s.inv = c.In(0), c.Out(0), wanted(c, 1)
			return s.run(c, 1, -1)
		},
		DTypes: op.Uniform(struct{}{}, tensor.F32, tensor.F16, tensor.BF16, tensor.F64),
		Also:   map[int][]tensor.DType{1: {tensor.F32, tensor.F16, tensor.BF16, tensor.F64}},
	}
}

// simplifying is the State of a SimplifiedLayerNormalization.
type simplifying struct {
	normalizing
	x *tensor.View
}
