package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LogSoftmax gives x - max - log(sum(exp(x - max))) along an axis.
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html   Departures: none.
var LogSoftmax, LogSoftmax1 = op.DeclareTwo("", "LogSoftmax", func() (now, legacy op.Def) {
	return alongAxis(widened(logSoftmax32, logSoftmaxOf(double)))
})

// logBlock is how many exponentials are computed at a time.
const logBlock = 2048

func logSoftmax32(s *lines, lo, hi int) {
	if s.inner != 1 {
		s.columns32(lo, hi, logSoftmaxSlow32, logSoftmaxBlock32)
		return
	}
	if s.n > logBlock {
		for r := lo; r < hi; r++ {
			s.longLog32(r)
		}
		return
	}
	var room, rows [logBlock]float32
	for together := max(1, logBlock/s.n); lo < hi; lo += together {
		s.logs32(lo, min(together, hi-lo), room[:], rows[:])
	}
}

// logs32 computes some lines, which have room together.
func (s *lines) logs32(r, many int, room, rows []float32) {
	dst, src := tensor.Elems[float32](s.out)[r*s.n:(r+many)*s.n], tensor.Elems[float32](s.in)[r*s.n:(r+many)*s.n]
	x, row := room[:len(dst)], rows[:many]
	vec.Along(vec.Most, row, src, s.n, s.n)
	vec.CombineRows(vec.Minus, dst, src, row, false)
	vec.Apply(vec.Exponential, x, dst)
	vec.Along(vec.Added, row, x, s.n, s.n)
	vec.Apply(vec.Logarithm, row, row)
	vec.CombineRows(vec.Minus, dst, dst, row, false)
}

// longLog32 computes line r, the exponentials by parts.
func (s *lines) longLog32(r int) {
	dst, src := tensor.Elems[float32](s.out)[r*s.n:(r+1)*s.n], tensor.Elems[float32](s.in)[r*s.n:(r+1)*s.n]
	var room [logBlock]float32
	shift, total := [1]float32{vec.Max(src)}, 0.0
	vec.Combine(vec.Minus, dst, src, shift[:])
	for i := 0; i < s.n; i += logBlock {
		x := room[:min(logBlock, s.n-i)]
		vec.Apply(vec.Exponential, x, dst[i:i+len(x)])
		total += float64(vec.Sum(x))
	}
	shift[0] = float32(math.Log(total))
	vec.Combine(vec.Minus, dst, dst, shift[:])
}

// logSoftmaxBlock32 computes width lines of n elements that lie step apart.
func logSoftmaxBlock32(out, in []float32, n, step, width int) {
	var tops, sums, room [columnBlock]float32
	top, sum, x := tops[:width], sums[:width], room[:width]
	vec.Across(vec.Most, top, in, n, step)
	for k := range n {
		dst := out[k*step:][:width]
		vec.Combine(vec.Minus, dst, in[k*step:][:width], top)
		vec.Apply(vec.Exponential, x, dst)
		vec.Combine(vec.Plus, sum, sum, x)
	}
	vec.Apply(vec.Logarithm, sum, sum)
	for k := range n {
		dst := out[k*step:][:width]
		vec.Combine(vec.Minus, dst, dst, sum)
	}
}

var logSoftmaxSlow32 = logSoftmaxOf(single)

// logSoftmaxOf works in float64 along any stride.
func logSoftmaxOf[T any](n number[T]) softmaxKernel {
	return func(s *lines, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			top, sum := expSum(s, in, r, n)
			sum = math.Log(sum)
			for i, last := s.span(r); i <= last; i += s.inner {
				out[i] = n.Narrow(n.Widen(in[i]) - top - sum)
			}
		}
	}
}
