package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LRN divides each element of X [N, C, D...] by
// (bias + alpha/size * sum of squares)^beta, the sum going over size channels
// around its own.
// https://onnx.ai/onnx/operators/onnx__LRN.html   Departures: none.
var LRN = op.Declare("", "LRN", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "", 13: "bfloat16"},
		Attrs: op.Attrs(op.Float("alpha", 0.0001), op.Float("beta", 0.75), op.Float("bias", 1),
			op.Required("size", op.KindInt)),
		Shape: func(c *op.Infer) error {
			if len(c.In(0)) < 2 {
				return errs.New(errs.Shape, "X has shape %v, a rank of 2 or more expected", c.In(0))
			}
			if n := c.Attr.Int("size"); n < 1 {
				return errs.New(errs.Argument, "size is %d: it must be positive", n)
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			x, size := c.In(0).Shape, c.Attr.Int("size")
			c.State = &lrn{
				images: x[0], channels: x[1], plane: x[2:].Elements(), before: (size - 1) / 2, after: size / 2,
				alpha: c.Attr.Float("alpha") / float32(size), beta: c.Attr.Float("beta"), bias: c.Attr.Float("bias"),
			}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*lrn)
			s.kernel, s.out, s.in = op.Row[lrnKernel](c), c.Out(0), c.In(0)
			c.For(s.images*s.blocks(), max(1, (16<<10)/max(1, s.channels*min(blockSize, s.plane))), s)
			return nil
		},
		DTypes: widened(lrn32, lrnOf(double)),
	})
})

// lrn is the State of an LRN.
type lrn struct {
	images, channels, plane, before, after int
	alpha, beta, bias                      float32
	kernel                                 lrnKernel
	out, in                                *tensor.View
}

type lrnKernel func(s *lrn, lo, hi int)

func (s *lrn) blocks() int { return (s.plane + blockSize - 1) / blockSize }

// Chunk implements op.Task over blocks of pixels.
func (s *lrn) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// block returns where block r begins in channel 0 of its image, and its length.
func (s *lrn) block(r int) (at, n int) {
	first := r % s.blocks() * blockSize
	return r/s.blocks()*s.channels*s.plane + first, min(blockSize, s.plane-first)
}

// window returns the channels [lo, hi) whose squares count for channel c.
func (s *lrn) window(c int) (lo, hi int) { return max(0, c-s.before), min(s.channels, c+s.after+1) }

func lrnOf[T any](n number[T]) lrnKernel {
	return func(s *lrn, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			at, count := s.block(r)
			for c := range s.channels {
				first, last := s.window(c)
				for i := at; i < at+count; i++ {
					sum := 0.0
					for k := first; k < last; k++ {
						x := n.Widen(in[i+k*s.plane])
						sum += x * x
					}
					x := n.Widen(in[i+c*s.plane])
					out[i+c*s.plane] = n.Narrow(x / math.Pow(float64(s.bias)+float64(s.alpha)*sum, float64(s.beta)))
				}
			}
		}
	}
}

func lrn32(s *lrn, lo, hi int) {
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	var sums, square [blockSize]float32
	k := [3]float32{s.alpha, s.bias, -s.beta}
	for r := lo; r < hi; r++ {
		at, n := s.block(r)
		for c := range s.channels {
			first, last := s.window(c)
			sum, room := sums[:n], square[:n]
			clear(sum)
			for i := first; i < last; i++ {
				x := in[at+i*s.plane:][:n]
				vec.Combine(vec.Times, room, x, x)
				vec.Combine(vec.Plus, sum, sum, room)
			}
			vec.Combine(vec.Times, sum, sum, k[:1])
			vec.Combine(vec.Plus, sum, sum, k[1:2])
			dst, x := out[at+c*s.plane:][:n], in[at+c*s.plane:][:n]
			if s.beta == 0.75 {
				vec.Apply(vec.SquareRoot, sum, sum)
				vec.Apply(vec.SquareRoot, room, sum)
				vec.Combine(vec.Times, sum, sum, room)
				vec.Combine(vec.Over, dst, x, sum)
				continue
			}
			vec.Apply(vec.Logarithm, sum, sum)
			vec.Combine(vec.Times, sum, sum, k[2:])
			vec.Apply(vec.Exponential, sum, sum)
			vec.Combine(vec.Times, dst, x, sum)
		}
	}
}
