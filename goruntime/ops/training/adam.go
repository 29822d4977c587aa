package training

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
)

// Adam goes against the mean gradient, divided by the root of its mean square.
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
// Departures: none.
var Adam = op.Declare(Domain, "Adam", func() op.Def {
	return declare(2, op.Attrs(op.Float("alpha", 0.9), op.Float("beta", 0.999), op.Float("epsilon", 1e-6), op.Float("norm_coefficient", 0),
		op.Float("norm_coefficient_post", 0)), adam[float32](), adam[float64]())
})

func adam[T number]() rule[T] {
	return rule[T]{
		read: func(s *settings, a *op.Values) error {
			s.alpha, s.beta, s.epsilon = a.Float("alpha"), a.Float("beta"), a.Float("epsilon")
			s.norm, s.post = a.Float("norm_coefficient"), a.Float("norm_coefficient_post")
			return nil
		},
		begin: func(o *optimizer[T]) {
			s := &o.settings
			r := s.rate
			if s.count > 0 {
				t := float64(s.count)
				r *= math.Sqrt(1-math.Pow(float64(s.beta), t)) / (1 - math.Pow(float64(s.alpha), t))
			}
			o.r = T(r)
		},
		step: func(o *optimizer[T], lo, hi int) {
			s := &o.settings
			alpha, beta, norm, post, epsilon := T(s.alpha), T(s.beta), T(s.norm), T(s.post), T(s.epsilon)
			for i := lo; i < hi; i++ {
				g := norm*o.x[i] + o.g[i]
				v := alpha*o.v[i] + (1-alpha)*g
				h := beta*o.h[i] + (1-beta)*g*g
				x := o.x[i] - o.r*v/(T(math.Sqrt(float64(h)))+epsilon)
				put(o.newX, i, (1-post)*x)
				put(o.newV, i, v)
				put(o.newH, i, h)
			}
		},
	}
}
