package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestLogSoftmax(t *testing.T) {
	nan := float32(math.NaN())
	example := []float32{-2.4076059, -1.4076059, -0.40760595}
	cases := []optest.Case{
		{Name: "the example of the specification", In: optest.In(optest.F32(optest.Dims(1, 3), -1, 0, 1)), Want: optest.Want(optest.F32(optest.Dims(1, 3), example...)), Tol: 1e-6},
		{
			Name: "large numbers", In: optest.In(optest.F32(optest.Dims(2, 4), 0, 1, 2, 3, 10000, 10001, 10002, 10003)),
			Want: optest.Want(optest.F32(optest.Dims(2, 4), -3.4401896, -2.4401896, -1.4401897, -0.4401897, -3.4401896, -2.4401896, -1.4401897, -0.4401897)), Tol: 1e-6,
		},
		{Name: "a NaN spoils its row", In: optest.In(optest.F32(optest.Dims(2, 2), nan, 1, 1, 1)), Want: optest.Want(optest.F32(optest.Dims(2, 2), nan, nan, -0.6931472, -0.6931472)), Tol: 1e-6},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 5)), Want: optest.Want(optest.F32(nil, 0))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(2, 0))), Want: optest.Want(optest.F32(optest.Dims(2, 0)))},
		{Name: "an axis that does not exist", Attrs: optest.Attrs("axis", 2), In: optest.In(optest.F32(optest.Dims(1, 1), 0)), Err: "axis 2", Code: errs.Shape},
	}
	for _, d := range LogSoftmax.Def().DTypes.Types() {
		tol := map[tensor.DType]float64{tensor.F16: 1e-3, tensor.BF16: 8e-3, tensor.F32: 1e-6, tensor.F64: 1e-7}[d]
		cases = append(cases,
			optest.Case{Name: "rows " + d.String(), In: optest.In(optest.Filled(d, optest.Dims(3), -1, 0, 1)), Want: optest.Want(optest.Filled(d, optest.Dims(3), -2.4076059, -1.4076059, -0.40760595)), Tol: tol},
			optest.Case{Name: "columns " + d.String(), Attrs: optest.Attrs("axis", 0), In: optest.In(optest.Filled(d, optest.Dims(3, 2), -1, 4, 0, 5, 1, 6)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 2), -2.4076059, -2.4076059, -1.4076059, -1.4076059, -0.40760595, -0.40760595)), Tol: tol})
	}
	optest.Run(t, LogSoftmax, cases)
}

// A row longer than a block, against math.Log.
func TestLogSoftmaxOfLongRows(t *testing.T) {
	const n = 3*logBlock + 11
	x, want := make([]float64, n), make([]float64, n)
	total := 0.0
	for i := range x {
		x[i] = float64(i%23)/4 - 2
		total += math.Exp(x[i])
	}
	for i := range x {
		want[i] = x[i] - math.Log(total)
	}
	optest.Run(t, LogSoftmax, []optest.Case{{Name: "long", In: optest.In(optest.Filled(tensor.F32, optest.Dims(n), x...)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(n), want...)), Tol: 1e-6}})
}

func TestHardmax(t *testing.T) {
	nan := float32(math.NaN())
	cases := []optest.Case{
		{
			Name: "the example of the specification", In: optest.In(optest.F32(optest.Dims(4, 4), 3, 0, 1, 2, 2, 5, 1, 0, 0, 1, 3, 2, 0, 1, 2, 3)),
			Want: optest.Want(optest.F32(optest.Dims(4, 4), 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)),
		},
		{Name: "the first of equals", In: optest.In(optest.F32(optest.Dims(1, 4), 3, 3, 3, 1)), Want: optest.Want(optest.F32(optest.Dims(1, 4), 1, 0, 0, 0))},
		{Name: "the first NaN", In: optest.In(optest.F32(optest.Dims(4), 3, nan, 9, nan)), Want: optest.Want(optest.F32(optest.Dims(4), 0, 1, 0, 0))},
		{Name: "minus infinity alone", In: optest.In(optest.F32(optest.Dims(2), float32(math.Inf(-1)), float32(math.Inf(-1)))), Want: optest.Want(optest.F32(optest.Dims(2), 1, 0))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 5)), Want: optest.Want(optest.F32(nil, 1))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0, 2))), Want: optest.Want(optest.F32(optest.Dims(0, 2)))},
	}
	for _, d := range Hardmax.Def().DTypes.Types() {
		cases = append(cases, optest.Case{Name: "columns " + d.String(), Attrs: optest.Attrs("axis", -2), In: optest.In(optest.Filled(d, optest.Dims(3, 2), 1, 4, 2, 3, 0, 5)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 2), 0, 0, 1, 0, 0, 1))})
	}
	optest.Run(t, Hardmax, cases)
}

// Before version 13 all dimensions from axis on are one row.
func TestAlongAxisFlattensBeforeVersion13(t *testing.T) {
	x := optest.F32(optest.Dims(2, 2, 2), 1, 2, 3, 4, 8, 7, 6, 5)
	for _, c := range []struct {
		def  *op.Operator
		want []float32
	}{
		{Hardmax1, []float32{0, 0, 0, 1, 1, 0, 0, 0}},
		{LogSoftmax1, []float32{-3.4401897, -2.4401897, -1.4401897, -0.4401897, -0.4401897, -1.4401897, -2.4401897, -3.4401897}},
	} {
		optest.Run(t, c.def, []optest.Case{
			{Name: c.def.Name, In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(2, 2, 2), c.want...)), Tol: 1e-6},
			{Name: c.def.Name + " from a negative axis", Version: 11, Attrs: optest.Attrs("axis", -2), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(2, 2, 2), c.want...)), Tol: 1e-6},
		})
	}
}
