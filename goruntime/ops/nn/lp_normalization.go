package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LpNormalization divides by the 1-norm or 2-norm along an axis; where that is
// 0, the result is 0.
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html   Departures: none.
var LpNormalization = op.Declare("", "LpNormalization", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "", 22: "bfloat16"},
		Attrs:    op.Attrs(op.Int("axis", -1), op.Int("p", 2)),
		InPlace:  op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if p := c.Attr.Int("p"); p != 1 && p != 2 {
				return errs.New(errs.Argument, "p is %d: it must be 1 or 2", p)
			}
			return softmaxShape(c)
		},
		Prepare: func(c *op.Context) error {
			err := prepareAxis(c, false)
			if err == nil {
				c.State.(*lines).order = float64(c.Attr.Int("p"))
			}
			return err
		},
		Run:    runSoftmax,
		DTypes: widened(lpNormalize32, lpNormalize(double)),
	})
})

// Sums of float32s between these are neither too small nor too great to tell a norm.
const (
	leastSum = 1e-24
	mostSum  = 1e30
)

// lpNormalize32 is by vectors for lines of numbers side by side whose sums float32s hold.
func lpNormalize32(s *lines, lo, hi int) {
	if s.inner != 1 {
		lpNormalizeSlow32(s, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	by := vec.AddedSquares
	if s.order == 1 {
		by = vec.AddedMagnitudes
	}
	for r := lo; r < hi; r++ {
		src := in[r*s.n : (r+1)*s.n]
		sum := added32(by, src)
		if !(sum >= leastSum && sum <= mostSum) {
			lpNormalizeSlow32(s, r, r+1)
			continue
		}
		norm := [1]float32{float32(root(sum, s.order))}
		vec.Combine(vec.Over, out[r*s.n:(r+1)*s.n], src, norm[:])
	}
}

var lpNormalizeSlow32 = lpNormalize(single)

func lpNormalize[T any](n number[T]) softmaxKernel {
	return func(s *lines, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			first, last := s.span(r)
			sum := 0.0
			for i := first; i <= last; i += s.inner {
				sum += power(n.Widen(in[i]), s.order)
			}
			norm := root(sum, s.order)
			for i := first; i <= last; i += s.inner {
				if norm == 0 {
					out[i] = n.Narrow(0)
				} else {
					out[i] = n.Narrow(n.Widen(in[i]) / norm)
				}
			}
		}
	}
}
