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
const logBlock = 512

func logSoftmax32(s *lines, lo, hi int) {
	if s.inner != 1 {
		s.columns32(lo, hi, logSoftmaxSlow32, logSoftmaxBlock32)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	var room [logBlock]float32
	var shift [1]float32
	for r := lo; r < hi; r++ {
		dst, src := out[r*s.n:(r+1)*s.n], in[r*s.n:(r+1)*s.n]
		shift[0] = vec.Max(src)
		total := 0.0
		for i := 0; i < s.n; i += logBlock {
			x := room[:min(logBlock, s.n-i)]
			vec.Combine(vec.Minus, x, src[i:i+len(x)], shift[:])
			vec.Apply(vec.Exponential, x, x)
			total += float64(vec.Sum(x))
		}
		vec.Combine(vec.Minus, dst, src, shift[:])
		shift[0] = float32(math.Log(total))
		vec.Combine(vec.Minus, dst, dst, shift[:])
	}
}

// logSoftmaxBlock32 computes width lines of n elements that lie step apart.
func logSoftmaxBlock32(out, in []float32, n, step, width int) {
	var tops, sums, room [columnBlock]float32
	top, sum, x := tops[:width], sums[:width], room[:width]
	largest32(top, in, n, step)
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
