package quant

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QLinearSoftmax is Softmax on quantized numbers, by the rules of the opset that
// an attribute names: before 13 all dimensions from axis on are one.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSoftmax
// Departures: none.
var QLinearSoftmax = op.Declare(microsoft, "QLinearSoftmax", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 3},
		Attrs: op.Attrs(op.Int("axis", -1), op.Required("opset", op.KindInt)),
		Shape: func(c *op.Infer) error {
			if err := singleScalings(c, 1, 2, 3, 4); err != nil {
				return err
			}
			if _, err := c.Axis("axis", max(1, len(c.In(0)))); err != nil {
				return err
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			s := &softmax{outer: 1, n: 1, inner: 1}
			if len(x) > 0 {
				axis, err := tensor.Axis(c.Attr.Int("axis"), len(x))
				if err != nil {
					return err
				}
				s.outer, s.n, s.inner = x.Around(axis)
				if c.Attr.Int("opset") < 13 {
					s.n, s.inner = s.n*s.inner, 1
				}
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s, d := c.State.(*softmax), c.In(0).DType
			in := scalingOf(c, d, 1, 2)
			s.out, s.signed = scalingOf(c, d, 3, 4), d == tensor.I8
			for i := range s.powers {
				s.powers[i] = float32(math.Exp(float64(in.scale) * float64(i-255)))
			}
			s.x, s.y = c.In(0).Raw(), c.Out(0).Raw()
			c.For(s.outer*s.inner, max(1, 16<<10/max(1, s.n)), s)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also:   alsoScaled([]int{2, 4}, 1, 3),
	}
})

// softmax is the State of a QLinearSoftmax: lines of n bytes, inner apart.
type softmax struct {
	outer, n, inner int
	out             scaling
	signed          bool
	powers          [256]float32 // of the number that lies 255-i below the greatest
	x, y            []uint8
}

// Chunk implements op.Task over lines.
func (s *softmax) Chunk(lo, hi int) {
	flip := uint8(0)
	if s.signed {
		flip = 0x80
	}
	for l := lo; l < hi; l++ {
		from := l/s.inner*s.n*s.inner + l%s.inner
		to := from + s.n*s.inner
		top, sum := uint8(0), float32(0)
		for i := from; i < to; i += s.inner {
			top = max(top, s.x[i]^flip)
		}
		for i := from; i < to; i += s.inner {
			sum += s.powers[255-int(top-(s.x[i]^flip))]
		}
		for i := from; i < to; i += s.inner {
			s.y[i] = s.out.code(s.powers[255-int(top-(s.x[i]^flip))] / sum / s.out.scale)
		}
	}
}
