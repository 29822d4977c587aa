package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// few gives 0, 1, 2 in turn, the other way round from few2.
func few(i int) float64  { return float64(i % 3) }
func few2(i int) float64 { return float64(2 - i*i%3) }

func TestGreater(t *testing.T) {
	everyPair(t, Greater, few, few2, func(a, b float64) float64 { return oneIf(a > b) }, tensor.Bool)
	legacy(t, Greater1, tensor.F32, tensor.Bool, 1)
}

func TestLess(t *testing.T) {
	everyPair(t, Less, few, few2, func(a, b float64) float64 { return oneIf(a < b) }, tensor.Bool)
	legacy(t, Less1, tensor.F64, tensor.Bool, 0)
}

// Equal's bool compares truth, so its inputs are 0 and 1.
func TestEqual(t *testing.T) {
	everyPair(t, Equal, func(i int) float64 { return float64(i % 2) }, func(i int) float64 { return float64(i / 2 % 2) },
		func(a, b float64) float64 { return oneIf(a == b) }, tensor.Bool)
	legacy(t, Equal1, tensor.I32, tensor.Bool, 0)
	optest.Run(t, Equal, []optest.Case{
		{
			Name: "strings", In: optest.In(optest.Str(optest.Dims(4), "", "a", "ab", "grün"), optest.Str(optest.Dims(4), "", "b", "a", "grün")),
			Want: optest.Want(optest.Bool(optest.Dims(4), true, false, false, true)),
		},
		{
			Name: "a string with each", In: optest.In(optest.Str(optest.Dims(2, 1), "x", "y"), optest.Str(optest.Dims(2), "y", "x")),
			Want: optest.Want(optest.Bool(optest.Dims(2, 2), false, true, true, false)),
		},
		{Name: "complex", In: optest.In(optest.Make(tensor.C64, nil, []complex64{1}), optest.Make(tensor.C64, nil, []complex64{1})), Err: "element type c64 is not supported", Code: errs.Unsupported},
	})
}

func TestComparisonsOnSpecialNumbers(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	a, b := []float64{nan, nan, 1, 0, inf, -inf, inf}, []float64{nan, 1, nan, math.Copysign(0, -1), inf, inf, 1}
	for _, c := range []struct {
		def  *op.Operator
		want []float64
	}{
		{Equal, []float64{0, 0, 0, 1, 1, 0, 0}},
		{Greater, []float64{0, 0, 0, 0, 0, 0, 1}},
		{Less, []float64{0, 0, 0, 0, 0, 1, 0}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
			n := optest.Dims(len(a))
			optest.Run(t, c.def, []optest.Case{{
				Name: c.def.Name + " " + d.String(), In: optest.In(optest.Filled(d, n, a...), optest.Filled(d, n, b...)),
				Want: optest.Want(optest.Filled(tensor.Bool, n, c.want...)),
			}})
		}
	}
}

// Whole numbers are compared as such: a way through floats would lose the last
// digits.
func TestComparisonsOfLargeNumbers(t *testing.T) {
	u := func(v ...uint64) *tensor.View { return optest.Make(tensor.U64, optest.Dims(len(v)), v) }
	in := optest.In(u(math.MaxUint64, 1<<53), u(math.MaxUint64-1, 1<<53+1))
	optest.Run(t, Equal, []optest.Case{{Name: "Equal", In: in, Want: optest.Want(optest.Bool(optest.Dims(2), false, false))}})
	optest.Run(t, Greater, []optest.Case{{Name: "Greater", In: in, Want: optest.Want(optest.Bool(optest.Dims(2), true, false))}})
	optest.Run(t, Less, []optest.Case{{Name: "Less", In: in, Want: optest.Want(optest.Bool(optest.Dims(2), false, true))}})
}
