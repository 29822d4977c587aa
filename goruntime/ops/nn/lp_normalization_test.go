package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestLpNormalization(t *testing.T) {
	for _, d := range LpNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, LpNormalization, []optest.Case{
			{
				Name: d.String() + " the last axis, p 2", Version: 22,
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -0.9284767, 0.3713907, -0.3713907, 0.9284767, 0.3162278, -0.9486833, 1, 0, -0.8, 0.6, -0.1961161, -0.9805807)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " axis 1, p 1", Version: 1, Attrs: optest.Attrs("axis", 1, "p", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -0.625, 0.2, -0.25, 0.5, 0.125, -0.3, 0.4444444, 0, -0.4444444, 0.375, -0.1111111, -0.625)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a zero norm", Version: 22,
				In:   optest.In(of(optest.Dims(2, 2), 0, 0, 3, -4)),
				Want: optest.Want(of(optest.Dims(2, 2), 0, 0, 0.6, -0.8)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestLpNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, LpNormalization, []optest.Case{
		{Name: "p 3", Attrs: optest.Attrs("p", 3), In: optest.In(of(optest.Dims(2), 1, 2)), Err: `p is 3: it must be 1 or 2`, Code: errs.Argument},
		{Name: "an axis outside", Attrs: optest.Attrs("axis", 1), In: optest.In(of(optest.Dims(2), 1, 2)), Err: `axis 1 is out of range for rank 1`, Code: errs.Shape},
	})
}

// Lines of all lengths, also such as whose sums float32s do not hold, against float64.
func TestLpNormalizationOfLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inf, nan := math.Inf(1), math.NaN()
	for _, n := range []int{0, 1, 7, 16, 100, 2*normBlock + 3} {
		for order := 1; order <= 2; order++ {
			var x, want []float64
			for _, size := range []float64{1, 1e25, 1e-25, 1e-42, 0, inf, nan} {
				line := make([]float64, n)
				for i := range line {
					line[i] = float64(float32(r.NormFloat64() * min(size, 1e25)))
				}
				if n > 0 && !(size < inf) {
					line[n/2] = size
				}
				x = append(x, line...)
				sum := 0.0
				for _, v := range line {
					sum += math.Pow(math.Abs(v), float64(order))
				}
				for _, v := range line {
					if sum == 0 {
						v, sum = 0, 1
					}
					want = append(want, v/math.Pow(sum, 1/float64(order)))
				}
			}
			dims := optest.Dims(len(x)/max(1, n), n)
			beside := optest.Dims(n, dims[0])
			of := func(dims tensor.Shape, v []float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
			optest.Run(t, LpNormalization, []optest.Case{
				{Name: fmt.Sprintf("%v, p %d", dims, order), Attrs: optest.Attrs("p", order), In: optest.In(of(dims, x)), Want: optest.Want(of(dims, want)), Tol: 1e-6},
				{
					Name: fmt.Sprintf("%v, p %d, axis 0", beside, order), Attrs: optest.Attrs("p", order, "axis", 0),
					In: optest.In(of(beside, across(x, dims))), Want: optest.Want(of(beside, across(want, dims))), Tol: 1e-6,
				},
			})
		}
	}
}

// In a line that is so long, sums that are rounded at each step would drift.
func TestLpNormalizationOfALongLine(t *testing.T) {
	x, y := make([]float32, 1<<21), make([]float32, 1<<21)
	for i := range x {
		x[i] = 0.1
	}
	dims := optest.Dims(1, len(x))
	for order, want := range map[float64]float64{1: 1 / float64(len(x)), 2: 1 / math.Sqrt(float64(len(x)))} {
		lpNormalize32(&lines{n: len(x), inner: 1, order: order, out: optest.F32(dims, y...), in: optest.F32(dims, x...)}, 0, 1)
		if math.Abs(float64(y[7])-want) > 1e-6*want {
			t.Errorf("p %v: %v, want %v", order, y[7], want)
		}
	}
}

// across is a matrix of these dimensions, transposed.
func across(x []float64, dims tensor.Shape) []float64 {
	list := make([]float64, 0, len(x))
	for c := range dims[1] {
		for r := range dims[0] {
			list = append(list, x[r*dims[1]+c])
		}
	}
	return list
}
