package quant

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// turned is the transpose of a matrix [rows, cols].
func turned(list []float64, rows, cols int) []float64 {
	out := make([]float64, 0, len(list))
	for j := range cols {
		for i := range rows {
			out = append(out, list[i*cols+j])
		}
	}
	return out
}

// Scales are powers of two, so that only the last step rounds.
func TestQGemm(t *testing.T) {
	const m, n, k = 3, 35, 9
	var cases []optest.Case
	for _, da := range bytes {
		for _, db := range bytes {
			for trans := range 4 {
				for form := range 4 {
					a, b := codes(da, m*k, 1), codes(db, k*n, 2)
					zb := codes(db, n, 3)
					sums := bytesWant(m, n, k, a, b, []float64{7}, zb)
					va, vb := optest.Filled(da, optest.Dims(m, k), a...), optest.Filled(db, optest.Dims(k, n), b...)
					if trans&1 == 1 {
						va = optest.Filled(da, optest.Dims(k, m), turned(a, m, k)...)
					}
					if trans>>1 == 1 {
						vb = optest.Filled(db, optest.Dims(n, k), turned(b, k, n)...)
					}
					in := optest.In(va, optest.F32(nil, 1.0/16), optest.Filled(da, nil, 7), vb, optest.F32(nil, 0.25), optest.Filled(db, optest.Dims(n), zb...), nil, nil, nil)
					shape := [][]int{nil, {n}, {m, 1}, {m, n}}[form]
					if shape != nil {
						c := make([]float64, optest.Dims(shape...).Elements())
						for i := range c {
							c[i] = float64(i*37 - 90)
						}
						in[6] = optest.Filled(tensor.I32, optest.Dims(shape...), c...)
						for i := range sums {
							switch form {
							case 1:
								sums[i] += c[i%n]
							case 2:
								sums[i] += c[i/n]
							default:
								sums[i] += c[i]
							}
						}
					}
					want := scaled(sums, n, 0.5/64, []float64{1}, nil)
					dtype := tensor.F32
					if form%2 == 1 {
						dtype = da
						in[7], in[8] = optest.F32(nil, 4), optest.Filled(da, nil, 3)
						low, high := 0.0, 255.0
						if da == tensor.I8 {
							low, high = -128, 127
						}
						for i, v := range want {
							want[i] = max(low, min(high, math.RoundToEven(v/4)+3))
						}
					}
					cases = append(cases, optest.Case{
						Name: fmt.Sprintf("%v %v transposed %d form %d", da, db, trans, form), Attrs: optest.Attrs("alpha", 0.5, "transA", trans&1, "transB", trans>>1), In: in,
						Want: optest.Want(optest.Filled(dtype, optest.Dims(m, n), want...)),
					})
				}
			}
		}
	}
	one, zero, x := optest.F32(nil, 1), optest.U8(nil, 0), optest.U8(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	cases = append(
		cases, optest.Case{Name: "u8 without a zero point", Attrs: optest.Attrs("transB", 1), In: optest.In(x, one, zero, x, one, zero, nil, optest.F32(nil, 2)), Want: optest.Want(optest.U8(optest.Dims(2, 2), 7, 16, 16, 38))},
		optest.Case{Name: "a vector", In: optest.In(x, one, zero, optest.U8(optest.Dims(3), 1, 2, 3), one, zero), Err: "both must be matrices", Code: errs.Shape},
		optest.Case{Name: "inner dimensions", In: optest.In(x, one, zero, x, one, zero), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		optest.Case{Name: "C", Attrs: optest.Attrs("transB", 1), In: optest.In(x, one, zero, x, one, zero, optest.I32(optest.Dims(3), 1, 2, 3)), Err: "C has shape [3], which does not broadcast to [2, 2]", Code: errs.Shape})
	optest.Run(t, QGemm, cases)
}
