package quant

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// A spans -1 to 254 in steps of 1, so it is quantized without loss.
func TestDynamicQuantizeMatMul(t *testing.T) {
	var cases []optest.Case
	for _, db := range bytes {
		for form := range 3 {
			const m, n, k = 5, 33, 6
			a, b := codes(tensor.U8, 2*m*k, 1), codes(db, k*n, 2)
			a[0], a[1] = 0, 255
			for i := range a {
				a[i]--
			}
			zb := [][]float64{nil, {5}, codes(db, n, 3)}[form]
			col, bias := []float64{0.25}, []float64(nil)
			in := optest.In(optest.Filled(tensor.F32, optest.Dims(2, m, k), a...), optest.Filled(db, optest.Dims(k, n), b...), f32s(1, 0.25), nil, nil)
			if zb != nil {
				in[3] = optest.Filled(db, optest.Dims(len(zb)), zb...)
			}
			if form == 2 {
				bias = make([]float64, n)
				for i := range bias {
					bias[i] = float64(i)
				}
				in[4] = optest.Filled(tensor.F32, optest.Dims(n), bias...)
			}
			cases = append(cases, optest.Case{
				Name: fmt.Sprintf("%v form %d", db, form), In: in,
				Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(2, m, n), scaled(bytesWant(2*m, n, k, a, b, nil, zb), n, 1, col, bias)...)),
			})
		}
	}
	cases = append(
		cases, optest.Case{Name: "zeros", In: optest.In(f32s(2, 0, 0), optest.U8(optest.Dims(2, 1), 1, 2), f32s(1, 1)), Want: optest.Want(f32s(1, 0))},
		optest.Case{Name: "bias", In: optest.In(f32s(2, 0, 0), optest.U8(optest.Dims(2, 1), 1, 2), f32s(1, 1), nil, f32s(2, 1, 1)), Err: "the bias has shape [2], [1] expected", Code: errs.Shape})
	optest.Run(t, DynamicQuantizeMatMul, cases)
}
