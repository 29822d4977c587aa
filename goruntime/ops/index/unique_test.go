package index

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestUnique(t *testing.T) {
	var cases []optest.Case
	for _, d := range Unique.Def().DTypes.Types() {
		if d == tensor.Bool {
			continue
		}
		x := optest.Filled(d, optest.Dims(6), 2, 1, 1, 3, 4, 3)
		m := optest.Filled(d, optest.Dims(3, 3), 2, 3, 4, 1, 0, 0, 1, 0, 0)
		cases = append(cases,
			optest.Case{
				Name: d.String() + " as they come", Attrs: optest.Attrs("sorted", 0), In: optest.In(x),
				Want: optest.Want(optest.Filled(d, optest.Dims(4), 2, 1, 3, 4), optest.Ints(0, 1, 3, 4), optest.Ints(0, 1, 1, 2, 3, 2), optest.Ints(1, 2, 2, 1)),
			},
			optest.Case{
				Name: d.String() + " in order", In: optest.In(x),
				Want: optest.Want(optest.Filled(d, optest.Dims(4), 1, 2, 3, 4), optest.Ints(1, 0, 3, 4), optest.Ints(1, 0, 0, 2, 3, 2), optest.Ints(2, 1, 2, 1)),
			},
			optest.Case{
				Name: d.String() + " rows", Attrs: optest.Attrs("axis", 0), In: optest.In(m),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 1, 0, 0, 2, 3, 4), optest.Ints(1, 0), optest.Ints(1, 0, 0), optest.Ints(2, 1)),
			},
			optest.Case{
				Name: d.String() + " columns", Attrs: optest.Attrs("axis", -1, "sorted", 0), In: optest.In(optest.Filled(d, optest.Dims(2, 3), 5, 1, 5, 6, 1, 6)),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 5, 1, 6, 1), optest.Ints(0, 1), optest.Ints(0, 1, 0), optest.Ints(2, 1)),
			},
			optest.Case{Name: d.String() + " counts alone", In: optest.In(x), Want: optest.Want(optest.Like(d, 4), nil, nil, optest.Ints(2, 1, 2, 1))},
			optest.Case{Name: d.String() + " a scalar", In: optest.In(optest.Filled(d, nil, 7)), Want: optest.Want(optest.Filled(d, optest.Dims(1), 7), optest.Ints(0), optest.Ints(0), optest.Ints(1))},
			optest.Case{Name: d.String() + " nothing", In: optest.In(optest.Filled(d, optest.Dims(0))), Want: optest.Want(optest.Filled(d, optest.Dims(0)), optest.Ints(), optest.Ints(), optest.Ints())},
		)
	}
	nan := float32(math.NaN())
	three := optest.F32(optest.Dims(2, 4, 2), 1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1)
	optest.Run(t, Unique, append(cases,
		optest.Case{
			Name: "the example of slices", Attrs: optest.Attrs("axis", 1), In: optest.In(three),
			Want: optest.Want(optest.F32(optest.Dims(2, 3, 2), 0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1), optest.Ints(1, 0, 2), optest.Ints(1, 0, 2, 0), optest.Ints(2, 1, 1)),
		},
		optest.Case{Name: "bool", In: optest.In(optest.Bool(optest.Dims(3), true, false, true)), Want: optest.Want(optest.Bool(optest.Dims(2), false, true), optest.Ints(1, 0), optest.Ints(1, 0, 1), optest.Ints(1, 2))},
		optest.Case{
			Name: "NaN and zeros", In: optest.In(optest.F32(optest.Dims(5), nan, 0, -1, nan, float32(math.Copysign(0, -1)))),
			Want: optest.Want(optest.F32(optest.Dims(3), -1, 0, nan), optest.Ints(2, 1, 0), optest.Ints(2, 1, 0, 2, 1), optest.Ints(1, 2, 2)),
		},
		optest.Case{Name: "negative numbers", In: optest.In(optest.F64(optest.Dims(3), 1, -2, -1)), Want: optest.Want(optest.F64(optest.Dims(3), -2, -1, 1))},
		optest.Case{Name: "empty slices", Attrs: optest.Attrs("axis", 0), In: optest.In(optest.F32(optest.Dims(3, 0))), Want: optest.Want(optest.F32(optest.Dims(1, 0)), optest.Ints(0), optest.Ints(0, 0, 0), optest.Ints(3))},
		optest.Case{Name: "an axis outside", Attrs: optest.Attrs("axis", 1), In: optest.In(optest.F32(optest.Dims(1), 1)), Err: "axis 1 is out of range for rank 1", Code: errs.Shape},
	))
}
