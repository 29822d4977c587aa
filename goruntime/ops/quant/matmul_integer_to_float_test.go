package quant

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// scaled scales the sums of a product [m, n] and adds a bias.
func scaled(sums []float64, n int, a float64, b, bias []float64) []float64 {
	out := make([]float64, len(sums))
	for i, s := range sums {
		out[i] = s * a * b[i%n%len(b)]
		if bias != nil {
			out[i] += bias[i%n]
		}
	}
	return out
}

// Scales are powers of two, so that nothing is rounded.
func TestMatMulIntegerToFloat(t *testing.T) {
	var cases []optest.Case
	for _, d := range []tensor.DType{tensor.F32, tensor.F16} {
		for _, da := range bytes {
			for _, db := range bytes {
				for form := range 3 {
					const m, n, k = 3, 35, 9
					a, b := codes(da, m*k, 1), codes(db, k*n, 2)
					za, zb := []float64{7}, [][]float64{nil, {5}, codes(db, n, 3)}[form]
					col, bias := []float64{0.25}, make([]float64, n)
					if form == 2 {
						col = make([]float64, n)
						for i := range col {
							col[i] = 1 / float64(int(1)<<(i%4))
						}
					}
					for i := range bias {
						bias[i] = float64(i - 4)
					}
					in := optest.In(optest.Filled(da, optest.Dims(m, k), a...), optest.Filled(db, optest.Dims(k, n), b...), optest.Filled(d, nil, 1.0/16), optest.Filled(d, optest.Dims(len(col)), col...), optest.Filled(da, nil, za...), nil, nil)
					if zb != nil {
						in[5] = optest.Filled(db, optest.Dims(len(zb)), zb...)
					}
					if form == 0 {
						bias = nil
					} else {
						in[6] = optest.Filled(d, optest.Dims(n), bias...)
					}
					cases = append(cases, optest.Case{
						Name: fmt.Sprintf("%v %v %v form %d", d, da, db, form), In: in,
						Want: optest.Want(optest.Filled(d, optest.Dims(m, n), scaled(bytesWant(m, n, k, a, b, za, zb), n, 1.0/16, col, bias)...)),
					})
				}
			}
		}
	}
	x := optest.U8(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	one := optest.F32(nil, 1)
	cases = append(
		cases, optest.Case{Name: "inner dimensions", In: optest.In(x, x, one, one), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		optest.Case{Name: "bias", In: optest.In(x, optest.U8(optest.Dims(3, 1), 1, 2, 3), one, one, nil, nil, f32s(2, 1, 2)), Err: "the bias has shape [2], [1] expected", Code: errs.Shape},
		optest.Case{Name: "scales", In: optest.In(x, optest.U8(optest.Dims(3, 2), 1, 2, 3, 4, 5, 6), one, f32s(3, 1, 2, 3)), Err: "input 3 has shape [3]: one number or 2 expected", Code: errs.Shape})
	optest.Run(t, MatMulIntegerToFloat, cases)
}
