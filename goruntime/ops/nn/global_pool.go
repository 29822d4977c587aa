package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GlobalAveragePool gives the mean of each plane of X [N, C, D...].
// https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html   Departures: none.
var GlobalAveragePool = op.Declare("", "GlobalAveragePool", func() op.Def {
	return globalPool(op.Versions{1: "", 22: "bfloat16"}, nil,
		widened(mean32, globalMean(double)))
})

// GlobalMaxPool gives the largest element of each plane of X [N, C, D...], NaN
// where there is one and the lowest number where the plane is empty.
// https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html   Departures: none.
var GlobalMaxPool = op.Declare("", "GlobalMaxPool", func() op.Def {
	return globalPool(op.Versions{1: "", 22: "bfloat16"}, nil,
		widened(max32, globalMax(double)))
})

// GlobalLpPool gives the p-norm of each plane of X [N, C, D...]. GlobalLpPool1
// is it before version 2, where p may be a fraction.
// https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html   Departures: none.
var (
	GlobalLpPool = op.Declare("", "GlobalLpPool", func() op.Def {
		return globalPool(op.Versions{2: "whole p", 22: "bfloat16"}, op.Attrs(op.Int("p", 2)), globalNorms)
	})
	GlobalLpPool1 = op.Declare("", "GlobalLpPool", func() op.Def {
		return globalPool(op.Versions{1: "p may be a fraction"}, op.Attrs(op.Float("p", 2)), globalNorms)
	})
)

var globalNorms = widened(globalNorm(single), globalNorm(double))

// globalPool declares an operator that makes one number of each plane.
func globalPool(versions op.Versions, attrs []op.Attr, table op.Table) op.Def {
	return op.Widened(op.Def{
		Versions: versions, Attrs: attrs, DTypes: table,
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if len(x) < 2 {
				return errs.New(errs.Shape, "X has shape %v, a rank of 2 or more expected", x)
			}
			out := c.Grow(0, c.DType(0), len(x))
			for i := range out {
				out[i] = 1
			}
			out[0], out[1] = x[0], x[1]
			return nil
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			s := &whole{planes: x[0] * x[1], n: x[2:].Elements()}
			if attrs != nil {
				s.p = order(c)
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*whole)
			s.kernel, s.out, s.in = op.Row[wholeKernel](c), c.Out(0), c.In(0)
			c.For(s.planes, max(1, (64<<10)/max(1, s.n)), s)
			return nil
		},
	})
}

// order returns the attribute p of a norm.
func order(c *op.Context) float64 {
	if c.Version < 2 {
		return float64(c.Attr.Float("p"))
	}
	return float64(c.Attr.Int("p"))
}

// whole is the State of a pooling over whole planes.
type whole struct {
	planes, n int
	p         float64
	kernel    wholeKernel
	out, in   *tensor.View
}

type wholeKernel func(s *whole, lo, hi int)

// Chunk implements op.Task over the planes.
func (s *whole) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func mean32(s *whole, lo, hi int) {
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	vec.Along(vec.Added, out[lo:hi], in[lo*s.n:hi*s.n], s.n, s.n)
	for r := lo; r < hi; r++ {
		out[r] /= float32(s.n)
	}
}

func max32(s *whole, lo, hi int) {
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	vec.Along(vec.Most, out[lo:hi], in[lo*s.n:hi*s.n], s.n, s.n)
}

func globalMean[T any](n number[T]) wholeKernel {
	return func(s *whole, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			sum := 0.0
			for _, x := range in[r*s.n : (r+1)*s.n] {
				sum += n.Widen(x)
			}
			out[r] = n.Narrow(sum / float64(s.n))
		}
	}
}

func globalMax[T any](n number[T]) wholeKernel {
	return func(s *whole, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			top := math.Inf(-1)
			for _, x := range in[r*s.n : (r+1)*s.n] {
				top = max(top, n.Widen(x))
			}
			out[r] = n.Narrow(top)
		}
	}
}

func globalNorm[T any](n number[T]) wholeKernel {
	return func(s *whole, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			sum := 0.0
			for _, x := range in[r*s.n : (r+1)*s.n] {
				sum += power(n.Widen(x), s.p)
			}
			out[r] = n.Narrow(root(sum, s.p))
		}
	}
}

// power returns |x|^p.
func power(x, p float64) float64 {
	switch p {
	case 1:
		return math.Abs(x)
	case 2:
		return x * x
	}
	return math.Pow(math.Abs(x), p)
}

// root returns sum^(1/p).
func root(sum, p float64) float64 {
	switch p {
	case 1:
		return sum
	case 2:
		return math.Sqrt(sum)
	}
	return math.Pow(sum, 1/p)
}
