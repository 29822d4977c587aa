package linalg

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestDet(t *testing.T) {
	var cases []optest.Case
	for _, d := range Det.Def().DTypes.Types() {
		cases = append(cases,
			optest.Case{Name: d.String() + " one matrix", In: optest.In(optest.Filled(d, optest.Dims(2, 2), 0, 1, 2, 3)), Want: optest.Want(optest.Filled(d, nil, -2))},
			optest.Case{
				Name: d.String() + " a batch", In: optest.In(optest.Filled(d, optest.Dims(3, 2, 2), 1, 2, 3, 4, 1, 2, 2, 1, 1, 3, 3, 1)),
				Want: optest.Want(optest.Filled(d, optest.Dims(3), -2, -3, -8)), Tol: 1e-15,
			},
			optest.Case{Name: d.String() + " pivots", In: optest.In(optest.Filled(d, optest.Dims(3, 3), 0, 2, 0, 0, 0, 4, 8, 0, 0)), Want: optest.Want(optest.Filled(d, nil, 64))},
			optest.Case{Name: d.String() + " singular", In: optest.In(optest.Filled(d, optest.Dims(2, 2), 1, 2, 2, 4)), Want: optest.Want(optest.Filled(d, nil, 0)), Tol: 1e-15},
			optest.Case{Name: d.String() + " of one", In: optest.In(optest.Filled(d, optest.Dims(1, 1, 1), -3)), Want: optest.Want(optest.Filled(d, optest.Dims(1), -3))},
			optest.Case{Name: d.String() + " of none", In: optest.In(optest.Filled(d, optest.Dims(2, 0, 0))), Want: optest.Want(optest.Filled(d, optest.Dims(2), 1, 1))},
			optest.Case{Name: d.String() + " no matrices", In: optest.In(optest.Filled(d, optest.Dims(0, 2, 2))), Want: optest.Want(optest.Filled(d, optest.Dims(0)))},
		)
	}
	nan := math.NaN()
	optest.Run(t, Det, append(cases,
		// By numpy.linalg.det.
		optest.Case{Name: "four rows", In: optest.In(optest.F64(optest.Dims(4, 4), 2, -1, 0, 3, 1, 4, -2, 0.5, 0, 3, 5, -1, 7, 0, 1, 2)), Want: optest.Want(optest.F64(nil, -432.5)), Tol: 1e-12},
		optest.Case{Name: "NaN", In: optest.In(optest.F64(optest.Dims(2, 2), nan, 1, 1, 1)), Want: optest.Want(optest.F64(nil, nan))},
		optest.Case{Name: "no square", In: optest.In(optest.F32(optest.Dims(1, 2), 1, 2)), Err: "the input has shape [1, 2]: square matrices are expected", Code: errs.Shape},
		optest.Case{Name: "a vector", In: optest.In(optest.F32(optest.Dims(2), 1, 2)), Err: "square matrices are expected", Code: errs.Shape},
	))
}
