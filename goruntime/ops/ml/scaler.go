// Package ml holds the operators of the ai.onnx.ml domain.
package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Domain is the domain of the operators in this package.
const Domain = "ai.onnx.ml"

// Scaler gives (x - offset) * scale, with one pair for all features or one for
// each in the last dimension.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html   Departures: none.
var Scaler = op.Declare(Domain, "Scaler", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Attrs: op.Attrs(op.Floats("offset"), op.Floats("scale")),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			for _, name := range []string{"offset", "scale"} {
				if n := len(c.Attr.Floats(name)); n > 1 && (len(x) == 0 || n != x[len(x)-1]) {
					return errs.New(errs.Shape, "%s has %d numbers, X has shape %v: one, or one for each feature expected", name, n, x)
				}
			}
			c.SetOutput(0, tensor.F32, x)
			return nil
		},
		Prepare: func(c *op.Context) error {
			s := &scaling{features: 1}
			if x := c.In(0).Shape; len(x) > 0 {
				s.features, s.rows = x[len(x)-1], op.NewRows(c, 0)
			}
			s.offset, s.scale = repeat(c.Attr.Floats("offset"), s.features, 0), repeat(c.Attr.Floats("scale"), s.features, 1)
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*scaling)
			s.out, s.in, s.kernel = c.Out(0), c.In(0), op.Row[scaleKernel](c)
			switch n := s.in.Elements(); {
			case n == 0:
			case s.rows == nil: // a scalar
				s.kernel(s, tensor.Elems[float32](s.out), s.in)
			default:
				c.For(n/s.features, max(1, elementGrain/s.features), s)
			}
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]scaleKernel{
			tensor.F32: scale32, tensor.F64: scale[float64], tensor.I64: scale[int64], tensor.I32: scale[int32],
		}),
		Columns: op.AnyMatrix,
	}
})

// scaling is the State of a Scaler.
type scaling struct {
	features      int
	rows          *op.Rows // nil for a scalar
	offset, scale []float32
	kernel        scaleKernel
	out, in       *tensor.View
}

// Chunk implements op.Task over the rows.
func (s *scaling) Chunk(lo, hi int) {
	m := s.rows.Take()
	defer s.rows.Give(m)
	for lo < hi {
		n := m.Read(s.in, lo, hi)
		s.kernel(s, tensor.Elems[float32](s.out)[lo*s.features:(lo+n)*s.features], &m.View)
		lo += n
	}
}

// repeat returns a number for each feature, over and over, so that a stretch is long.
func repeat(list []float32, features int, or float32) []float32 {
	if len(list) == 0 {
		list = []float32{or}
	}
	full := make([]float32, features*max(1, 1024/max(1, features)))
	for i := range full {
		full[i] = list[i%len(list)]
	}
	return full
}

// scaleKernel scales whole rows.
type scaleKernel func(s *scaling, dst []float32, in *tensor.View)

func scale32(s *scaling, dst []float32, in *tensor.View) {
	src := tensor.Elems[float32](in)
	for len(dst) > 0 {
		n := min(len(dst), len(s.offset))
		vec.Combine(vec.Minus, dst[:n], src[:n], s.offset[:n])
		vec.Combine(vec.Times, dst[:n], dst[:n], s.scale[:n])
		dst, src = dst[n:], src[n:]
	}
}

func scale[T float64 | int32 | int64](s *scaling, dst []float32, in *tensor.View) {
	src := tensor.Elems[T](in)
	for len(dst) > 0 {
		n := min(len(dst), s.features)
		for i, x := range src[:n] {
			dst[i] = (float32(x) - s.offset[i]) * s.scale[i]
		}
		dst, src = dst[n:], src[n:]
	}
}
