package reduce

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// oracle is a reduction of the elements of one output.
type oracle func(x []float64) float64

var oracles = []struct {
	now, old *op.Operator
	f        oracle
}{
	{ReduceSum, ReduceSum1, plainSum},
	{ReduceMean, ReduceMean1, func(x []float64) float64 { return plainSum(x) / float64(len(x)) }},
	{ReduceProd, ReduceProd1, func(x []float64) float64 {
		p := 1.0
		for _, v := range x {
			p *= v
		}
		return p
	}},
	{ReduceL1, ReduceL11, func(x []float64) float64 { return plainSum(mapped(x, math.Abs)) }},
	{ReduceL2, ReduceL21, func(x []float64) float64 { return math.Sqrt(plainSum(mapped(x, square))) }},
	{ReduceSumSquare, ReduceSumSquare1, func(x []float64) float64 { return plainSum(mapped(x, square)) }},
	{ReduceLogSum, ReduceLogSum1, func(x []float64) float64 { return math.Log(plainSum(x)) }},
	{ReduceLogSumExp, ReduceLogSumExp1, func(x []float64) float64 { return math.Log(plainSum(mapped(x, math.Exp))) }},
	{ReduceMax, ReduceMax1, func(x []float64) float64 {
		top := math.Inf(-1)
		for _, v := range x {
			top = math.Max(top, v)
		}
		return top
	}},
	{ReduceMin, ReduceMin1, func(x []float64) float64 {
		top := math.Inf(1)
		for _, v := range x {
			top = math.Min(top, v)
		}
		return top
	}},
}

func square(v float64) float64 { return v * v }

