package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestShrink(t *testing.T) {
	var cases []optest.Case
	for _, d := range Shrink.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(5), 0, 1, 2, 3, 100)
		cases = append(cases,
			optest.Case{Name: d.String() + " hard", Attrs: optest.Attrs("lambd", 1.5), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(5), 0, 0, 2, 3, 100))},
			optest.Case{Name: d.String() + " soft", Attrs: optest.Attrs("lambd", 1.5, "bias", 1.5), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(5), 0, 0, 0.5, 1.5, 98.5))},
			optest.Case{Name: d.String() + " a scalar", In: optest.In(optest.Filled(d, nil, 1)), Want: optest.Want(optest.Filled(d, nil, 1))},
			optest.Case{Name: d.String() + " nothing", In: optest.In(optest.Filled(d, optest.Dims(0))), Want: optest.Want(optest.Filled(d, optest.Dims(0)))},
		)
		if d.Signed() || d.Float() {
			cases = append(cases, optest.Case{
				Name: d.String() + " below", Attrs: optest.Attrs("lambd", 1.5, "bias", 1.5), In: optest.In(optest.Filled(d, optest.Dims(3), -1, -2, -100)),
				Want: optest.Want(optest.Filled(d, optest.Dims(3), 0, -0.5, -98.5)),
			})
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	optest.Run(t, Shrink, append(cases,
		optest.Case{Name: "NaN is in no part", Attrs: optest.Attrs("bias", 1.0), In: optest.In(optest.F32(optest.Dims(3), nan, inf, -inf)), Want: optest.Want(optest.F32(optest.Dims(3), 0, inf, -inf))},
		optest.Case{Name: "bool", In: optest.In(optest.Filled(tensor.Bool, nil, 1)), Err: "element type bool is not supported", Code: errs.Unsupported},
	))
}
