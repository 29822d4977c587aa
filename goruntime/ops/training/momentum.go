package training

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
)

// Momentum goes against a running sum of the gradients; the mode nesterov looks a
// step ahead.
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
// Departures: none.
var Momentum = op.Declare(Domain, "Momentum", func() op.Def {
	return declare(1, op.Attrs(op.Required("alpha", op.KindFloat), op.Required("beta", op.KindFloat), op.Required("mode", op.KindString),
		op.Required("norm_coefficient", op.KindFloat)), momentum[float32](), momentum[float64]())
})

func momentum[T number]() rule[T] {
	return rule[T]{
		read: func(s *settings, a *op.Values) error {
			s.alpha, s.beta, s.norm = a.Float("alpha"), a.Float("beta"), a.Float("norm_coefficient")
			mode := a.Str("mode")
			s.nesterov = mode == "nesterov"
			if !s.nesterov && mode != "standard" {
				return errs.New(errs.Argument, "mode %q is none of standard, nesterov", mode)
			}
			return nil
		},
		begin: func(o *optimizer[T]) { o.r = T(o.settings.rate) },
		step: func(o *optimizer[T], lo, hi int) {
			s := &o.settings
			alpha, beta, norm := T(s.alpha), T(1), T(s.norm)
			if s.count > 0 {
				beta = T(s.beta)
			}
			for i := lo; i < hi; i++ {
				g := norm*o.x[i] + o.g[i]
				v := alpha*o.v[i] + beta*g
				d := v
				if s.nesterov {
					d = g + alpha*v
				}
				put(o.newX, i, o.x[i]-o.r*d)
				put(o.newV, i, v)
			}
		},
	}
}
