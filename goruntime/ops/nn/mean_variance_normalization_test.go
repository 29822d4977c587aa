package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestMeanVarianceNormalization(t *testing.T) {
	for _, d := range MeanVarianceNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, MeanVarianceNormalization, []optest.Case{
			{
				Name: d.String() + " the default axes", Version: 13,
				In:   optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 4, 2, 2), -1.322272, 0.6790046, -0.4645821, 1.536695, 0.3072659, -1.097378, 1.360749, -0.04389513, -0.9941348, 1.147079, -0.07647191, -1.300022, 0.3072659, -1.097378, 1.360749, -0.04389513, -0.7504787, 1.250798, 0.1072113, -1.036375, 1.009588, -0.3950562, -1.7997, 0.6584269, -0.3823596, 1.758854, 0.5353034, -0.6882472, 1.009588, -0.3950562, -1.7997, 0.6584269)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " negative axes", Version: 13, Attrs: optest.Attrs("axes", []int{-1, 1}),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -1.393052, 0.6965261, -0.4975186, 1.592059, 0.3980149, -0.7960297, 1.36197, 0.15133, -1.05931, 1.05931, -0.15133, -1.36197)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no axis", Version: 9, Attrs: optest.Attrs("axes", []int{0}),
				In:   optest.In(of(optest.Dims(1, 3), 1, 2, 3)),
				Want: optest.Want(of(optest.Dims(1, 3), 0, 0, 0)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " nothing", Version: 13, Attrs: optest.Attrs("axes", []int{0}),
				In:   optest.In(of(optest.Dims(0, 3))),
				Want: optest.Want(of(optest.Dims(0, 3))), Tol: tolerance(d),
			},
		})
	}
}

// The message of the shape rule.
func TestMeanVarianceNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, MeanVarianceNormalization, []optest.Case{
		{Name: "too low a rank", In: optest.In(of(optest.Dims(2), 1, 2)), Err: `axis 2 is out of range for rank 1`, Code: errs.Shape},
	})
}
