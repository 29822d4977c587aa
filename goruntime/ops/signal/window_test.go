package signal

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

// The values are those of the formula in NumPy.
func TestHannWindow(t *testing.T) {
	optest.Run(t, HannWindow, []optest.Case{
		{
			Name: "periodic", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 6)),
			Want: optest.Want(optest.F32(optest.Dims(6), 0, 0.25, 0.75, 1, 0.75, 0.25)), Tol: 1e-6,
		},
		{
			Name: "symmetric, i32", Version: 17, Attrs: optest.Attrs("periodic", 0),
			In:   optest.In(optest.I32(optest.Dims(), 5)),
			Want: optest.Want(optest.F32(optest.Dims(5), 0, 0.5, 1, 0.5, 0)), Tol: 1e-6,
		},
		{
			Name: "a symmetric window of one", Version: 17, Attrs: optest.Attrs("periodic", 0),
			In:   optest.In(optest.I64(optest.Dims(1), 1)),
			Want: optest.Want(optest.F32(optest.Dims(1), 1)),
		},
		{
			Name: "none", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 0)),
			Want: optest.Want(optest.F32(optest.Dims(0))),
		},
	})
}

// The values are those of the formula in NumPy.
func TestHammingWindow(t *testing.T) {
	optest.Run(t, HammingWindow, []optest.Case{
		{
			Name: "periodic", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 6)),
			Want: optest.Want(optest.F32(optest.Dims(6), 0.08695652, 0.3152174, 0.7717391, 1, 0.7717391, 0.3152174)), Tol: 1e-6,
		},
		{
			Name: "symmetric, i32", Version: 17, Attrs: optest.Attrs("periodic", 0),
			In:   optest.In(optest.I32(optest.Dims(), 5)),
			Want: optest.Want(optest.F32(optest.Dims(5), 0.08695652, 0.54347825, 1, 0.54347825, 0.08695652)), Tol: 1e-6,
		},
		{
			Name: "a symmetric window of one", Version: 17, Attrs: optest.Attrs("periodic", 0),
			In:   optest.In(optest.I64(optest.Dims(1), 1)),
			Want: optest.Want(optest.F32(optest.Dims(1), 1)),
		},
		{
			Name: "none", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 0)),
			Want: optest.Want(optest.F32(optest.Dims(0))),
		},
	})
}

// The values are those of the formula in NumPy.
func TestBlackmanWindow(t *testing.T) {
	optest.Run(t, BlackmanWindow, []optest.Case{
		{
			Name: "periodic", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 6)),
			Want: optest.Want(optest.F32(optest.Dims(6), -1.3877788e-17, 0.13, 0.63, 1, 0.63, 0.13)), Tol: 1e-6,
		},
		{
			Name: "symmetric, i32", Version: 17, Attrs: optest.Attrs("periodic", 0),
			In:   optest.In(optest.I32(optest.Dims(), 5)),
			Want: optest.Want(optest.F32(optest.Dims(5), -1.3877788e-17, 0.34, 1, 0.34, -1.3877788e-17)), Tol: 1e-6,
		},
		{
			Name: "a symmetric window of one", Version: 17, Attrs: optest.Attrs("periodic", 0),
			In:   optest.In(optest.I64(optest.Dims(1), 1)),
			Want: optest.Want(optest.F32(optest.Dims(1), 1)),
		},
		{
			Name: "none", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 0)),
			Want: optest.Want(optest.F32(optest.Dims(0))),
		},
	})
}

// The output has the type that the attribute names; fractions of integers are
// cut off.
func TestWindowTypes(t *testing.T) {
	for _, d := range outputTypes {
		want := []float64{0, 0.5, 1, 0.5}
		optest.Run(t, HannWindow, []optest.Case{{
			Name: d.String(), Attrs: optest.Attrs("output_datatype", int(d)), In: optest.In(optest.Ints(4)),
			Want: optest.Want(optest.Filled(d, optest.Dims(4), want...)), Tol: 1e-6,
		}})
	}
}

// The messages of the shape rule.
func TestWindowErrors(t *testing.T) {
	optest.Run(t, HannWindow, []optest.Case{
		{Name: "a negative size", In: optest.In(optest.I64(optest.Dims(), -1)), Err: `size is -1: it must not be negative`, Code: errs.Shape},
		{Name: "two sizes", In: optest.In(optest.I64(optest.Dims(2), 1, 2)), Err: `size has 2 elements, one expected`, Code: errs.Shape},
		{Name: "a type that is no number", Attrs: optest.Attrs("output_datatype", 8), In: optest.In(optest.I64(optest.Dims(), 1)), Err: `output_datatype is 8: it must be a type of number`, Code: errs.Argument},
	})
}
