package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestCompress(t *testing.T) {
	var cases []optest.Case
	keep := func(list ...bool) *tensor.View { return optest.Bool(optest.Dims(len(list)), list...) }
	for _, d := range Compress.Def().DTypes.Types() {
		if tensor.SmallOf(d) != nil {
			continue
		}
		x := optest.Filled(d, optest.Dims(3, 2), 1, 2, 3, 4, 5, 6)
		cases = append(cases,
			optest.Case{Name: d.String() + " rows", Attrs: optest.Attrs("axis", 0), In: optest.In(x, keep(false, true, true)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 3, 4, 5, 6))},
			optest.Case{Name: d.String() + " columns", Attrs: optest.Attrs("axis", -1), In: optest.In(x, keep(false, true)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 1), 2, 4, 6))},
			optest.Case{Name: d.String() + " elements", In: optest.In(x, keep(false, true, false, false, true)), Want: optest.Want(optest.Filled(d, optest.Dims(2), 2, 5))},
			optest.Case{Name: d.String() + " a short condition", Attrs: optest.Attrs("axis", 0), In: optest.In(x, keep(true)), Want: optest.Want(optest.Filled(d, optest.Dims(1, 2), 1, 2))},
			optest.Case{Name: d.String() + " a long condition", Attrs: optest.Attrs("axis", 1), In: optest.In(x, keep(true, false, true)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 1), 1, 3, 5))},
			optest.Case{Name: d.String() + " nothing kept", Attrs: optest.Attrs("axis", 0), In: optest.In(x, keep(false, false)), Want: optest.Want(optest.Filled(d, optest.Dims(0, 2)))},
			optest.Case{Name: d.String() + " of nothing", In: optest.In(optest.Filled(d, optest.Dims(0)), keep(true)), Want: optest.Want(optest.Filled(d, optest.Dims(0)))},
		)
	}
	x := optest.F32(optest.Dims(2), 1, 2)
	optest.Run(t, Compress, append(cases,
		optest.Case{Name: "a matrix as condition", In: optest.In(x, optest.Bool(optest.Dims(1, 1), true)), Err: "the condition has shape [1, 1], one dimension expected", Code: errs.Shape},
		optest.Case{Name: "an axis outside", Attrs: optest.Attrs("axis", 1), In: optest.In(x, keep(true)), Err: "axis 1 is out of range for rank 1", Code: errs.Shape},
	))
}
