package index

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestNonZero(t *testing.T) {
	cases := []optest.Case{
		{Name: "the example of the specification", In: optest.In(optest.Bool(optest.Dims(2, 2), true, false, true, true)), Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 1, 1, 0, 0, 1))},
		{Name: "a NaN counts, -0 does not", In: optest.In(optest.F32(optest.Dims(3), float32(math.NaN()), float32(math.Copysign(0, -1)), 1)), Want: optest.Want(optest.I64(optest.Dims(1, 2), 0, 2))},
		{Name: "-0 of f16", In: optest.In(optest.Make(tensor.F16, optest.Dims(3), []uint16{0x8000, 1, 0x7e00})), Want: optest.Want(optest.I64(optest.Dims(1, 2), 1, 2))},
		{Name: "strings", In: optest.In(optest.Str(optest.Dims(3), "", "0", "x")), Want: optest.Want(optest.I64(optest.Dims(1, 2), 1, 2))},
		{Name: "a scalar has no coordinates", In: optest.In(optest.F32(nil, 3)), Want: optest.Want(optest.I64(optest.Dims(0, 1)))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0, 2))), Want: optest.Want(optest.I64(optest.Dims(2, 0)))},
		{Name: "all zero", In: optest.In(optest.F32(optest.Dims(2), 0, 0)), Want: optest.Want(optest.I64(optest.Dims(1, 0)))},
	}
	for _, d := range NonZero.Def().DTypes.Types() {
		if d != tensor.Str {
			cases = append(cases, optest.Case{Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(1, 3), 1, 0, 2)), Want: optest.Want(optest.I64(optest.Dims(2, 2), 0, 0, 0, 2))})
		}
	}
	optest.Run(t, NonZero, cases)
}
