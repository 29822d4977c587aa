package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestNegativeLogLikelihoodLoss(t *testing.T) {
	for _, d := range NegativeLogLikelihoodLoss.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, NegativeLogLikelihoodLoss, []optest.Case{
			{
				Name: d.String() + " mean", Version: 22,
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 2, 0, 3)),
				Want: optest.Want(of(optest.Dims(), 0.5)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " weighted mean, i32", Version: 13,
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I32(optest.Dims(3), 2, 0, 3), of(optest.Dims(4), 1, 0.5, 2, 0)),
				Want: optest.Want(of(optest.Dims(), 0.25)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " none", Version: 22, Attrs: optest.Attrs("reduction", "none"),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(2, 2), 0, 2, 1, 1), of(optest.Dims(3), 1, 0.5, 2)),
				Want: optest.Want(of(optest.Dims(2, 2), 1.25, 1.5, 0.5, -0.375)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " sum", Version: 22, Attrs: optest.Attrs("reduction", "sum"),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 2, 0, 3)),
				Want: optest.Want(of(optest.Dims(), 1.5)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " ignored: -1 does not count", Version: 22, Attrs: optest.Attrs("ignore_index", -1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(2, 2), 0, 2, 1, -1)),
				Want: optest.Want(of(optest.Dims(), 1)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " ignored, weighted", Version: 22, Attrs: optest.Attrs("ignore_index", 2),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 2, 0, 3), of(optest.Dims(4), 1, 0.5, 2, 0)),
				Want: optest.Want(of(optest.Dims(), -0.25)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " all ignored", Version: 22, Attrs: optest.Attrs("ignore_index", 5),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 5, 5, 5)),
				Want: optest.Want(of(optest.Dims(), math.NaN())), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " no sample", Version: 22, Attrs: optest.Attrs("reduction", "sum"),
				In:   optest.In(of(optest.Dims(0, 3)), optest.I64(optest.Dims(0))),
				Want: optest.Want(of(optest.Dims(), 0)), Tol: 2 * tolerance(d),
			},
		})
	}
}

// The messages of the rule and the run.
func TestNegativeLogLikelihoodLossErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, NegativeLogLikelihoodLoss, []optest.Case{
		{Name: "a target outside", In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 0, 4, 1)), Err: `target 4 at position 1 is none of the 4 classes`, Code: errs.Compute},
		{Name: "a negative target", In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 0, -1, 1)), Err: `target -1 at position 1 is none of the 4 classes`, Code: errs.Compute},
		{Name: "another shape", In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(2), 0, 1)), Err: `the input has shape [3, 4], the target [2]: [N, C, D...] and [N, D...] expected`, Code: errs.Shape},
		{Name: "another weight", In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 0, 1, 2), of(optest.Dims(3), 1, 0.5, 2)), Err: `the weight has shape [3], [4] expected`, Code: errs.Shape},
		{Name: "another reduction", Attrs: optest.Attrs("reduction", "max"), In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 0, 1, 2)), Err: `reduction "max" is none of none, sum, mean`, Code: errs.Argument},
	})
}
