package linalg

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// stacked lays matrices [batch, rows, cols] out as the attributes say.
func stacked(list []float64, batch, rows, cols int, transposed, before bool) ([]float64, tensor.Shape) {
	height, width := rows, cols
	at := func(b, r, c int) float64 { return list[(b*height+r)*width+c] }
	if transposed {
		plain := at
		at = func(b, r, c int) float64 { return plain(b, c, r) }
		rows, cols = cols, rows
	}
	var out []float64
	if before {
		for r := range rows {
			for b := range batch {
				for c := range cols {
					out = append(out, at(b, r, c))
				}
			}
		}
		return out, optest.Dims(rows, batch, cols)
	}
	for b := range batch {
		for r := range rows {
			for c := range cols {
				out = append(out, at(b, r, c))
			}
		}
	}
	return out, optest.Dims(batch, rows, cols)
}

// Every layout in every type; all sums are exact.
func TestFusedMatMul(t *testing.T) {
	const batch, m, n, k = 2, 3, 67, 5
	var cases []optest.Case
	for _, d := range FusedMatMul.Def().DTypes.Types() {
		for form := range 16 {
			a, b := small(batch*m*k, 5), small(batch*k*n, 4)
			var want []float64
			for i := range batch {
				want = append(want, gemmWant(m, n, k, false, false, 2, 0, a[i*m*k:], b[i*k*n:], nil, nil)...)
			}
			la, sa := stacked(a, batch, m, k, form&1 > 0, form&4 > 0)
			lb, sb := stacked(b, batch, k, n, form&2 > 0, form&8 > 0)
			cases = append(cases, optest.Case{
				Name:  fmt.Sprintf("%v layout %d", d, form),
				Attrs: optest.Attrs("alpha", 2.0, "transA", form&1, "transB", form>>1&1, "transBatchA", form>>2&1, "transBatchB", form>>3&1),
				In:    optest.In(optest.Filled(d, sa, la...), optest.Filled(d, sb, lb...)), Want: optest.Want(optest.Filled(d, optest.Dims(batch, m, n), want...)),
			})
		}
		for trans := range 2 {
			a, b := small(batch*m*k, 5), small(k*n, 4)
			sb := optest.Dims(k, n)
			if trans == 1 {
				sb = optest.Dims(n, k)
			}
			cases = append(cases, optest.Case{
				Name: fmt.Sprintf("%v one B, transposed %d", d, trans), Attrs: optest.Attrs("transB", trans), In: optest.In(optest.Filled(d, optest.Dims(batch, m, k), a...), optest.Filled(d, sb, b...)),
				Want: optest.Want(optest.Filled(d, optest.Dims(batch, m, n), gemmWant(batch*m, n, k, false, trans == 1, 1, 0, a, b, nil, nil)...)),
			})
		}
		f := func(s tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, s, v...) }
		cases = append(
			cases, optest.Case{Name: "vectors", In: optest.In(f(optest.Dims(2), 1, 2), f(optest.Dims(2), 3, 4)), Want: optest.Want(f(nil, 11))},
			optest.Case{Name: "a matrix and a vector", In: optest.In(f(optest.Dims(2, 2), 1, 2, 3, 4), f(optest.Dims(2), 3, 4)), Want: optest.Want(f(optest.Dims(2), 11, 25))},
			optest.Case{Name: "nothing to sum", In: optest.In(f(optest.Dims(2, 0)), f(optest.Dims(0, 2))), Want: optest.Want(f(optest.Dims(2, 2), 0, 0, 0, 0))})
	}
	x := optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	cases = append(
		cases, optest.Case{Name: "inner dimensions", In: optest.In(x, x), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		optest.Case{Name: "types", In: optest.In(optest.F64(optest.Dims(1), 1), optest.F32(optest.Dims(1), 1)), Err: "input 1 is f32, input 0 is f64: they must be alike", Code: errs.Type},
		optest.Case{Name: "a scalar", In: optest.In(x, optest.F32(nil, 1)), Err: "a scalar cannot be multiplied", Code: errs.Shape})
	optest.Run(t, FusedMatMul, cases)
}
