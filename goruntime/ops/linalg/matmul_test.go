package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// products are shapes and the shape of their product, as numpy.matmul has it.
var products = []struct{ a, b, out tensor.Shape }{
	{optest.Dims(2, 3), optest.Dims(3, 4), optest.Dims(2, 4)},
	{optest.Dims(3), optest.Dims(3), optest.Dims()},
	{optest.Dims(3), optest.Dims(3, 2), optest.Dims(2)},
	{optest.Dims(2, 3), optest.Dims(3), optest.Dims(2)},
	{optest.Dims(2, 2, 3), optest.Dims(3), optest.Dims(2, 2)},
	{optest.Dims(3), optest.Dims(2, 3, 2), optest.Dims(2, 2)},
	{optest.Dims(2, 2, 3), optest.Dims(3, 2), optest.Dims(2, 2, 2)},
	{optest.Dims(2, 2, 3), optest.Dims(1, 3, 2), optest.Dims(2, 2, 2)},
	{optest.Dims(2, 3), optest.Dims(2, 3, 2), optest.Dims(2, 2, 2)},
	{optest.Dims(2, 2, 3), optest.Dims(2, 3, 1), optest.Dims(2, 2, 1)},
	{optest.Dims(2, 1, 2, 3), optest.Dims(3, 3, 2), optest.Dims(2, 3, 2, 2)},
	{optest.Dims(1, 2, 3), optest.Dims(1, 1, 3, 2), optest.Dims(1, 1, 2, 2)},
	{optest.Dims(25, 7), optest.Dims(7, 33), optest.Dims(25, 33)},
	{optest.Dims(1, 17), optest.Dims(17, 65), optest.Dims(1, 65)},
	{optest.Dims(49, 3), optest.Dims(3, 1), optest.Dims(49, 1)},
	{optest.Dims(2, 0), optest.Dims(0, 3), optest.Dims(2, 3)},
	{optest.Dims(2, 2, 0), optest.Dims(2, 0, 1), optest.Dims(2, 2, 1)},
	{optest.Dims(0), optest.Dims(0), optest.Dims()},
	{optest.Dims(0, 3), optest.Dims(3, 2), optest.Dims(0, 2)},
	{optest.Dims(2, 3), optest.Dims(3, 0), optest.Dims(2, 0)},
	{optest.Dims(0, 2, 3), optest.Dims(3, 2), optest.Dims(0, 2, 2)},
	{optest.Dims(0, 2, 3), optest.Dims(1, 3, 2), optest.Dims(0, 2, 2)},
}

// Every shape in every type; the numbers are so small that all sums are exact.
func TestMatMul(t *testing.T) {
	var cases []optest.Case
	for _, d := range MatMul.Def().DTypes.Types() {
		for _, p := range products {
			a, b := make([]float64, p.a.Elements()), make([]float64, p.b.Elements())
			for i := range a {
				a[i] = float64(i*i%5 + 1)
			}
			for i := range b {
				b[i] = float64(i % 3)
			}
			cases = append(cases, optest.Case{
				Name: fmt.Sprintf("%v %v by %v", d, p.a, p.b), In: optest.In(optest.Filled(d, p.a, a...), optest.Filled(d, p.b, b...)),
				Want: optest.Want(optest.Filled(d, p.out, reference(p.a, p.b, a, b)...)),
			})
		}
	}
	optest.Run(t, MatMul, cases)
}

// reference multiplies by the definition: one output element at a time.
func reference(sa, sb tensor.Shape, a, b []float64) []float64 {
	if len(sa) == 1 {
		sa = tensor.Shape{1, sa[0]}
	}
	if len(sb) == 1 {
		sb = tensor.Shape{sb[0], 1}
	}
	m, k, n := sa[len(sa)-2], sa[len(sa)-1], sb[len(sb)-1]
	la, lb := sa[:len(sa)-2], sb[:len(sb)-2]
	rank := max(len(la), len(lb))
	batch := make(tensor.Shape, rank)
	dim := func(s tensor.Shape, d int) int { // dimension d of rank dimensions, from the front
		if d -= rank - len(s); d < 0 {
			return 1
		}
		return s[d]
	}
	for d := range batch {
		if batch[d] = dim(la, d); batch[d] == 1 {
			batch[d] = dim(lb, d)
		}
	}
	var out []float64
	for i := range batch.Elements() {
		ia, ib, rest, stepA, stepB := 0, 0, i, 1, 1
		for d := rank - 1; d >= 0; d-- {
			x := rest % batch[d]
			rest /= batch[d]
			ia += min(x, dim(la, d)-1) * stepA
			ib += min(x, dim(lb, d)-1) * stepB
			stepA, stepB = stepA*dim(la, d), stepB*dim(lb, d)
		}
		for r := range m {
			for c := range n {
				s := 0.0
				for x := range k {
					s += a[(ia*m+r)*k+x] * b[(ib*k+x)*n+c]
				}
				out = append(out, s)
			}
		}
	}
	return out
}

func TestMatMulOnSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	optest.Run(t, MatMul, []optest.Case{
		{
			Name: "NaN and infinity spread along rows and columns", In: optest.In(optest.F32(optest.Dims(2, 2), nan, 0, 1, inf), optest.F32(optest.Dims(2, 2), 1, 0, 0, 1)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), nan, nan, nan, inf)),
		},
		{
			Name: "whole numbers wrap around", In: optest.In(optest.I32(optest.Dims(1, 2), math.MaxInt32, 1), optest.I32(optest.Dims(2, 1), 1, 1)),
			Want: optest.Want(optest.I32(optest.Dims(1, 1), math.MinInt32)),
		},
		{
			Name: "f16 sums in f32", In: optest.In(optest.Filled(tensor.F16, optest.Dims(3), 2048, 1, 1), optest.Filled(tensor.F16, optest.Dims(3), 1, 1, 1)),
			Want: optest.Want(optest.Filled(tensor.F16, nil, 2050)),
		},
	})
}

func TestMatMulErrors(t *testing.T) {
	a := optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	optest.Run(t, MatMul, []optest.Case{
		{Name: "a scalar", In: optest.In(a, optest.F32(nil, 1)), Err: "a scalar cannot be multiplied", Code: errs.Shape},
		{Name: "inner dimensions", In: optest.In(a, a), Err: "shapes [2, 3] and [2, 3]: the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		{Name: "a vector of another length", In: optest.In(a, optest.F32(optest.Dims(2), 1, 2)), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		{Name: "batches", In: optest.In(optest.F32(optest.Dims(2, 1, 1), 1, 2), optest.F32(optest.Dims(3, 1, 1), 1, 2, 3)), Err: "shapes [2] and [3] do not broadcast", Code: errs.Shape},
		{Name: "types", In: optest.In(a, optest.F64(optest.Dims(3), 1, 2, 3)), Err: "the inputs are f32 and f64: they must be alike", Code: errs.Type},
		{Name: "i8", In: optest.In(optest.Filled(tensor.I8, optest.Dims(1), 1), optest.Filled(tensor.I8, optest.Dims(1), 1)), Err: "element type i8 is not supported", Code: errs.Unsupported},
	})
}
