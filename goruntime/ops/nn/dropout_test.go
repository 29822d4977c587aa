package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The masks are those of numpy.random.
func TestDropout(t *testing.T) {
	for _, d := range Dropout.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Dropout, []optest.Case{
			{
				Name: d.String() + " inference", Version: 22, Attrs: optest.Attrs("seed", 0),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...), of(optest.Dims(), 0.5)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.25, 2, 1, 2.75, 1.75, 0.75, 2.5, 1.5, 0.5, 2.25, 1.25, 0.25), optest.Bool(optest.Dims(3, 4), true, true, true, true, true, true, true, true, true, true, true, true)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training, a seed", Version: 22, Attrs: optest.Attrs("seed", 0),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...), of(optest.Dims(), 0.5), optest.Bool(optest.Dims(), true)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.5, 4, 2, 5.5, 0, 1.5, 0, 3, 1, 0, 2.5, 0.5), optest.Bool(optest.Dims(3, 4), true, true, true, true, false, true, false, true, true, false, true, true)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training, the default ratio, a vector of one", Version: 22, Attrs: optest.Attrs("seed", 5),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...), nil, optest.Bool(optest.Dims(1), true)),
				Want: optest.Want(of(optest.Dims(3, 4), 0, 4, 0, 5.5, 0, 1.5, 5, 3, 0, 0, 0, 0.5)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training, ratio 0.75", Version: 22, Attrs: optest.Attrs("seed", 7),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...), of(optest.Dims(), 0.75), optest.Bool(optest.Dims(), true)),
				Want: optest.Want(of(optest.Dims(3, 4), 0, 8, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1), optest.Bool(optest.Dims(3, 4), false, true, false, false, true, false, false, false, false, false, false, true)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training, ratio 0", Version: 22, Attrs: optest.Attrs("seed", 7),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...), of(optest.Dims(), 0), optest.Bool(optest.Dims(), true)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.25, 2, 1, 2.75, 1.75, 0.75, 2.5, 1.5, 0.5, 2.25, 1.25, 0.25), optest.Bool(optest.Dims(3, 4), true, true, true, true, true, true, true, true, true, true, true, true)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training, all dropped", Version: 22, Attrs: optest.Attrs("seed", 7),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...), of(optest.Dims(), 1), optest.Bool(optest.Dims(), true)),
				Want: optest.Want(of(optest.Dims(3, 4), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), optest.Bool(optest.Dims(3, 4), false, false, false, false, false, false, false, false, false, false, false, false)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a scalar", Version: 22,
				In:   optest.In(of(optest.Dims(), 3)),
				Want: optest.Want(of(optest.Dims(), 3)), Tol: tolerance(d),
			},
		})
	}
}

// Only version 12 and later, and those before 7, can train.
func TestDropout7(t *testing.T) {
	for _, d := range Dropout7.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Dropout7, []optest.Case{
			{
				Name: d.String() + " copies, the mask is bool", Version: 10, Attrs: optest.Attrs("ratio", 0.25),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.25, 2, 1, 2.75, 1.75, 0.75, 2.5, 1.5, 0.5, 2.25, 1.25, 0.25), optest.Bool(optest.Dims(3, 4), true, true, true, true, true, true, true, true, true, true, true, true)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " the mask has the type of the data", Version: 7,
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.25, 2, 1, 2.75, 1.75, 0.75, 2.5, 1.5, 0.5, 2.25, 1.25, 0.25), of(optest.Dims(3, 4), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)), Tol: tolerance(d),
			},
		})
	}
}

// The masks have the type of the data.
func TestDropout1(t *testing.T) {
	for _, d := range Dropout1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Dropout1, []optest.Case{
			{
				Name: d.String() + " is_test", Version: 6, Attrs: optest.Attrs("is_test", 1),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.25, 2, 1, 2.75, 1.75, 0.75, 2.5, 1.5, 0.5, 2.25, 1.25, 0.25), of(optest.Dims(3, 4), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " trains where is_test is not set", Version: 1, Attrs: optest.Attrs("ratio", 0.0),
				In:   optest.In(of(optest.Dims(3, 4), series(12, 7, 11, -1, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 4), 0.25, 2, 1, 2.75, 1.75, 0.75, 2.5, 1.5, 0.5, 2.25, 1.25, 0.25), of(optest.Dims(3, 4), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of a run.
func TestDropoutErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, Dropout, []optest.Case{
		{Name: "a ratio above 1", In: optest.In(of(optest.Dims(1), 1), of(optest.Dims(), 1.5), optest.Bool(optest.Dims(), true)), Err: `ratio is 1.5: it must lie in [0, 1]`, Code: errs.Argument},
		{Name: "two ratios", In: optest.In(of(optest.Dims(1), 1), of(optest.Dims(2), 0.5, 0.5)), Err: `ratio has shape [2], one element expected`, Code: errs.Shape},
	})
}

// As many numbers lie below the ratio as the ratio says.
func TestTwisterIsUniform(t *testing.T) {
	var random twister
	random.seed(42)
	kept := 0
	for range 10000 {
		if random.uniform() >= 0.25 {
			kept++
		}
	}
	if kept < 7300 || kept > 7700 {
		t.Errorf("%d of 10000 kept at ratio 0.25", kept)
	}
}

// The numbers are those of numpy.random.RandomState(5).
func TestTwister(t *testing.T) {
	var random twister
	random.seed(5)
	for i, want := range []float64{0.22199317108973948, 0.8707323061773764, 0.20671915533942642} {
		if got := random.uniform(); got != want {
			t.Errorf("number %d is %v, want %v", i, got, want)
		}
	}
}
