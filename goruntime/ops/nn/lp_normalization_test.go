package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestLpNormalization(t *testing.T) {
	for _, d := range LpNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, LpNormalization, []optest.Case{
			{
				Name: d.String() + " the last axis, p 2", Version: 22,
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -0.9284767, 0.3713907, -0.3713907, 0.9284767, 0.3162278, -0.9486833, 1, 0, -0.8, 0.6, -0.1961161, -0.9805807)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " axis 1, p 1", Version: 1, Attrs: optest.Attrs("axis", 1, "p", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -0.625, 0.2, -0.25, 0.5, 0.125, -0.3, 0.4444444, 0, -0.4444444, 0.375, -0.1111111, -0.625)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a zero norm", Version: 22,
				In:   optest.In(of(optest.Dims(2, 2), 0, 0, 3, -4)),
				Want: optest.Want(of(optest.Dims(2, 2), 0, 0, 0.6, -0.8)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestLpNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, LpNormalization, []optest.Case{
		{Name: "p 3", Attrs: optest.Attrs("p", 3), In: optest.In(of(optest.Dims(2), 1, 2)), Err: `p is 3: it must be 1 or 2`, Code: errs.Argument},
		{Name: "an axis outside", Attrs: optest.Attrs("axis", 1), In: optest.In(of(optest.Dims(2), 1, 2)), Err: `axis 1 is out of range for rank 1`, Code: errs.Shape},
	})
}
