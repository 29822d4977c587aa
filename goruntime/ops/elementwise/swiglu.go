package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SwiGLU multiplies B by Swish of A: A * sigmoid(alpha * A) * B.
// https://onnx.ai/onnx/operators/onnx__SwiGLU.html   Departures: none.
var SwiGLU = op.Declare("", "SwiGLU", func() op.Def {
	return op.Def{
		Versions: op.Versions{28: ""}, Attrs: op.Attrs(op.Float("alpha", 1)), InPlace: op.AnyInput,
		Shape: func(c *op.Infer) error {
			if !c.In(0).Equal(c.In(1)) {
				return errs.New(errs.Shape, "A has shape %v, B has shape %v: they must be equal", c.In(0), c.In(1))
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			c.State = &gating{alpha: c.Attr.Float("alpha")}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*gating)
			s.kernel, s.out, s.a, s.b = op.Row[gateSpan](c), c.Out(0), c.In(0), c.In(1)
			c.For(s.out.Elements(), grain, s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]gateSpan{
			tensor.F32: gate32, tensor.F64: gateOf(func(x float64) float64 { return x }, func(y float64) float64 { return y }),
			tensor.F16:  gateOf(func(h tensor.Half) float64 { return float64(h.Float32()) }, tensor.HalfOf64),
			tensor.BF16: gateOf(func(h tensor.BFloat16) float64 { return float64(h.Float32()) }, tensor.BFloat16Of64),
		}),
	}
})

// gating is the State of a SwiGLU.
type gating struct {
	alpha     float32
	kernel    gateSpan
	out, a, b *tensor.View
}

// gateSpan computes the output elements [lo, hi).
type gateSpan func(s *gating, lo, hi int)

// Chunk implements op.Task over the elements.
func (s *gating) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// gate32 works in blocks of the stack, since the output may be either input.
func gate32(s *gating, lo, hi int) {
	dst, a, b := tensor.Elems[float32](s.out)[lo:hi], tensor.Elems[float32](s.a)[lo:hi], tensor.Elems[float32](s.b)[lo:hi]
	var room [block]float32
	for len(a) > 0 {
		part := room[:min(block, len(a))]
		for i := range part {
			part[i] = s.alpha * a[i]
		}
		n := len(part)
		vec.Apply(vec.Logistic, part, part)
		vec.Combine(vec.Times, part, part, a[:n])
		vec.Combine(vec.Times, dst[:n], part, b[:n])
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}

func gateOf[T any](widen func(T) float64, narrow func(float64) T) gateSpan {
	return func(s *gating, lo, hi int) {
		dst, a, b := tensor.Elems[T](s.out)[lo:hi], tensor.Elems[T](s.a)[lo:hi], tensor.Elems[T](s.b)[lo:hi]
		for i, x := range a {
			dst[i] = narrow(swish(widen(x), float64(s.alpha), 0) * widen(b[i]))
		}
	}
}
