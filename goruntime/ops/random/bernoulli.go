package random

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Bernoulli draws 1 with the probability that the input gives, and else 0.
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html   Departures: none.
var Bernoulli = op.Declare(op.Def{
	Name: "Bernoulli", Versions: op.Versions{15: "", 22: "bfloat16"}, Attrs: op.Attrs(op.Optional("dtype", op.KindInt), op.Optional("seed", op.KindFloat)),
	Random: true, Shape: likeShape, Key: op.KeyOutput,
	Prepare: func(c *op.Context) error {
		f := readers[c.In(0).DType]
		if f == nil {
			return errs.New(errs.Unsupported, "probabilities of type %v are not supported", c.In(0).DType)
		}
		c.State = &coins{read: f}
		return nil
	},
	Run: func(c *op.Context) error {
		s := c.State.(*coins)
		s.stream, s.kernel, s.out, s.in = streamOf(c.Attr), op.Row[coinKernel](c), c.Out(0), c.In(0)
		c.For(s.in.Elements(), drawGrain, s)
		return nil
	},
	DTypes: op.ByType(map[tensor.DType]coinKernel{
		tensor.F32: toss[float32](1), tensor.F64: toss[float64](1), tensor.F16: toss(tensor.HalfOf(1)), tensor.BF16: toss(tensor.BFloat16Of(1)), tensor.Bool: toss(true),
		tensor.I8: toss[int8](1), tensor.I16: toss[int16](1), tensor.I32: toss[int32](1), tensor.I64: toss[int64](1),
		tensor.U8: toss[uint8](1), tensor.U16: toss[uint16](1), tensor.U32: toss[uint32](1), tensor.U64: toss[uint64](1),
	}),
})

// reader returns element i of a tensor of floats.
type reader func(v *tensor.View, i int) float64

var readers = [tensor.NumDTypes]reader{
	tensor.F32:  func(v *tensor.View, i int) float64 { return float64(tensor.Elems[float32](v)[i]) },
	tensor.F64:  func(v *tensor.View, i int) float64 { return tensor.Elems[float64](v)[i] },
	tensor.F16:  func(v *tensor.View, i int) float64 { return float64(tensor.Elems[tensor.Half](v)[i].Float32()) },
	tensor.BF16: func(v *tensor.View, i int) float64 { return float64(tensor.Elems[tensor.BFloat16](v)[i].Float32()) },
}

// coins is the State.
type coins struct {
	stream  stream
	read    reader
	kernel  coinKernel
	out, in *tensor.View
}

// coinKernel draws the elements [lo, hi).
type coinKernel func(s *coins, lo, hi int)

// Chunk implements op.Task over the elements.
func (s *coins) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func toss[T any](one T) coinKernel {
	return func(s *coins, lo, hi int) {
		dst, w := tensor.Elems[T](s.out)[lo:hi], s.stream.from(lo)
		clear(dst)
		for i := range dst {
			if float64(w.word())*(1.0/(1<<32)) < s.read(s.in, lo+i) {
				dst[i] = one
			}
		}
	}
}
