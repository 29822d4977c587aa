package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestRMSNormalization(t *testing.T) {
	for _, d := range RMSNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, RMSNormalization, []optest.Case{
			{
				Name: d.String() + " the last axis", Version: 23,
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2), 1, -0.5)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -1.313057, -0.2626114, -0.5252228, -0.6565285, 0.4472064, 0.6708097, 1.414199, 0, -1.131364, -0.4242614, -0.2773484, 0.693371)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " two axes", Version: 23, Attrs: optest.Attrs("axis", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(3, 2), series(6, 5, 7, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), 0.7426054, 0.4455633, -0.1485211, -0.3713027, 0.2970422, -0.4455633, -0.5985013, 0, -0.2992507, -0.224438, -0.2992507, -0.7481266)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " one scale, epsilon", Version: 23, Attrs: optest.Attrs("axis", -2, "epsilon", 0.5),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1), 3)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -3.411441, 1.364576, -1.364576, 3.411441, 0.6822882, -2.046865, 2.740993, 0, -2.740993, 2.055745, -0.6852483, -3.426241)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a scale of each row", Version: 23, Attrs: optest.Attrs("axis", 2),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(3, 1), series(3, 5, 7, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), 0.6565285, -0.2626114, -0.3939171, 0.9847928, 0.1118016, -0.3354048, -0.7070997, 0, -0.8485227, 0.6363921, -0.0693371, -0.3466855)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " x f64", Version: 23,
				In:   optest.In(optest.F64(optest.Dims(2, 3, 2), -1.25, 0.5, -0.5, 1.25, 0.25, -0.75, 1, 0, -1, 0.75, -0.25, -1.25), of(optest.Dims(2), 1, -0.5)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -1.313057, -0.2626114, -0.5252228, -0.6565285, 0.4472064, 0.6708097, 1.414199, 0, -1.131364, -0.4242614, -0.2773484, 0.693371)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " nothing", Version: 23,
				In:   optest.In(of(optest.Dims(0, 2)), of(optest.Dims(2), 1, -0.5)),
				Want: optest.Want(of(optest.Dims(0, 2))), Tol: tolerance(d),
			},
			{
				Name: d.String() + " axis 0", Version: 23, Attrs: optest.Attrs("axis", 0),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(3, 2), series(6, 5, 7, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), 0.7453507, 0.4472104, -0.1490701, -0.3726754, 0.2981403, -0.4472104, -0.5962806, 0, -0.2981403, -0.2236052, -0.2981403, -0.7453507)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestRMSNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, RMSNormalization, []optest.Case{
		{Name: "another scale", In: optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(3), 1, 2, 3)), Err: `scale has shape [3], which does not broadcast to [2, 3, 2]`, Code: errs.Shape},
		{Name: "an axis outside", Attrs: optest.Attrs("axis", 3), In: optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2), 1, -0.5)), Err: `axis 3 is out of range for rank 3`, Code: errs.Shape},
		{Name: "another stash_type", Attrs: optest.Attrs("stash_type", 7), In: optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2), 1, -0.5)), Err: `stash_type is 7: it must be a floating-point type`, Code: errs.Argument},
	})
}
