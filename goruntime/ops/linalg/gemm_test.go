package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// small returns n whole numbers that are so small that all sums are exact.
func small(n, mod int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*i + i/3) % mod)
	}
	return list
}

// gemmWant computes by the definition, one element at a time.
func gemmWant(m, n, k int, transA, transB bool, alpha, beta float64, a, b, c []float64, shape tensor.Shape) []float64 {
	var out []float64
	for i := range m {
		for j := range n {
			s := 0.0
			for x := range k {
				va, vb := a[i*k+x], b[x*n+j]
				if transA {
					va = a[x*m+i]
				}
				if transB {
					vb = b[j*k+x]
				}
				s += va * vb
			}
			s *= alpha
			if c != nil {
				ci, cj := i, j
				cols := 1
				if len(shape) > 0 {
					cols = shape[len(shape)-1]
				}
				if len(shape) < 2 || shape[0] == 1 {
					ci = 0
				}
				if cols == 1 {
					cj = 0
				}
				s += beta * c[ci*cols+cj]
			}
			out = append(out, s)
		}
	}
	return out
}

func gemmCase(d tensor.DType, m, n, k, transA, transB int, alpha, beta float64, shapes ...tensor.Shape) optest.Case {
	sa, sb := optest.Dims(m, k), optest.Dims(k, n)
	if transA == 1 {
		sa = optest.Dims(k, m)
	}
	if transB == 1 {
		sb = optest.Dims(n, k)
	}
	a, b := small(m*k, 5), small(k*n, 4)
	in := optest.In(optest.Filled(d, sa, a...), optest.Filled(d, sb, b...))
	var c []float64
	var shape tensor.Shape
	if len(shapes) > 0 {
		shape = shapes[0]
		c = small(shape.Elements(), 7)
		in = append(in, optest.Filled(d, shape, c...))
	}
	return optest.Case{
		Name:  fmt.Sprintf("%v %dx%dx%d transA %d transB %d alpha %v beta %v C %v", d, m, n, k, transA, transB, alpha, beta, shapes),
		Attrs: optest.Attrs("transA", transA, "transB", transB, "alpha", alpha, "beta", beta), In: in,
		Want: optest.Want(optest.Filled(d, optest.Dims(m, n), gemmWant(m, n, k, transA == 1, transB == 1, alpha, beta, a, b, c, shape)...)),
	}
}

// Every type with every transposition and every form of C; then sizes around
// those of the tiles.
func TestGemm(t *testing.T) {
	var cases []optest.Case
	for _, d := range Gemm.Def().DTypes.Types() {
		for trans := range 4 {
			for _, scale := range [][2]float64{{1, 1}, {2, 1}, {1, 3}, {2, 0.5}} {
				for _, shape := range []tensor.Shape{nil, {}, {1}, {4}, {1, 4}, {3, 1}, {3, 4}} {
					form := []tensor.Shape{shape}
					if shape == nil {
						form = nil
					}
					if c := gemmCase(d, 3, 4, 5, trans&1, trans>>1, scale[0], scale[1], form...); scale[1] != 0.5 || d.Float() {
						cases = append(cases, c)
					}
				}
			}
		}
	}
	for _, size := range [][3]int{{25, 33, 17}, {1, 65, 7}, {49, 1, 3}, {1, 1, 9}, {7, 130, 1}, {2, 3, 0}, {0, 3, 2}, {2, 0, 3}} {
		for trans := range 4 {
			m, n, k := size[0], size[1], size[2]
			cases = append(cases, gemmCase(tensor.F32, m, n, k, trans&1, trans>>1, 1, 1, optest.Dims(n)), gemmCase(tensor.F32, m, n, k, trans&1, trans>>1, 0.5, 2, optest.Dims(m, 1)),
				gemmCase(tensor.F16, m, n, k, trans&1, trans>>1, 1, 1, optest.Dims(m, n)), gemmCase(tensor.F64, m, n, k, trans&1, trans>>1, 0.5, 2, optest.Dims(n)),
				gemmCase(tensor.F64, m, n, k, trans&1, trans>>1, 1, 1, optest.Dims(n)), gemmCase(tensor.U32, m, n, k, trans&1, trans>>1, 2, 1, optest.Dims(m, n)), gemmCase(tensor.I64, m, n, k, trans&1, trans>>1, 1, 1, optest.Dims(m, 1)))
		}
	}
	optest.Run(t, Gemm, cases)
}

func TestGemmOnSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	one := optest.F32(optest.Dims(1, 1), 1)
	optest.Run(t, Gemm, []optest.Case{
		{
			Name: "C is not read where beta is 0", Attrs: optest.Attrs("beta", 0.0), In: optest.In(one, one, optest.F32(nil, nan)),
			Want: optest.Want(optest.F32(optest.Dims(1, 1), 1)),
		},
		{Name: "infinity times 0", Attrs: optest.Attrs("alpha", 0.0), In: optest.In(optest.F32(optest.Dims(1, 1), inf), one), Want: optest.Want(optest.F32(optest.Dims(1, 1), nan))},
		{
			Name: "whole numbers wrap around", In: optest.In(optest.I32(optest.Dims(1, 1), math.MaxInt32), optest.I32(optest.Dims(1, 1), 1), optest.I32(nil, 1)),
			Want: optest.Want(optest.I32(optest.Dims(1, 1), math.MinInt32)),
		},
		{
			Name: "fractions of whole numbers are cut off", Attrs: optest.Attrs("alpha", 0.5, "beta", 0.25),
			In:   optest.In(optest.I64(optest.Dims(1, 1), -7), optest.I64(optest.Dims(1, 1), 1), optest.I64(nil, 3)),
			Want: optest.Want(optest.I64(optest.Dims(1, 1), -2)),
		},
		{
			Name: "f16 sums in f32 and rounds once", In: optest.In(optest.Filled(tensor.F16, optest.Dims(1, 2), 2048, 1), optest.Filled(tensor.F16, optest.Dims(2, 1), 1, 1), optest.Filled(tensor.F16, nil, 1)),
			Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(1, 1), 2050)),
		},
	})
}

func TestGemm1(t *testing.T) {
	a, b := optest.F32(optest.Dims(2, 1), 1, 2), optest.F32(optest.Dims(1, 2), 10, 20)
	optest.Run(t, Gemm1, []optest.Case{
		{Name: "C as large as the product", Version: 1, In: optest.In(a, b, optest.F32(optest.Dims(2, 2), 1, 2, 3, 4)), Want: optest.Want(optest.F32(optest.Dims(2, 2), 11, 22, 23, 44))},
		{Name: "C is repeated", Attrs: optest.Attrs("broadcast", 1), In: optest.In(a, b, optest.F32(optest.Dims(2), 1, 2)), Want: optest.Want(optest.F32(optest.Dims(2, 2), 11, 22, 21, 42))},
		{Name: "C must not be repeated", In: optest.In(a, b, optest.F32(optest.Dims(2), 1, 2)), Err: "C has shape [2], the product is [2, 2]: they must be equal", Code: errs.Shape},
	})
}

func TestGemmErrors(t *testing.T) {
	a := optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	optest.Run(t, Gemm, []optest.Case{
		{Name: "a vector", In: optest.In(a, optest.F32(optest.Dims(3), 1, 2, 3)), Err: "A has shape [2, 3], B has shape [3]: both must be matrices", Code: errs.Shape},
		{Name: "inner dimensions", In: optest.In(a, a), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		{Name: "transposed on both sides", Attrs: optest.Attrs("transA", 1, "transB", 1), In: optest.In(a, a), Err: "the inner dimensions 2 and 3 must be equal", Code: errs.Shape},
		{
			Name: "C does not broadcast", Attrs: optest.Attrs("transB", 1), In: optest.In(a, a, optest.F32(optest.Dims(3), 1, 2, 3)),
			Err: "C has shape [3], which does not broadcast to [2, 2]", Code: errs.Shape,
		},
		{
			Name: "C of three dimensions", Attrs: optest.Attrs("transB", 1), In: optest.In(a, a, optest.F32(optest.Dims(1, 2, 2), 1, 2, 3, 4)),
			Err: "C has shape [1, 2, 2], which does not broadcast", Code: errs.Shape,
		},
		{Name: "types", In: optest.In(a, optest.F64(optest.Dims(3, 1), 1, 2, 3)), Err: "they must be alike", Code: errs.Type},
	})
}
