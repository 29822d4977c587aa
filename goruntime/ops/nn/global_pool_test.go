package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestGlobalAveragePool(t *testing.T) {
	for _, d := range GlobalAveragePool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GlobalAveragePool, []optest.Case{
			{
				Name: d.String() + " images", Version: 1,
				In:   optest.In(of(optest.Dims(2, 3, 2, 3), series(36, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 1, 1), -0.08333334, -0.125, 0.2916667, -0.2083333, 0.2083333, -0.2916667)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " one dimension", Version: 1,
				In:   optest.In(of(optest.Dims(1, 2, 5), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 1), 0.05, 0)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a matrix is planes of one element", Version: 1,
				In:   optest.In(of(optest.Dims(2, 3), series(6, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3), -1.25, 0.5, -0.5, 1.25, 0.25, -0.75)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no images", Version: 1,
				In:   optest.In(of(optest.Dims(0, 3, 2, 2), series(0, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(0, 3, 1, 1))), Tol: tolerance(d),
			},
			{
				Name: d.String() + " empty planes have no mean", Version: 1,
				In:   optest.In(of(optest.Dims(1, 1, 0), series(0, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 1), math.NaN())), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestGlobalMaxPool(t *testing.T) {
	for _, d := range GlobalMaxPool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GlobalMaxPool, []optest.Case{
			{
				Name: d.String() + " images", Version: 1,
				In:   optest.In(of(optest.Dims(2, 3, 2, 3), series(36, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 1, 1), 1.25, 1, 1.25, 0.75, 1.25, 0.75)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " NaN wins", Version: 1,
				In:   optest.In(of(optest.Dims(1, 2, 3), 1, math.NaN(), 2, -3, -2, math.Inf(-1))),
				Want: optest.Want(of(optest.Dims(1, 2, 1), math.NaN(), -2)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " three dimensions", Version: 1,
				In:   optest.In(of(optest.Dims(1, 2, 2, 2, 3), series(24, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 1, 1, 1), 1.25, 1.25)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestGlobalLpPool(t *testing.T) {
	for _, d := range GlobalLpPool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GlobalLpPool, []optest.Case{
			{
				Name: d.String() + " images", Version: 2,
				In:   optest.In(of(optest.Dims(2, 3, 2, 3), series(36, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 1, 1), 2.061553, 2.046338, 1.920286, 1.85405, 1.85405, 1.920286)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " p 1", Version: 2, Attrs: optest.Attrs("p", 1),
				In:   optest.In(of(optest.Dims(1, 2, 5), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 1), 3.75, 3.5)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " p 3", Version: 2, Attrs: optest.Attrs("p", 3),
				In:   optest.In(of(optest.Dims(1, 2, 5), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 1), 1.609819, 1.416763)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of NumPy.
func TestGlobalLpPool1(t *testing.T) {
	for _, d := range GlobalLpPool1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GlobalLpPool1, []optest.Case{
			{
				Name: d.String() + " a fraction", Version: 1, Attrs: optest.Attrs("p", 1.5),
				In:   optest.In(of(optest.Dims(1, 2, 5), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 1), 2.360734, 2.216111)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestGlobalPoolErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, GlobalMaxPool, []optest.Case{
		{Name: "a vector", In: optest.In(of(optest.Dims(3), 1, 2, 3)), Err: `X has shape [3], a rank of 2 or more expected`, Code: errs.Shape},
	})
}
