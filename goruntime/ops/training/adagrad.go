package training

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
)

// Adagrad goes against the gradient by a rate that falls with the squares of all
// gradients so far.
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
// Departures: none.
var Adagrad = op.Declare(Domain, "Adagrad", func() op.Def {
	return declare(1, op.Attrs(op.Float("decay_factor", 0), op.Float("epsilon", 1e-6), op.Float("norm_coefficient", 0)), adagrad[float32](), adagrad[float64]())
})

func adagrad[T number]() rule[T] {
	return rule[T]{
		read: func(s *settings, a *op.Values) error {
			s.decay, s.epsilon, s.norm = a.Float("decay_factor"), a.Float("epsilon"), a.Float("norm_coefficient")
			return nil
		},
		begin: func(o *optimizer[T]) {
			o.r = T(o.settings.rate / (1 + float64(o.settings.count)*float64(o.settings.decay)))
		},
		step: func(o *optimizer[T], lo, hi int) {
			norm, epsilon := T(o.settings.norm), T(o.settings.epsilon)
			for i := lo; i < hi; i++ {
				g := norm*o.x[i] + o.g[i]
				squares := o.v[i] + g*g
				put(o.newX, i, o.x[i]-o.r*g/(T(math.Sqrt(float64(squares)))+epsilon))
				put(o.newV, i, squares)
			}
		},
	}
}
