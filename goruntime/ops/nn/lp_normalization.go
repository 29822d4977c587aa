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

// lpNormalize32 is by vectors for lines of numbers side by side, and for such lines, whose
// sums float32s hold.
func lpNormalize32(s *lines, lo, hi int) {
	if s.inner != 1 {
		s.normalizeBeside32(lo, hi)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	for r := lo; r < hi; r++ {
		src := in[r*s.n : (r+1)*s.n]
		sum := added32(s.terms(), src)
		if !held(sum) {
			lpNormalizeSlow32(s, r, r+1)
			continue
		}
		norm := [1]float32{float32(root(sum, s.order))}
		vec.Combine(vec.Over, out[r*s.n:(r+1)*s.n], src, norm[:])
	}
}

// terms is what the sum of a norm is of.
func (s *lines) terms() vec.Reduction {
	if s.order == 1 {
		return vec.AddedMagnitudes
	}
	return vec.AddedSquares
}

func held(sum float64) bool { return sum >= leastSum && sum <= mostSum }

// rowsAtOnce is how many numbers of a line are summed before the sum goes to a float64.
const rowsAtOnce = 32

// normalizeBeside32 takes lines that lie side by side together. Lines whose sums float32s
// do not hold are copied first.
func (s *lines) normalizeBeside32(lo, hi int) {
	if s.inner < fewestBeside {
		lpNormalizeSlow32(s, lo, hi)
		return
	}
	var sums [columnBlock]float64
	var parts [columnBlock]float32
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	for lo < hi {
		first, last := s.span(lo)
		n := min(columnBlock, hi-lo, s.inner-lo%s.inner)
		sum, part := sums[:n], parts[:n]
		clear(sum)
		for k := 0; k < s.n; k += rowsAtOnce {
			vec.Across(s.terms(), part, in[first+k*s.inner:], min(rowsAtOnce, s.n-k), s.inner)
			for i, x := range part {
				sum[i] += float64(x)
			}
		}
		for i, x := range sum {
			if part[i] = 1; held(x) {
				part[i] = float32(root(x, s.order))
			}
		}
		for at := first; at <= last; at += s.inner {
			vec.Combine(vec.Over, out[at:at+n], in[at:at+n], part)
		}
		for i, x := range sum {
			if !held(x) {
				lpLine(single, out, out, first+i, last+i, s)
			}
		}
		lo += n
	}
}

var lpNormalizeSlow32 = lpNormalize(single)

func lpNormalize[T any](n number[T]) softmaxKernel {
	return func(s *lines, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			first, last := s.span(r)
			lpLine(n, out, in, first, last, s)
		}
	}
}

// lpLine computes the line from an element to another in float64.
func lpLine[T any](n number[T], out, in []T, first, last int, s *lines) {
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
