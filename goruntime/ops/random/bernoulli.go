package random

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Bernoulli draws 1 with the probability that the input gives, and else 0.
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html   Departures: none.
var Bernoulli = op.Declare("", "Bernoulli", func() op.Def {
	return op.Def{
		Versions: op.Versions{15: "", 22: "bfloat16"}, Attrs: op.Attrs(op.Optional("dtype", op.KindInt), op.Optional("seed", op.KindFloat)),
		Random: true, Shape: likeShape, Key: op.KeyOutput,
		Prepare: func(c *op.Context) error {
			if op.Row[coinRow](c)[c.In(0).DType] == nil {
				return errs.New(errs.Unsupported, "probabilities of type %v are not supported", c.In(0).DType)
			}
			c.State = &coins{}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*coins)
			s.stream, s.kernel, s.out, s.in = streamOf(c.Attr), op.Row[coinRow](c)[c.In(0).DType], c.Out(0), c.In(0)
			c.For(s.in.Elements(), drawGrain, s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]coinRow{
			tensor.F32: coinsOf[float32](1), tensor.F64: coinsOf[float64](1), tensor.F16: coinsOf(tensor.HalfOf(1)), tensor.BF16: coinsOf(tensor.BFloat16Of(1)), tensor.Bool: coinsOf(true),
			tensor.I8: coinsOf[int8](1), tensor.I16: coinsOf[int16](1), tensor.I32: coinsOf[int32](1), tensor.I64: coinsOf[int64](1),
			tensor.U8: coinsOf[uint8](1), tensor.U16: coinsOf[uint16](1), tensor.U32: coinsOf[uint32](1), tensor.U64: coinsOf[uint64](1),
		}),
	}
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
	kernel  coinKernel
	out, in *tensor.View
}

// coinKernel draws the elements [lo, hi).
type coinKernel func(s *coins, lo, hi int)

// Chunk implements op.Task over the elements.
func (s *coins) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// coinRow has the kernel of one output type for each type of probabilities.
type coinRow [tensor.NumDTypes]coinKernel

func coinsOf[T any](one T) coinRow {
	return coinRow{
		tensor.F32: toss(one, func(p float32) float64 { return float64(p) }), tensor.F64: toss(one, func(p float64) float64 { return p }),
		tensor.F16: toss(one, func(p tensor.Half) float64 { return float64(p.Float32()) }), tensor.BF16: toss(one, func(p tensor.BFloat16) float64 { return float64(p.Float32()) }),
	}
}

func toss[T, P any](one T, value func(P) float64) coinKernel {
	return func(s *coins, lo, hi int) {
		var room [batch]uint32
		for lo < hi {
			w := room[:min(batch, hi-lo)]
			s.stream.fill(w, lo)
			dst, p := tensor.Elems[T](s.out)[lo:lo+len(w)], tensor.Elems[P](s.in)[lo:lo+len(w)]
			clear(dst)
			for i, u := range w {
				if float64(u)*(1.0/(1<<32)) < value(p[i]) {
					dst[i] = one
				}
			}
			lo += len(w)
		}
	}
}
