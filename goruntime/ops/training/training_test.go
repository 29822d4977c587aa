package training

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected values are the formulas of the specification, in NumPy's float64.
func TestOptimizers(t *testing.T) {
	three := optest.Dims(3)
	for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
		list := func(x ...float64) *tensor.View { return optest.Filled(d, three, x...) }
		x, g, v, h := list(1, -2, 0.5), list(-1, 0.25, 0), list(2, 0.5, 0), list(4, 1, 0)
		adagrad := optest.Attrs("norm_coefficient", 0.001, "epsilon", 1e-3, "decay_factor", 0.1)
		adam := optest.Attrs("norm_coefficient", 0.001, "alpha", 0.9, "beta", 0.99, "epsilon", 1e-2, "norm_coefficient_post", 0.05)
		standard := optest.Attrs("norm_coefficient", 0.001, "alpha", 0.9, "beta", 0.3, "mode", "standard")
		nesterov := optest.Attrs("norm_coefficient", 0.001, "alpha", 0.9, "beta", 0.3, "mode", "nesterov")
		for _, c := range []struct {
			def   *op.Operator
			count int64
			attrs []op.Value
			want  []*tensor.View
		}{
			{Adagrad, 0, adagrad, optest.Want(list(1.05766321, -2.03305187, 0.466666667), list(2.998001, 0.561504, 2.5e-07))},
			{Adagrad, 3, adagrad, optest.Want(list(1.04435632, -2.02542452, 0.474358974), list(2.998001, 0.561504, 2.5e-07))},
			{Adam, 0, adam, optest.Want(list(0.869345297, -1.94486836, 0.474527363), list(1.7001, 0.4748, 5e-05), list(3.96998001, 0.99061504, 2.5e-09))},
			{Adam, 3, adam, optest.Want(list(0.898708436, -1.92853359, 0.474699431), list(1.7001, 0.4748, 5e-05), list(3.96998001, 0.99061504, 2.5e-09))},
			{Momentum, 0, standard, optest.Want(list(0.9199, -2.0698, 0.49995), list(0.801, 0.698, 0.0005))},
			{Momentum, 3, standard, optest.Want(list(0.84997, -2.05244, 0.499985), list(1.5003, 0.5244, 0.00015))},
			{Momentum, 0, nesterov, optest.Want(list(1.02781, -2.08762, 0.499905), list(0.801, 0.698, 0.0005))},
			{Momentum, 3, nesterov, optest.Want(list(0.964873, -2.071996, 0.4999365), list(1.5003, 0.5244, 0.00015))},
		} {
			in := optest.In(optest.F32(nil, 0.1), optest.I64(nil, c.count), x, g, v)
			if c.def == Adam {
				in = append(in, h)
			}
			optest.Run(t, c.def, []optest.Case{
				{Name: c.def.Name + " " + d.String(), Attrs: c.attrs, In: in, Want: c.want, Tol: 2e-6},
				{Name: c.def.Name + " parameters alone " + d.String(), Attrs: c.attrs, In: in, Want: c.want[:1], Tol: 2e-6},
			})
		}
		rate := optest.F64(optest.Dims(1), 0.5)
		plain := optest.Attrs("norm_coefficient", 0.0, "alpha", 0.5, "beta", 1.0, "mode", "standard")
		optest.Run(t, Momentum, []optest.Case{
			{
				Name: "two parameters " + d.String(), Attrs: plain, In: optest.In(rate, optest.Ints(1), list(1, 2, 3), optest.Filled(d, nil, 8), list(2, 4, 6), optest.Filled(d, nil, -1), list(0, 2, 4), optest.Filled(d, nil, 2)),
				Want: optest.Want(list(0, -0.5, -1), optest.Filled(d, nil, 8), list(2, 5, 8), optest.Filled(d, nil, 0)),
			},
			{Name: "nothing " + d.String(), Attrs: plain, In: optest.In(rate, optest.Ints(1), optest.Filled(d, optest.Dims(0)), optest.Filled(d, optest.Dims(0)), optest.Filled(d, optest.Dims(0))), Want: optest.Want(optest.Filled(d, optest.Dims(0)), optest.Filled(d, optest.Dims(0)))},
		})
	}
}

func TestOptimizerErrors(t *testing.T) {
	one := optest.F32(optest.Dims(1), 1)
	r, n := optest.F32(nil, 0.1), optest.I64(nil, 0)
	attrs := optest.Attrs("norm_coefficient", 0.0, "alpha", 0.5, "beta", 1.0, "mode", "standard")
	optest.Run(t, Momentum, []optest.Case{
		{Name: "a gradient too few", Attrs: attrs, In: optest.In(r, n, one, one), Err: "4 inputs and 1 outputs given: a rate, a count, and for each parameter 3 inputs", Code: errs.Model},
		{Name: "another shape", Attrs: attrs, In: optest.In(r, n, one, optest.F32(optest.Dims(2), 1, 2), one), Err: "input 3 is missing or not like parameter 0, which has shape [1]", Code: errs.Shape},
		{Name: "two rates", Attrs: attrs, In: optest.In(optest.F32(optest.Dims(2), 1, 2), n, one, one, one), Err: "input 0 has 2 elements, one expected", Code: errs.Shape},
		{Name: "an unknown mode", Attrs: optest.Attrs("norm_coefficient", 0.0, "alpha", 0.5, "beta", 1.0, "mode", "fast"), In: optest.In(r, n, one, one, one), Err: `mode "fast" is none of standard, nesterov`, Code: errs.Argument},
		{Name: "no mode", Attrs: attrs[:3], In: optest.In(r, n, one, one, one), Err: `attribute "mode" is required and missing`, Code: errs.Model},
	})
}