func plainSum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func mapped(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

// expected folds the dimensions in mask with plain loops over all elements.
func expected(shape tensor.Shape, mask int, x []float64, f oracle) (keep, drop tensor.Shape, y []float64) {
	n := 1
	for d, size := range shape {
		if mask>>d&1 == 1 {
			keep = append(keep, 1)
			continue
		}
		n *= size
		keep, drop = append(keep, size), append(drop, size)
	}
	groups := make([][]float64, n)
	for i, v := range x {
		at, rest, scale := 0, i, 1
		for d := len(shape) - 1; d >= 0; d-- {
			if mask>>d&1 == 0 {
				at += rest % shape[d] * scale
				scale *= shape[d]
			}
			rest /= shape[d]
		}
		groups[at] = append(groups[at], v)
	}
	for _, g := range groups {
		y = append(y, f(g))
	}
	return keep, drop, y
}

// Every set of axes, kept or not, as an input and as an attribute.
func TestReduceOverEverySetOfAxes(t *testing.T) {
	shape := optest.Dims(2, 3, 1, 4)
	x := make([]float64, shape.Elements())
	for i := range x {
		x[i] = float64(i*i%5) + 0.5
	}
	for _, o := range oracles {
		t.Run(o.now.Name, func(t *testing.T) {
			for mask := 1; mask < 16; mask++ {
				var axes []int64
				var attr []int
				for d := range shape {
					if mask>>d&1 == 1 {
						axes, attr = append(axes, int64(d-4)), append(attr, d)
					}
				}
				keep, drop, y := expected(shape, mask, x, o.f)
				in := optest.Filled(tensor.F32, shape, x...)
				optest.Run(t, o.now, []optest.Case{
					{Name: "input, kept", In: optest.In(in, optest.Ints(axes...)), Want: optest.Want(optest.Filled(tensor.F32, keep, y...)), Tol: 1e-6},
					{Name: "input, dropped", Attrs: optest.Attrs("keepdims", 0), In: optest.In(in, optest.Ints(axes...)), Want: optest.Want(optest.Filled(tensor.F32, drop, y...)), Tol: 1e-6},
				})
				optest.Run(t, o.old, []optest.Case{
					{Name: "attribute", Attrs: optest.Attrs("axes", attr, "keepdims", 0), In: optest.In(in), Want: optest.Want(optest.Filled(tensor.F32, drop, y...)), Tol: 1e-6},
				})
			}
		})
	}
}

// Rows and columns beyond a block, in every element type.
func TestReduceEveryType(t *testing.T) {
	shape := optest.Dims(3, 2*block+5)
	x := make([]float64, shape.Elements())
	for i := range x {
		x[i] = float64(i % 2) // products stay in range, sums are exact in 16 bits but for bf16
	}
	for _, o := range oracles {
		t.Run(o.now.Name, func(t *testing.T) {
			for _, d := range o.now.Def().DTypes.Types() {
				for axis := range 2 {
					_, drop, y := expected(shape, 1<<axis, x, o.f)
					tol := map[tensor.DType]float64{tensor.F16: 1e-3, tensor.BF16: 8e-3}[d]
					if d == tensor.F32 || d == tensor.F64 {
						tol = 1e-6
					}
					optest.Run(t, o.now, []optest.Case{{
						Name: d.String(), Attrs: optest.Attrs("keepdims", 0), In: optest.In(optest.Filled(d, shape, x...), optest.Ints(int64(axis))),
						Want: optest.Want(optest.Filled(d, drop, y...)), Tol: tol,
					}})
				}
			}
		})
	}
}

func TestReduceNothing(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		def     *op.Operator
		f       float64
		i32     float64
		u64     float64
		ofThree float64 // noop on 3
	}{
		{ReduceSum, 0, 0, 0, 3},
		{ReduceMean, nan, 0, 0, 3},
		{ReduceProd, 1, 1, 1, 3},
		{ReduceL1, 0, 0, 0, 3},
		{ReduceL2, 0, 0, 0, 3},
		{ReduceSumSquare, 0, 0, 0, 9},
		{ReduceLogSum, -inf, math.MinInt32, 0, math.Log(3)},
		{ReduceLogSumExp, -inf, math.MinInt32, 0, 3},
		{ReduceMax, -inf, math.MinInt32, 0, 3},
		{ReduceMin, inf, math.MaxInt32, -1, 3},
	} {
		t.Run(c.def.Name, func(t *testing.T) {
			noop := optest.Attrs("noop_with_empty_axes", 1)
			optest.Run(t, c.def, []optest.Case{
				{Name: "f32", In: optest.In(optest.F32(optest.Dims(2, 0)), optest.Ints(1)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(2, 1), c.f, c.f))},
				{Name: "f16", In: optest.In(optest.Filled(tensor.F16, optest.Dims(0, 2)), optest.Ints(0)), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(1, 2), c.f, c.f))},
				{Name: "i32", In: optest.In(optest.I32(optest.Dims(0)), nil), Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(1), c.i32))},
				{Name: "u64", In: optest.In(optest.Filled(tensor.U64, optest.Dims(0))), Want: optest.Want(optest.Filled(tensor.U64, optest.Dims(1), c.u64))},
				{Name: "no output", In: optest.In(optest.F32(optest.Dims(0, 3)), optest.Ints(1)), Want: optest.Want(optest.F32(optest.Dims(0, 1)))},
				{Name: "a scalar", In: optest.In(optest.F32(nil, 3)), Want: optest.Want(optest.Filled(tensor.F32, nil, c.ofThree)), Tol: 1e-6},
				{Name: "no axes are all axes", Attrs: optest.Attrs("keepdims", 0), In: optest.In(optest.F32(optest.Dims(1, 1), 3), optest.Ints()), Want: optest.Want(optest.Filled(tensor.F32, nil, c.ofThree)), Tol: 1e-6},
				{Name: "noop", Attrs: noop, In: optest.In(optest.F32(optest.Dims(2, 1), 3, 3), optest.Ints()), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(2, 1), c.ofThree, c.ofThree)), Tol: 1e-6},
				{Name: "noop without axes", Attrs: noop, In: optest.In(optest.F32(optest.Dims(2), 3, 3)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(2), c.ofThree, c.ofThree)), Tol: 1e-6},
				{Name: "NaN", In: optest.In(optest.F32(optest.Dims(3), 1, float32(nan), 2)), Want: optest.Want(optest.F32(optest.Dims(1), float32(nan)))},
				{Name: "NaN across rows", In: optest.In(optest.F32(optest.Dims(2, 2), 1, float32(nan), 1, 2), optest.Ints(0)), Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(1, 2), expectedOf(c.def, 1, 1), nan)), Tol: 1e-6},
				{Name: "an axis that does not exist", In: optest.In(optest.F32(optest.Dims(2), 1, 2), optest.Ints(1)), Err: "axis 1", Code: errs.Shape},
			})
		})
	}
}

// expectedOf is the oracle's answer for x.
func expectedOf(def *op.Operator, x ...float64) float64 {
	for _, o := range oracles {
		if o.now == def {
			return o.f(x)
		}
	}
	return math.NaN()
}

