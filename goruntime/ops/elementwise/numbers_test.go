package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// repeated is a list over more than a block of numbers, and some more.
func repeated(list ...float64) []float64 {
	var all []float64
	for len(all) < boundBlock+3 {
		all = append(all, list...)
	}
	return all[:boundBlock+3]
}

func float64s(list ...float64) *tensor.View { return optest.F64(optest.Dims(len(list)), list...) }

// What has no magnitude, the least and the greatest one, and what is no number.
func TestFloat64sAtTheirEnds(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	x := repeated(0, zero, 5e-324, -5e-324, 1e308, -1e308, inf, -inf, nan, 1.5, -0.25)
	for _, c := range []struct {
		def  *op.Operator
		want []float64
	}{
		{Sign, repeated(0, zero, 1, -1, 1, -1, 1, -1, nan, 1, -1)},
		{Abs, repeated(0, 0, 5e-324, 5e-324, 1e308, 1e308, inf, inf, nan, 1.5, 0.25)},
		{Neg, repeated(zero, 0, -5e-324, 5e-324, -1e308, 1e308, -inf, inf, nan, -1.5, 0.25)},
		{Relu, repeated(0, 0, 5e-324, 0, 1e308, 0, inf, 0, nan, 1.5, 0)},
	} {
		optest.Run(t, c.def, []optest.Case{{Name: c.def.Name, In: optest.In(float64s(x...)), Want: optest.Want(float64s(c.want...))}})
	}
	scalar := func(v float64) *tensor.View { return optest.F64(nil, v) }
	for _, c := range []struct {
		name      string
		low, high *tensor.View
		want      []float64
	}{
		{"both bounds", scalar(-1), scalar(1), repeated(0, zero, 5e-324, -5e-324, 1, -1, 1, -1, nan, 1, -0.25)},
		{"the upper bound wins", scalar(2), scalar(-2), repeated(-2, -2, -2, -2, -2, -2, -2, -2, nan, -2, -2)},
		{"NaN bounds nothing", scalar(nan), scalar(1), repeated(0, zero, 5e-324, -5e-324, 1, -1e308, 1, -inf, nan, 1, -0.25)},
		{"no upper bound", scalar(0.5), nil, repeated(0.5, 0.5, 0.5, 0.5, 1e308, 0.5, inf, 0.5, nan, 1.5, 0.5)},
	} {
		optest.Run(t, Clip, []optest.Case{{Name: c.name, In: optest.In(float64s(x...), c.low, c.high), Want: optest.Want(float64s(c.want...))}})
	}
}

// Which of two inputs is the longer one changes nothing: zeros have their order, NaN wins.
func TestExtremesOfEitherSide(t *testing.T) {
	zero, nan := math.Copysign(0, -1), math.NaN()
	long := func(x float64) *tensor.View { return float64s(repeated(x)...) }
	for _, c := range []struct{ a, b, most, least float64 }{{0, zero, 0, zero}, {zero, 0, 0, zero}, {nan, 1, nan, nan}, {1, nan, nan, nan}, {-3, 2, 2, -3}} {
		for def, want := range map[*op.Operator]float64{Max: c.most, Min: c.least} {
			optest.Run(t, def, []optest.Case{
				{Name: "alike", In: optest.In(long(c.a), long(c.b)), Want: optest.Want(long(want))},
				{Name: "a number first", In: optest.In(optest.F64(nil, c.a), long(c.b)), Want: optest.Want(long(want))},
				{Name: "a number last", In: optest.In(long(c.a), optest.F64(nil, c.b)), Want: optest.Want(long(want))},
			})
		}
	}
}

// A row or a number on either side of every type.
func TestArithmeticOfEveryTypeBroadcast(t *testing.T) {
	const n = 300
	for _, d := range Add.Def().DTypes.Types() {
		row, sums, differences, products := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range row {
			row[i] = float64(i % 11)
			sums[i], differences[i], products[i] = 3+row[i], 3-row[i], 3*row[i]
		}
		three, all := optest.Filled(d, optest.Dims(1), 3), func(v []float64) *tensor.View { return optest.Filled(d, optest.Dims(n), v...) }
		for def, want := range map[*op.Operator][]float64{Add: sums, Sub: differences, Mul: products} {
			optest.Run(t, def, []optest.Case{{Name: d.String(), In: optest.In(three, all(row)), Want: optest.Want(all(want))}})
			if def != Sub {
				optest.Run(t, def, []optest.Case{{Name: d.String() + " last", In: optest.In(all(row), three), Want: optest.Want(all(want))}})
			}
		}
	}
}

// Halves, NaN and infinities among them, beside each other and beside one number.
func TestTestsOfHalves(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := repeated(0, math.Copysign(0, -1), 1, -1, 2, inf, -inf, nan, 0.5)
	flags := func(f func(v float64) bool) *tensor.View {
		list := make([]bool, len(x))
		for i, v := range x {
			list[i] = f(v)
		}
		return optest.Bool(optest.Dims(len(x)), list...)
	}
	for _, d := range []tensor.DType{tensor.F16, tensor.BF16} {
		in, one := optest.Filled(d, optest.Dims(len(x)), x...), optest.Filled(d, nil, 1)
		for _, c := range []struct {
			def         *op.Operator
			left, right func(v float64) bool
		}{
			{Equal, func(v float64) bool { return v == 1 }, func(v float64) bool { return v == 1 }},
			{Less, func(v float64) bool { return v < 1 }, func(v float64) bool { return v > 1 }},
			{Greater, func(v float64) bool { return v > 1 }, func(v float64) bool { return v < 1 }},
			{GreaterOrEqual, func(v float64) bool { return v >= 1 }, func(v float64) bool { return v <= 1 }},
			{LessOrEqual, func(v float64) bool { return v <= 1 }, func(v float64) bool { return v >= 1 }},
		} {
			optest.Run(t, c.def, []optest.Case{
				{Name: c.def.Name + " " + d.String(), In: optest.In(in, one), Want: optest.Want(flags(c.left))},
				{Name: c.def.Name + " turned " + d.String(), In: optest.In(one, in), Want: optest.Want(flags(c.right))},
			})
		}
		optest.Run(t, Equal, []optest.Case{{Name: d.String(), In: optest.In(in, in), Want: optest.Want(flags(func(v float64) bool { return v == v }))}})
		optest.Run(t, IsNaN, []optest.Case{{Name: d.String(), In: optest.In(in), Want: optest.Want(flags(math.IsNaN))}})
		for sign := -1; sign <= 1; sign++ {
			attrs := optest.Attrs("detect_negative", min(1, 1-sign), "detect_positive", min(1, 1+sign))
			optest.Run(t, IsInf, []optest.Case{{Name: d.String(), Attrs: attrs, In: optest.In(in), Want: optest.Want(flags(func(v float64) bool { return math.IsInf(v, sign) }))}})
		}
	}
}
