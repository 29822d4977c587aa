package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RMSNormalization gives x / sqrt(mean of squares + epsilon) * scale over all
// dimensions from axis on. The output has the type of scale.
// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html   Departures: none.
// The mean is at least as wide as stash_type asks for.
var RMSNormalization = op.Declare("", "RMSNormalization", func() op.Def {
	return op.Def{
		Versions: op.Versions{23: ""},
		Attrs:    op.Attrs(op.Int("axis", -1), op.Float("epsilon", 1e-5), op.Int("stash_type", 1)),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if _, err := c.Axis("axis", len(x)); err != nil {
				return err
			}
			if t := tensor.DType(c.Attr.Int("stash_type")); !contains(floatTypes, t) {
				return errs.New(errs.Argument, "stash_type is %d: it must be a floating-point type", int(t))
			}
			full, err := op.BroadcastShape(c.Grow(0, c.DType(1), 0), x, c.In(1))
			if err != nil || !full.Equal(x) {
				return errs.New(errs.Shape, "scale has shape %v, which does not broadcast to %v", c.In(1), x)
			}
			c.SetOutput(0, c.DType(1), x)
			return nil
		},
		Prepare: func(c *op.Context) error {
			x, p := c.In(0).Shape, c.In(1).Shape
			axis, err := tensor.Axis(c.Attr.Int("axis"), len(x))
			if err != nil {
				return err
			}
			s := &rms{rows: x[:axis].Elements(), n: x[axis:].Elements(), epsilon: float64(c.Attr.Float("epsilon")), step: spread(p, x)}
			s.narrow = c.In(0).DType == tensor.F32 && c.In(1).DType == tensor.F32 && p.Elements() == s.n && tailEqual(p, x)
			c.State = s
			if !s.narrow {
				c.NeedWorkspace(8 * (x.Elements() + p.Elements()))
			}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*rms)
			if s.narrow {
				s.out32, s.in32, s.scale32 = tensor.Elems[float32](c.Out(0)), tensor.Elems[float32](c.In(0)), tensor.Elems[float32](c.In(1))
				c.For(s.rows, max(1, (16<<10)/max(1, s.n)), s)
				return nil
			}
			work := op.WorkspaceOf[float64](c)
			s.x, s.scale = work[:s.rows*s.n], work[s.rows*s.n:]
			wide.Load[c.In(0).DType](s.x, c.In(0))
			wide.Load[c.In(1).DType](s.scale, c.In(1))
			c.For(s.rows, max(1, (8<<10)/max(1, s.n)), s)
			wide.Store[c.Out(0).DType](c.Out(0), s.x)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, floatTypes...),
		Also:   map[int][]tensor.DType{1: floatTypes},
	}
})

// rms is the State of an RMSNormalization: on float32 where all is f32 and scale
// is one row, else on float64 copies.
type rms struct {
	rows, n              int
	epsilon              float64
	step                 rowStep
	narrow               bool
	out32, in32, scale32 []float32
	x, scale             []float64
}

// Chunk implements op.Task over the rows.
func (s *rms) Chunk(lo, hi int) {
	if s.narrow && s.n <= squaresAtOnce {
		vec.NormalizeSquares(s.out32[lo*s.n:hi*s.n], s.in32[lo*s.n:hi*s.n], s.scale32, nil, float32(s.epsilon))
		return
	}
	for r := lo; r < hi; r++ {
		if s.narrow {
			s.row32(s.out32[r*s.n:(r+1)*s.n], s.in32[r*s.n:(r+1)*s.n])
			continue
		}
		x, square := s.x[r*s.n:(r+1)*s.n], 0.0
		for _, v := range x {
			square += v * v
		}
		inv := 1 / math.Sqrt(square/float64(s.n)+s.epsilon)
		for i := range x {
			x[i] *= inv * s.scale[s.step.at(r, s.n, i)]
		}
	}
}

// squaresAtOnce is how many squares are added in f32.
const squaresAtOnce = 4096

func (s *rms) row32(dst, src []float32) {
	var part [1]float32
	square := 0.0
	for i := 0; i < s.n; i += squaresAtOnce {
		vec.Along(vec.AddedSquares, part[:], src[i:], min(squaresAtOnce, s.n-i), 0)
		square += float64(part[0])
	}
	inv := [1]float32{float32(1 / math.Sqrt(square/float64(s.n)+s.epsilon))}
	vec.Combine(vec.Times, dst, src, inv[:])
	vec.Combine(vec.Times, dst, dst, s.scale32)
}
