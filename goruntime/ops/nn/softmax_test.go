package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// precision is how far results of each type may lie from the exact ones.
var precision = map[tensor.DType]float64{tensor.F32: 1e-6, tensor.F64: 1e-14, tensor.F16: 2e-3, tensor.BF16: 1.6e-2}

// The values are NumPy's, in float64.
func TestSoftmax(t *testing.T) {
	four := []float64{0.03205860328008499, 0.08714431874203257, 0.23688281808991016, 0.6439142598879724}
	three := []float64{1, -2, 3, 0.5, 2, -1}
	inf, nan := math.Inf(1), math.NaN()
	for _, d := range Softmax.Def().DTypes.Types() {
		tol := precision[d]
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		second := of(optest.Dims(1, 3, 2), 0.09003057317038046, 0.0628900132458675, 0.6652409557748218, 0.7661572065563422, 0.24472847105479764, 0.17095278019779026)
		last := of(optest.Dims(1, 3, 2), 0.9525741268224334, 0.04742587317756679, 0.9241418199787566, 0.07585818002124356, 0.9525741268224334, 0.04742587317756679)
		together := of(optest.Dims(1, 3, 2), 0.08404073968550152, 0.00418414205240792, 0.6209817401317981, 0.05097328528418493, 0.22844641553735573, 0.011373677308751783)
		x := of(optest.Dims(1, 3, 2), three...)
		optest.Run(t, Softmax, []optest.Case{
			{Name: d.String() + " large and small numbers", In: optest.In(of(optest.Dims(2, 4), 0, 1, 2, 3, 100, 101, 102, 103)), Want: optest.Want(of(optest.Dims(2, 4), append(four, four...)...)), Tol: tol},
			{Name: d.String() + " the last axis by default", In: optest.In(x), Want: optest.Want(last), Tol: tol},
			{Name: d.String() + " axis 1", Attrs: optest.Attrs("axis", 1), In: optest.In(x), Want: optest.Want(second), Tol: tol},
			{Name: d.String() + " axis -2", Attrs: optest.Attrs("axis", -2), In: optest.In(x), Want: optest.Want(second), Tol: tol},
			{Name: d.String() + " of single numbers", Attrs: optest.Attrs("axis", 0), In: optest.In(x), Want: optest.Want(of(optest.Dims(1, 3, 2), 1, 1, 1, 1, 1, 1))},
			{Name: d.String() + " a scalar", In: optest.In(of(nil, 5)), Want: optest.Want(of(nil, 1))},
			{Name: d.String() + " nothing", In: optest.In(of(optest.Dims(2, 0))), Want: optest.Want(of(optest.Dims(2, 0)))},
			{Name: d.String() + " nothing along another axis", Attrs: optest.Attrs("axis", 0), In: optest.In(of(optest.Dims(2, 0))), Want: optest.Want(of(optest.Dims(2, 0)))},
			{
				Name: d.String() + " special numbers", In: optest.In(of(optest.Dims(4, 2), nan, 1, -inf, 1, -inf, -inf, inf, 1)),
				Want: optest.Want(of(optest.Dims(4, 2), nan, nan, 0, 1, nan, nan, nan, nan)),
			},
		})
		for v := range Softmax1.Def().Versions {
			optest.Run(t, Softmax1, []optest.Case{
				{Name: fmt.Sprintf("%v of version %d flattens", d, v), Version: v, In: optest.In(x), Want: optest.Want(together), Tol: tol},
				{Name: fmt.Sprintf("%v of version %d, axis 2", d, v), Version: v, Attrs: optest.Attrs("axis", 2), In: optest.In(x), Want: optest.Want(last), Tol: tol},
			})
		}
	}
	x := optest.F32(optest.Dims(1, 3), 1, 2, 3)
	optest.Run(t, Softmax, []optest.Case{
		{Name: "an axis outside", Attrs: optest.Attrs("axis", 2), In: optest.In(x), Err: "axis 2 is out of range for rank 2", Code: errs.Shape},
		{Name: "whole numbers", In: optest.In(optest.Ints(1)), Err: "element type i64 is not supported", Code: errs.Unsupported},
	})
	optest.Run(t, Softmax1, []optest.Case{{Name: "a scalar has no axis 1", In: optest.In(optest.F32(nil, 1)), Err: "axis 1 is out of range", Code: errs.Shape}})
}

// Rows longer than a vector, with a tail: their numbers are equal, so each is
// one of n.
func TestSoftmaxOfLongRows(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 33, 200} {
		x, want := make([]float32, 3*n), make([]float32, 3*n)
		for i := range x {
			x[i], want[i] = float32(i/n), 1/float32(n)
		}
		optest.Run(t, Softmax, []optest.Case{{Name: fmt.Sprint(n), In: optest.In(optest.F32(optest.Dims(3, n), x...)), Want: optest.Want(optest.F32(optest.Dims(3, n), want...)), Tol: 1e-7}})
	}
}

// Lines side by side, in blocks and beyond what a block takes, agree with one
// line at a time in float64.
func TestSoftmaxOfLinesSideBySide(t *testing.T) {
	for _, c := range []struct{ outer, n, inner int }{{2, 5, 4}, {1, 3, 300}, {3, 17, 33}, {1, longestSum + 1, 4}} {
		x := make([]float32, c.outer*c.n*c.inner)
		for i := range x {
			x[i] = float32(i*7%23) - 11
		}
		shape := tensor.Shape{c.outer, c.n, c.inner}
		s := &lines{outer: c.outer, n: c.n, inner: c.inner, in: optest.Make(tensor.F32, shape, x)}
		for name, pair := range map[string][2]softmaxKernel{"softmax": {softmax32, softmaxSlow32}, "logarithm": {logSoftmax32, logSoftmaxSlow32}} {
			var got [2][]float32
			for k, f := range pair {
				got[k] = make([]float32, len(x))
				s.out = optest.Make(tensor.F32, shape, got[k])
				f(s, 0, c.outer*c.inner/2)
				f(s, c.outer*c.inner/2, c.outer*c.inner)
			}
			for i, want := range got[1] {
				if v := got[0][i]; v-want > 2e-6*max(1, -want) || want-v > 2e-6*max(1, -want) || v != v {
					t.Fatalf("%s of %v: element %d is %v, want %v", name, shape, i, v, want)
				}
			}
		}
	}
}
