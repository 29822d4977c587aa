package ml

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestScaler(t *testing.T) {
	offset, scale := []float32{1, 2, 3}, []float32{2, 0.5, -1}
	var cases []optest.Case
	for _, d := range Scaler.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(2, 3), 1, 4, 2, -1, 0, 7)
		cases = append(cases,
			optest.Case{Name: d.String() + " for each feature", Attrs: optest.Attrs("offset", offset, "scale", scale), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(2, 3), 0, 1, 1, -4, -1, -4))},
			optest.Case{Name: d.String() + " one for all", Attrs: optest.Attrs("offset", []float32{1}, "scale", []float32{3}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(2, 3), 0, 9, 3, -6, -3, 18))},
			optest.Case{Name: d.String() + " offset alone", Attrs: optest.Attrs("offset", []float32{1}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(2, 3), 0, 3, 1, -2, -1, 6))},
			optest.Case{Name: d.String() + " neither", In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(2, 3), 1, 4, 2, -1, 0, 7))},
		)
	}
	nan := float32(math.NaN())
	optest.Run(t, Scaler, append(cases,
		optest.Case{Name: "a vector", Attrs: optest.Attrs("offset", offset, "scale", scale), In: optest.In(optest.F32(optest.Dims(3), 1, nan, 2)), Want: optest.Want(optest.F32(optest.Dims(3), 0, nan, 1))},
		optest.Case{Name: "a scalar", Attrs: optest.Attrs("scale", []float32{2}), In: optest.In(optest.F32(nil, 4)), Want: optest.Want(optest.F32(nil, 8))},
		optest.Case{Name: "no rows", Attrs: optest.Attrs("offset", offset), In: optest.In(optest.F32(optest.Dims(0, 3))), Want: optest.Want(optest.F32(optest.Dims(0, 3)))},
		optest.Case{Name: "no features", In: optest.In(optest.F32(optest.Dims(3, 0))), Want: optest.Want(optest.F32(optest.Dims(3, 0)))},
		optest.Case{Name: "other features", Attrs: optest.Attrs("scale", scale), In: optest.In(optest.F32(optest.Dims(2), 1, 2)), Err: "scale has 3 numbers, X has shape [2]", Code: errs.Shape},
		optest.Case{Name: "f16", In: optest.In(optest.Filled(tensor.F16, nil, 1)), Err: "element type f16 is not supported", Code: errs.Unsupported},
	))
}
