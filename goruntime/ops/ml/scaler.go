// Package ml holds the operators of the ai.onnx.ml domain.
package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Domain is the domain of the operators in this package.
const Domain = "ai.onnx.ml"

// Scaler gives (x - offset) * scale, with one pair for all features or one for
// each in the last dimension.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html   Departures: none.
var Scaler = op.Declare(op.Def{
	Name: "Scaler", Domain: Domain, Versions: op.Versions{1: ""}, Attrs: op.Attrs(op.Floats("offset"), op.Floats("scale")),
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
		x := c.In(0).Shape
		s := &scaling{features: 1}
		if len(x) > 0 {
			s.features = x[len(x)-1]
		}
		s.offset, s.scale = repeat(c.Attr.Floats("offset"), s.features, 0), repeat(c.Attr.Floats("scale"), s.features, 1)
		c.State = s
		return nil
	},
	Run: func(c *op.Context) error {
		s := c.State.(*scaling)
		if c.Out(0).Elements() > 0 {
			op.Row[scaleKernel](c)(s, c.Out(0), c.In(0))
		}
		return nil
	},
	DTypes: op.ByType(map[tensor.DType]scaleKernel{
		tensor.F32: scale[float32], tensor.F64: scale[float64], tensor.I64: scale[int64], tensor.I32: scale[int32],
	}),
})

// scaling is the State of a Scaler.
type scaling struct {
	features      int
	offset, scale []float32
}

// repeat returns a number for each feature.
func repeat(list []float32, n int, or float32) []float32 {
	if len(list) == n {
		return list
	}
	if len(list) > 0 {
		or = list[0]
	}
	full := make([]float32, n)
	for i := range full {
		full[i] = or
	}
	return full
}

type scaleKernel func(s *scaling, out, in *tensor.View)

func scale[T float32 | float64 | int32 | int64](s *scaling, out, in *tensor.View) {
	dst, src := tensor.Elems[float32](out), tensor.Elems[T](in)
	for len(dst) > 0 {
		for i := range s.offset {
			dst[i] = (float32(src[i]) - s.offset[i]) * s.scale[i]
		}
		dst, src = dst[s.features:], src[s.features:]
	}
}
