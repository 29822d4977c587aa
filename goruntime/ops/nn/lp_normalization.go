package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LpNormalization divides by the 1-norm or 2-norm along an axis; where that is
// 0, the result is 0.
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html   Departures: none.
var LpNormalization = op.Declare("", "LpNormalization", func() op.Def {
	return op.Def{
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
		DTypes: floats(lpNormalize(single), lpNormalize(double), lpNormalize(half), lpNormalize(brain)),
	}
})

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
