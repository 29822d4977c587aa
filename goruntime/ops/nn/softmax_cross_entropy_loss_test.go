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
func TestSoftmaxCrossEntropyLoss(t *testing.T) {
	for _, d := range SoftmaxCrossEntropyLoss.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, SoftmaxCrossEntropyLoss, []optest.Case{
			{
				Name: d.String() + " mean", Version: 13,
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 2, 0, 3)),
				Want: optest.Want(of(optest.Dims(), 2.088076), of(optest.Dims(3, 4), -3.047095, -1.297095, -2.297095, -0.5470952, -1.450133, -2.450133, -0.7001327, -1.700133, -2.267, -0.5169997, -1.517, -2.517)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " weighted mean, i32", Version: 13,
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I32(optest.Dims(3), 2, 0, 3), of(optest.Dims(4), 1, 0.5, 2, 0)),
				Want: optest.Want(of(optest.Dims(), 2.014774), of(optest.Dims(3, 4), -3.047095, -1.297095, -2.297095, -0.5470952, -1.450133, -2.450133, -0.7001327, -1.700133, -2.267, -0.5169997, -1.517, -2.517)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " none", Version: 13, Attrs: optest.Attrs("reduction", "none"),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(2, 2), 0, 2, 1, 1), of(optest.Dims(3), 1, 0.5, 2)),
				Want: optest.Want(of(optest.Dims(2, 2), 2.027976, 4.949612, 1.175976, 0.2374029), of(optest.Dims(2, 3, 2), -2.027976, -1.224806, -1.277976, -0.4748057, -0.5279757, -2.474806, -0.3519519, -1.224806, -2.351952, -0.4748057, -1.601952, -2.474806)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " sum", Version: 13, Attrs: optest.Attrs("reduction", "sum"),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 2, 0, 3)),
				Want: optest.Want(of(optest.Dims(), 6.264227), of(optest.Dims(3, 4), -3.047095, -1.297095, -2.297095, -0.5470952, -1.450133, -2.450133, -0.7001327, -1.700133, -2.267, -0.5169997, -1.517, -2.517)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " ignored: -1 does not count", Version: 13, Attrs: optest.Attrs("ignore_index", -1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(2, 2), 0, 2, 1, -1)),
				Want: optest.Want(of(optest.Dims(), 2.284911), of(optest.Dims(2, 3, 2), -2.027976, -1.224806, -1.277976, -0.4748057, -0.5279757, -2.474806, -0.3519519, -1.224806, -2.351952, -0.4748057, -1.601952, -2.474806)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " ignored, weighted", Version: 13, Attrs: optest.Attrs("ignore_index", 2),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 2, 0, 3), of(optest.Dims(4), 1, 0.5, 2, 0)),
				Want: optest.Want(of(optest.Dims(), 1.450133), of(optest.Dims(3, 4), -3.047095, -1.297095, -2.297095, -0.5470952, -1.450133, -2.450133, -0.7001327, -1.700133, -2.267, -0.5169997, -1.517, -2.517)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " all ignored", Version: 13, Attrs: optest.Attrs("ignore_index", 5),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 5, 5, 5)),
				Want: optest.Want(of(optest.Dims(), math.NaN())), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " no sample", Version: 13, Attrs: optest.Attrs("reduction", "sum"),
				In:   optest.In(of(optest.Dims(0, 3)), optest.I64(optest.Dims(0))),
				Want: optest.Want(of(optest.Dims(), 0)), Tol: 2 * tolerance(d),
			},
		})
	}
}

// The messages of the run.
func TestSoftmaxCrossEntropyLossErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, SoftmaxCrossEntropyLoss, []optest.Case{
		{Name: "a target outside", In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 0, 4, 1)), Err: `target 4 at position 1 is none of the 4 classes`, Code: errs.Compute},
		{Name: "a negative target", In: optest.In(of(optest.Dims(3, 4), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(3), 0, -1, 1)), Err: `target -1 at position 1 is none of the 4 classes`, Code: errs.Compute},
	})
}

// More classes than exponentials are computed at a time, some scores far apart.
func TestSoftmaxCrossEntropyLossOfManyClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 17, logBlock, 2*logBlock + 9} {
		const samples = 5
		x, want, losses, targets := make([]float64, samples*n), make([]float64, samples*n), make([]float64, samples), make([]int64, samples)
		for i := range samples {
			row, total, top := x[i*n:(i+1)*n], 0.0, math.Inf(-1)
			for k := range row {
				row[k] = float64(float32(r.NormFloat64() * math.Pow(10, float64(i))))
				top = max(top, row[k])
			}
			for _, v := range row {
				total += math.Exp(v - top)
			}
			for k, v := range row {
				want[i*n+k] = v - top - math.Log(total)
			}
			targets[i] = int64(r.IntN(n))
			losses[i] = -want[i*n+int(targets[i])]
		}
		of := func(v []float64, dims ...int) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
		// The samples of an image: rows of classes, turned.
		turned, wantTurned := across(x, optest.Dims(samples, n)), across(want, optest.Dims(samples, n))
		optest.Run(t, SoftmaxCrossEntropyLoss, []optest.Case{
			{
				Name: fmt.Sprint(n, " classes"), Attrs: optest.Attrs("reduction", "none"), In: optest.In(of(x, samples, n), optest.I64(optest.Dims(samples), targets...)),
				Want: optest.Want(of(losses, samples), of(want, samples, n)), Tol: 2e-6,
			},
			{
				Name: fmt.Sprint(n, " classes of an image"), Attrs: optest.Attrs("reduction", "none"), In: optest.In(of(turned, 1, n, samples), optest.I64(optest.Dims(1, samples), targets...)),
				Want: optest.Want(of(losses, 1, samples), of(wantTurned, 1, n, samples)), Tol: 2e-6,
			},
		})
	}
}
