package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Shrink takes bias off numbers above lambd, adds it to those below -lambd and makes
// all others 0. Whole numbers are computed in f64, fractions cut off.
// https://onnx.ai/onnx/operators/onnx__Shrink.html   Departures: none.
var Shrink = op.Declare("", "Shrink", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: ""}, Attrs: op.Attrs(op.Float("bias", 0), op.Float("lambd", 0.5)), InPlace: op.FirstOnly, Shape: op.SameAsInput,
		Prepare: func(c *op.Context) error {
			c.State = &shrinking{bias: c.Attr.Float("bias"), limit: c.Attr.Float("lambd")}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*shrinking)
			s.kernel, s.out, s.in = op.Row[shrinkKernel](c), c.Out(0), c.In(0)
			c.For(s.in.Elements(), grain, s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]shrinkKernel{
			tensor.F32: shrink[float32, float32], tensor.F64: shrink[float64, float64], tensor.F16: shrinkHalf,
			tensor.I8: shrink[int8, float64], tensor.I16: shrink[int16, float64], tensor.I32: shrink[int32, float64], tensor.I64: shrink[int64, float64],
			tensor.U8: shrink[uint8, float64], tensor.U16: shrink[uint16, float64], tensor.U32: shrink[uint32, float64], tensor.U64: shrink[uint64, float64],
		}),
	}
})

// shrinking is the State.
type shrinking struct {
	bias, limit float32
	kernel      shrinkKernel
	out, in     *tensor.View
}

// shrinkKernel computes the elements [lo, hi).
type shrinkKernel func(s *shrinking, lo, hi int)

// Chunk implements op.Task over the elements.
func (s *shrinking) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// shrunk is the function of one number; a NaN is in no part.
func shrunk[A float32 | float64](x, bias, limit A) A {
	switch {
	case x < -limit:
		return x + bias
	case x > limit:
		return x - bias
	}
	return 0
}

func shrink[T number, A float32 | float64](s *shrinking, lo, hi int) {
	dst := tensor.Elems[T](s.out)[lo:hi]
	for i, x := range tensor.Elems[T](s.in)[lo:hi] {
		dst[i] = T(shrunk(A(x), A(s.bias), A(s.limit)))
	}
}

func shrinkHalf(s *shrinking, lo, hi int) {
	dst := tensor.Elems[tensor.Half](s.out)[lo:hi]
	for i, x := range tensor.Elems[tensor.Half](s.in)[lo:hi] {
		dst[i] = tensor.HalfOf(shrunk(x.Float32(), s.bias, s.limit))
	}
}
