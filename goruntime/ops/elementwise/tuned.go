package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// tuned is the State of an operator on one input with at most two parameters.
type tuned struct {
	alpha, beta float32
	kernel      tunedSpan
	out, in     *tensor.View
}

// tunedSpan computes the output elements [lo, hi).
type tunedSpan func(s *tuned, lo, hi int)

// Chunk implements op.Task over the elements.
func (s *tuned) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// parametric declares an operator that maps each element of one input by a
// function with the parameters alpha and beta, which are float attributes.
func parametric(versions op.Versions, table op.Table, alpha, beta *op.Attr, more ...op.Attr) op.Def {
	attrs := more
	for _, a := range []*op.Attr{alpha, beta} {
		if a != nil {
			attrs = append(attrs, *a)
		}
	}
	return op.Def{
		Versions: versions, InPlace: op.FirstOnly, Shape: op.SameAsInput, DTypes: table, Attrs: attrs, Halves: op.RoundedHalves,
		Prepare: func(c *op.Context) error {
			s := &tuned{}
			if alpha != nil {
				s.alpha = c.Attr.Float(alpha.Name)
			}
			if beta != nil {
				s.beta = c.Attr.Float(beta.Name)
			}
			c.State = s
			return nil
		},
		Run: runTuned,
	}
}

func runTuned(c *op.Context) error {
	s := c.State.(*tuned)
	s.kernel, s.out, s.in = op.Row[tunedSpan](c), c.Out(0), c.In(0)
	c.For(s.out.Elements(), grain, s)
	return nil
}

// parameter is a float attribute that parametric hands to the function.
func parameter(name string, def float32) *op.Attr {
	a := op.Float(name, def)
	return &a
}

// tunedFloats is a table for the floating-point types: f64 by the function, the others by
// a kernel of float32s, which may write over what it reads, or, where that is nil, by the
// function.
func tunedFloats(f func(x, alpha, beta float64) float64, kernel func(s *tuned, dst, src []float32)) op.Table {
	f64 := op.ByType(map[tensor.DType]tunedSpan{
		tensor.F64: tunedOf(func(x float64) float64 { return x }, func(y float64) float64 { return y }, f),
	})
	if kernel == nil {
		return f64.And(op.ByType(map[tensor.DType]tunedSpan{
			tensor.F32:  tunedOf(func(x float32) float64 { return float64(x) }, func(y float64) float32 { return float32(y) }, f),
			tensor.F16:  tunedOf(wide[tensor.Half], func(y float64) tensor.Half { return tensor.HalfOf(float32(y)) }, f),
			tensor.BF16: tunedOf(wide[tensor.BFloat16], func(y float64) tensor.BFloat16 { return tensor.BFloat16Of(float32(y)) }, f),
		}))
	}
	return f64.And(op.ByType(map[tensor.DType]tunedSpan{
		tensor.F32: func(s *tuned, lo, hi int) {
			kernel(s, tensor.Elems[float32](s.out)[lo:hi], tensor.Elems[float32](s.in)[lo:hi])
		},
		tensor.F16: tunedHalf[tensor.Half](kernel), tensor.BF16: tunedHalf[tensor.BFloat16](kernel),
	}))
}

func tunedHalf[H cast.Half](kernel func(s *tuned, dst, src []float32)) tunedSpan {
	return func(s *tuned, lo, hi int) {
		cast.Through(kernel, s, tensor.Elems[H](s.out)[lo:hi], tensor.Elems[H](s.in)[lo:hi])
	}
}

func tunedOf[T any](widen func(T) float64, narrow func(float64) T, f func(x, alpha, beta float64) float64) tunedSpan {
	return func(s *tuned, lo, hi int) {
		dst, src := tensor.Elems[T](s.out)[lo:hi], tensor.Elems[T](s.in)[lo:hi]
		alpha, beta := float64(s.alpha), float64(s.beta)
		for i, x := range src {
			dst[i] = narrow(f(widen(x), alpha, beta))
		}
	}
}
