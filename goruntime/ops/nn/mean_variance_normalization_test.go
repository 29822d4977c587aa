package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// Members side by side and apart, far from zero too, against float64.
func TestMeanVarianceNormalizationOfPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		dims tensor.Shape
		axes []int
	}{
		{optest.Dims(2, 3, 40, 70), []int{0, 2, 3}},
		{optest.Dims(2, 3, 40, 70), []int{1, 3}},
		{optest.Dims(2, 3, 4, 15), []int{0, 1, 2, 3}},
		{optest.Dims(3, 5, 16), []int{2}},
		{optest.Dims(3, 5, 15), []int{2}},
		{optest.Dims(40, 3, 2), []int{0}},
		{optest.Dims(3, 0, 16), []int{0, 2}},
	} {
		reduced := make([]bool, len(c.dims))
		for _, a := range c.axes {
			reduced[a] = true
		}
		x := make([]float64, c.dims.Elements())
		for i := range x {
			x[i] = float64(float32(100 + 3*r.NormFloat64()))
		}
		want := make([]float64, len(x))
		members := offsets(c.dims, reduced, true)
		for _, at := range offsets(c.dims, reduced, false) {
			mean, square := 0.0, 0.0
			for _, m := range members {
				mean += x[at+m] / float64(len(members))
			}
			for _, m := range members {
				square += (x[at+m] - mean) * (x[at+m] - mean) / float64(len(members))
			}
			for _, m := range members {
				want[at+m] = (x[at+m] - mean) / (math.Sqrt(square) + 1e-9)
			}
		}
		optest.Run(t, MeanVarianceNormalization, []optest.Case{{
			Name: fmt.Sprintf("%v by %v", c.dims, c.axes), Attrs: optest.Attrs("axes", c.axes),
			In: optest.In(optest.Filled(tensor.F32, c.dims, x...)), Want: optest.Want(optest.Filled(tensor.F32, c.dims, want...)), Tol: 1e-5,
		}})
	}
}
