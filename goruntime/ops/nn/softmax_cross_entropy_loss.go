package nn

import (
	"math"

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
		DTypes: floats(entropy(single), entropy(double), entropy(half), entropy(brain)),
		Also:   lossTargets,
	}
})

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
