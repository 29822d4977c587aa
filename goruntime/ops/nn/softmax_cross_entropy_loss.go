package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SoftmaxCrossEntropyLoss is NegativeLogLikelihoodLoss of the logarithm of the
// softmax of scores over the classes, which is output 1.
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html   Departures: none.
var SoftmaxCrossEntropyLoss = op.Declare("", "SoftmaxCrossEntropyLoss", func() op.Def {
	return op.Def{
		Versions: op.Versions{12: "", 13: "bfloat16"},
		Attrs:    lossAttrs,
		Shape:    lossShape, Prepare: lossPrepare, Run: lossRun,
		DTypes: floats(entropy32, entropy(double), entropy(half), entropy(brain)),
		Also:   lossTargets,
	}
})

// entropy32 is by vectors where the scores of a sample lie side by side, or those of samples.
func entropy32(s *loss, lo, hi int) {
	if s.inner != 1 {
		s.entropies32(lo, hi)
		return
	}
	var room [logBlock]float32
	for i := lo; i < hi; i++ {
		src := tensor.Elems[float32](s.in)[i*s.n : (i+1)*s.n]
		top, total := [1]float32{vec.Max(src)}, 0.0
		for at := 0; at < s.n; at += logBlock {
			x := room[:min(logBlock, s.n-at)]
			vec.Combine(vec.Minus, x, src[at:at+len(x)], top[:])
			vec.Apply(vec.Exponential, x, x)
			total += float64(vec.Sum(x))
		}
		total = math.Log(total)
		if s.probs != nil {
			dst, shift := tensor.Elems[float32](s.probs)[i*s.n:(i+1)*s.n], [1]float32{float32(total)}
			vec.Combine(vec.Minus, dst, src, top[:])
			vec.Combine(vec.Minus, dst, dst, shift[:])
		}
		if !s.ignored(i) {
			s.losses[i] = total - (float64(src[s.target[i]]) - float64(top[0]))
		}
	}
}

// entropies32 takes samples that lie side by side together.
func (s *loss) entropies32(lo, hi int) {
	if s.inner < fewestBeside || s.n > longestSum {
		entropySlow32(s, lo, hi)
		return
	}
	var rows [3][columnBlock]float32
	for lo < hi {
		first, _ := s.span(lo)
		n := min(columnBlock, hi-lo, s.inner-lo%s.inner)
		src := tensor.Elems[float32](s.in)[first:]
		top, sum, x := rows[0][:n], rows[1][:n], rows[2][:n]
		vec.Across(vec.Most, top, src, s.n, s.inner)
		clear(sum)
		for k := range s.n {
			vec.Combine(vec.Minus, x, src[k*s.inner:][:n], top)
			vec.Apply(vec.Exponential, x, x)
			vec.Combine(vec.Plus, sum, sum, x)
		}
		for i, total := range sum {
			total := math.Log(float64(total))
			if sum[i] = float32(total); !s.ignored(lo + i) {
				s.losses[lo+i] = total - (float64(src[s.target[lo+i]*s.inner+i]) - float64(top[i]))
			}
		}
		for k := 0; s.probs != nil && k < s.n; k++ {
			dst := tensor.Elems[float32](s.probs)[first+k*s.inner:][:n]
			vec.Combine(vec.Minus, dst, src[k*s.inner:][:n], top)
			vec.Combine(vec.Minus, dst, dst, sum)
		}
		lo += n
	}
}

var entropySlow32 = entropy(single)

func entropy[T any](n number[T]) lossKernel {
	return func(s *loss, lo, hi int) {
		in := tensor.Elems[T](s.in)
		var probs []T
		if s.probs != nil {
			probs = tensor.Elems[T](s.probs)
		}
		for i := lo; i < hi; i++ {
			top, sum := expSum(&s.lines, in, i, n)
			shift := top + math.Log(sum)
			first, last := s.span(i)
			for at := first; probs != nil && at <= last; at += s.inner {
				probs[at] = n.Narrow(n.Widen(in[at]) - shift)
			}
			if !s.ignored(i) {
				s.losses[i] = shift - n.Widen(in[first+s.target[i]*s.inner])
			}
		}
	}
}
