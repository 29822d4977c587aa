package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// optional returns the elements of input i, nil where it is not given.
func optional[T any](c *op.Context, i int) []T {
	if !c.Has(i) {
		return nil
	}
	return tensor.Elems[T](c.In(i))
}

type recurrentKernel func(c *op.Context, s *recurrence) error

func recurrentRun(c *op.Context) error {
	s := c.State.(*recurrence)
	s.lens = optional[int32](c, 4)
	for _, n := range s.lens {
		if n < 0 || int(n) > s.steps {
			return errs.New(errs.Compute, "a sequence length is %d: it must lie in [0, %d]", n, s.steps)
		}
	}
	return op.Row[recurrentKernel](c)(c, s)
}

// recurrentKernels is the table of RNN, GRU and LSTM.
var recurrentKernels = widened(recurrent32, recurrentWide(double))

func recurrent32(c *op.Context, s *recurrence) error {
	s.x, s.w, s.r = tensor.Elems[float32](c.In(0)), tensor.Elems[float32](c.In(1)), tensor.Elems[float32](c.In(2))
	s.b, s.h0, s.c0, s.p = optional[float32](c, 3), optional[float32](c, 5), optional[float32](c, 6), optional[float32](c, 7)
	s.work = op.WorkspaceOf[float32](c)
	for i, dst := range [...]*[]float32{&s.y, &s.yh, &s.yc} {
		*dst = nil
		if c.Wants(i) {
			*dst = tensor.Elems[float32](c.Out(i))
		}
	}
	s.run(c)
	return nil
}

// recurrentWide runs the float32 kernel on converted inputs.
func recurrentWide[T any](n number[T]) recurrentKernel {
	return func(c *op.Context, s *recurrence) (err error) {
		for i, dst := range [...]*[]float32{&s.x, &s.w, &s.r, &s.b, nil, &s.h0, &s.c0, &s.p} {
			if dst == nil || !c.Has(i) {
				continue
			}
			src := tensor.Elems[T](c.In(i))
			if *dst, err = op.Temporary[float32](c, len(src)); err != nil {
				return err
			}
			for k, v := range src {
				(*dst)[k] = float32(n.Widen(v))
			}
		}
		if s.work, err = op.Temporary[float32](c, s.workFloats()); err != nil {
			return err
		}
		outs := [...]*[]float32{&s.y, &s.yh, &s.yc}
		for i, dst := range outs {
			if c.Wants(i) {
				if *dst, err = op.Temporary[float32](c, c.Out(i).Elements()); err != nil {
					return err
				}
			}
		}
		s.run(c)
		for i, src := range outs {
			if c.Wants(i) {
				out := tensor.Elems[T](c.Out(i))
				for k, v := range *src {
					out[k] = n.Narrow(float64(v))
				}
			}
		}
		return nil
	}
}

// bound applies clip.
func (s *recurrence) bound(x float32) float32 {
	if s.clip > 0 {
		return float32(math.Max(math.Min(float64(x), float64(s.clip)), -float64(s.clip)))
	}
	return x
}
