package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// CausalConvWithState convolves each channel of the input [B, C, L], which
// continues past_state, with a filter of its own that looks back only; the last
// elements are the state for the next call.
// https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html   Departures: none.
var CausalConvWithState = op.Declare("", "CausalConvWithState", func() op.Def {
	return op.Def{
		Versions: op.Versions{27: ""},
		Attrs:    op.Attrs(op.String("activation", "none")),
		Shape: func(c *op.Infer) error {
			x, w := c.In(0), c.In(1)
			if len(x) != 3 || len(w) != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1 {
				return errs.New(errs.Shape, "the input has shape %v, the weight %v: [B, C, L] and [C, 1, k] expected", x, w)
			}
			if c.Has(2) && !c.In(2).Equal(x[1:2]) {
				return errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(2), x[1])
			}
			state := tensor.Shape{x[0], x[1], w[2] - 1}
			if c.Has(3) && !c.In(3).Equal(state) {
				return errs.New(errs.Shape, "past_state has shape %v, %v expected", c.In(3), state)
			}
			switch a := c.Attr.Str("activation"); a {
			case "none", "silu", "swish":
			default:
				return errs.New(errs.Argument, "activation %q is none of none, silu, swish", a)
			}
			c.SetOutput(0, c.DType(0), x)
			c.SetOutput(1, c.DType(0), state)
			return nil
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			c.State = &causal{images: x[0], channels: x[1], n: x[2], k: c.In(1).Shape[2], silu: c.Attr.Str("activation") != "none"}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*causal)
			s.kernel, s.out, s.in, s.w, s.bias, s.past, s.present = op.Row[causalKernel](c), c.Out(0), c.In(0), c.In(1), nil, nil, nil
			if c.Has(2) {
				s.bias = c.In(2)
			}
			if c.Has(3) {
				s.past = c.In(3)
			}
			if c.Wants(1) {
				s.present = c.Out(1)
			}
			c.For(s.images*s.channels, max(1, (16<<10)/max(1, s.n*s.k)), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]causalKernel{tensor.F32: causal32, tensor.F16: causalOf(half), tensor.BF16: causalOf(brain)}),
	}
})

// causal is the State of a CausalConvWithState.
type causal struct {
	images, channels, n, k          int
	silu                            bool
	kernel                          causalKernel
	out, in, w, bias, past, present *tensor.View
}

type causalKernel func(s *causal, lo, hi int)

// Chunk implements op.Task over the channels of all images.
func (s *causal) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// channel is one channel of a CausalConvWithState.
type channel[T any] struct{ out, x, w, past, present []T }

// channelOf returns channel r, counted through the images, and its bias.
func channelOf[T any](s *causal, r int) (c channel[T], bias []T) {
	c = channel[T]{out: tensor.Elems[T](s.out)[r*s.n : (r+1)*s.n], x: tensor.Elems[T](s.in)[r*s.n : (r+1)*s.n]}
	c.w = tensor.Elems[T](s.w)[r%s.channels*s.k:][:s.k]
	if s.past != nil {
		c.past = tensor.Elems[T](s.past)[r*(s.k-1):][:s.k-1]
	}
	if s.present != nil {
		c.present = tensor.Elems[T](s.present)[r*(s.k-1):][:s.k-1]
	}
	if s.bias != nil {
		bias = tensor.Elems[T](s.bias)[r%s.channels:][:1]
	}
	return c, bias
}

// keep stores the state for the next call.
func (c *channel[T]) keep() {
	for j := range c.present {
		c.present[j] = before(c.past, c.x, len(c.x)+j-len(c.present))
	}
}

func causalOf[T any](n number[T]) causalKernel {
	return func(s *causal, lo, hi int) {
		for r := lo; r < hi; r++ {
			c, bias := channelOf[T](s, r)
			for t := range c.out {
				sum := 0.0
				for _, b := range bias {
					sum = n.Widen(b)
				}
				for j, f := range c.w {
					sum += n.Widen(f) * n.Widen(before(c.past, c.x, t+j-s.k+1))
				}
				if s.silu {
					sum /= 1 + math.Exp(-sum)
				}
				c.out[t] = n.Narrow(sum)
			}
			c.keep()
		}
	}
}

// causal32 sums the first outputs, which reach into the past, one by one, and
// the others tap by tap with vectors.
func causal32(s *causal, lo, hi int) {
	for r := lo; r < hi; r++ {
		c, bias := channelOf[float32](s, r)
		start := float32(0)
		for _, b := range bias {
			start = b
		}
		lead := min(s.n, s.k-1)
		for t := range c.out[:lead] {
			sum := start
			for j, f := range c.w {
				sum += f * before(c.past, c.x, t+j-s.k+1)
			}
			c.out[t] = sum
		}
		rest := c.out[lead:]
		set(rest, start)
		for j := 0; j < s.k && len(rest) > 0; j++ {
			axpy(rest, c.x[j:], c.w[j:j+1])
		}
		if s.silu {
			silu32(c.out)
		}
		c.keep()
	}
}

// axpy adds f times src to dst.
func axpy(dst, src, f []float32) {
	var room [blockSize]float32
	for i := 0; i < len(dst); i += len(room) {
		n := min(len(room), len(dst)-i)
		vec.Combine(vec.Times, room[:n], src[i:i+n], f)
		vec.Combine(vec.Plus, dst[i:i+n], dst[i:i+n], room[:n])
	}
}

// silu32 writes x * sigmoid(x) over x.
func silu32(x []float32) {
	var room [blockSize]float32
	for i := 0; i < len(x); i += len(room) {
		part := x[i:min(len(x), i+len(room))]
		vec.Apply(vec.Logistic, room[:len(part)], part)
		vec.Combine(vec.Times, part, part, room[:len(part)])
	}
}

// before returns element t of x, which past precedes, and zeros all.
func before[T any](past, x []T, t int) T {
	var zero T
	switch {
	case t >= 0:
		return x[t]
	case len(past)+t >= 0:
		return past[len(past)+t]
	}
	return zero
}