// The bounds of what the types hold: overflow wraps, exponentials do not
// overflow, float16 is summed wider than it is.
func TestReduceAtTheBounds(t *testing.T) {
	optest.Run(t, ReduceSum, []optest.Case{
		{Name: "wraps", In: optest.In(optest.I32(optest.Dims(2), math.MaxInt32, 1)), Want: optest.Want(optest.I32(optest.Dims(1), math.MinInt32))},
		{Name: "float16 beyond 2048", In: optest.In(optest.Filled(tensor.F16, optest.Dims(4), 2048, 1, 1, 2)), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(1), 2052))},
	})
	optest.Run(t, ReduceMean, []optest.Case{
		{Name: "a mean beyond the sum's type", In: optest.In(optest.I32(optest.Dims(2), math.MaxInt32, math.MaxInt32)), Want: optest.Want(optest.I32(optest.Dims(1), math.MaxInt32))},
		{Name: "truncates", In: optest.In(optest.I64(optest.Dims(2), -1, -2)), Want: optest.Want(optest.I64(optest.Dims(1), -1))},
		{Name: "a float16 sum beyond its range", In: optest.In(optest.Filled(tensor.F16, optest.Dims(2), 65504, 65504)), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(1), 65504))},
	})
	inf, nan := math.Inf(1), math.NaN()
	optest.Run(t, ReduceLogSumExp, []optest.Case{
		{Name: "large", In: optest.In(optest.F32(optest.Dims(2), 1000, 1000)), Want: optest.Want(optest.F32(optest.Dims(1), 1000.6931)), Tol: 1e-6},
		{Name: "infinite", In: optest.In(optest.Filled(tensor.F64, optest.Dims(3, 2), inf, 1, -inf, -inf, -inf, 2), optest.Ints(1)), Want: optest.Want(optest.Filled(tensor.F64, optest.Dims(3, 1), inf, -inf, 2))},
	})
	long := make([]float64, 3*2*block) // rows that the vector kernels take
	for i := range long {
		long[i] = 1
	}
	long[5], long[2*block+9], long[4*block+block+1] = inf, nan, 300
	for i := range 2 * block {
		if i != block+1 {
			long[4*block+i] = -inf
		}
	}
	rows := optest.In(optest.Filled(tensor.F32, optest.Dims(3, 2*block), long...), optest.Ints(1))
	for _, def := range []*op.Operator{ReduceLogSumExp, ReduceMax} {
		optest.Run(t, def, []optest.Case{{Name: "long rows, special numbers", In: rows, Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(3, 1), inf, nan, 300))}})
	}
	optest.Run(t, ReduceMax, []optest.Case{
		{Name: "bool", In: optest.In(optest.Bool(optest.Dims(2, 2), true, false, false, false), optest.Ints(1)), Want: optest.Want(optest.Bool(optest.Dims(2, 1), true, false))},
		{Name: "no bool", In: optest.In(optest.Bool(optest.Dims(0))), Want: optest.Want(optest.Bool(optest.Dims(1), false))},
	})
	optest.Run(t, ReduceMin, []optest.Case{
		{Name: "bool", In: optest.In(optest.Bool(optest.Dims(2, 2), true, true, true, false), optest.Ints(1)), Want: optest.Want(optest.Bool(optest.Dims(2, 1), true, false))},
	})
}

// Columns that are longer than what is summed in f32 alone, and more of them than are
// summed together.
func TestReduceSumOfLongColumns(t *testing.T) {
	const rows, columns = 3*partRows + 5, 2*block + 44
	x, want := make([]float32, rows*columns), make([]float32, columns)
	for k := range want {
		sum := 0.0
		for r := range rows {
			x[r*columns+k] = float32((r*31+k*17)%97) - 40 + float32(k%5)/8
			sum += float64(x[r*columns+k])
		}
		want[k] = float32(sum)
	}
	optest.Run(t, ReduceSum, []optest.Case{{
		Name: "columns", In: optest.In(optest.F32(optest.Dims(rows, columns), x...), optest.I64(optest.Dims(1), 0)),
		Want: optest.Want(optest.F32(optest.Dims(1, columns), want...)),
	}})
}

// Outputs that lie side by side are folded together, hundreds at a time.
func TestManyNeighbours(t *testing.T) {
	const n = 1300
	nan := float32(math.NaN())
	x := make([]float32, 3*n)
	top, bottom, sum := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		a, b, c := float32(i%5), float32(-i%7), float32(i%3)-1
		if i%100 == 7 {
			b = nan
		}
		x[i], x[n+i], x[2*n+i] = a, b, c
		top[i], bottom[i], sum[i] = max(a, b, c), min(a, b, c), a+b+c
	}
	for def, want := range map[*op.Operator][]float32{ReduceMax: top, ReduceMin: bottom, ReduceSum: sum} {
		optest.Run(t, def, []optest.Case{{
			Name: def.Def().Name, In: optest.In(optest.F32(optest.Dims(3, n), x...), optest.I64(optest.Dims(1), 0)), Attrs: optest.Attrs("keepdims", 0),
			Want: optest.Want(optest.F32(optest.Dims(n), want...)),
		}})
	}
}
