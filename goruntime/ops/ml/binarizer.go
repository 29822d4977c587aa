package ml

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Binarizer gives 1 for elements above a threshold and else 0.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html   Departures: none.
var Binarizer = op.Declare(Domain, "Binarizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Attrs: op.Attrs(op.Float("threshold", 0)),
		InPlace: op.FirstOnly,
		Shape:   op.SameAsInput,
		Prepare: func(c *op.Context) error {
			c.State = &binarizer{threshold: c.Attr.Float("threshold")}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*binarizer)
			s.out, s.in, s.kernel = c.Out(0), c.In(0), op.Row[binarizerKernel](c)
			c.For(s.in.Elements(), elementGrain, s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]binarizerKernel{
			tensor.F32: binarize[float32], tensor.F64: binarize[float64], tensor.I64: binarize[int64], tensor.I32: binarize[int32],
		}),
	}
})

// elementGrain is how many elements make a chunk worth handing out.
const elementGrain = 16 << 10

// binarizer is the State.
type binarizer struct {
	threshold float32
	kernel    binarizerKernel
	out, in   *tensor.View
}

type binarizerKernel func(s *binarizer, lo, hi int)

// Chunk implements op.Task over the elements.
func (s *binarizer) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func binarize[T float32 | float64 | int64 | int32](s *binarizer, lo, hi int) {
	dst, threshold := tensor.Elems[T](s.out)[lo:hi], float64(s.threshold)
	for i, x := range tensor.Elems[T](s.in)[lo:hi] {
		var y T
		if float64(x) > threshold {
			y = 1
		}
		dst[i] = y
	}
}
