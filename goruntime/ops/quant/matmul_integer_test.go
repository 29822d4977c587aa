package quant

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// codes are numbers over the whole range of the type.
func codes(d tensor.DType, n, salt int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*i*31 + i*7 + salt*13) % 256)
		if d == tensor.I8 {
			list[i] -= 128
		}
	}
	return list
}

// bytesWant is the product by the definition, for one matrix.
func bytesWant(m, n, k int, a, b, za, zb []float64) []float64 {
	at := func(z []float64, i int) float64 {
		switch len(z) {
		case 0:
			return 0
		case 1:
			return z[0]
		default:
			return z[i]
		}
	}
	out := make([]float64, 0, m*n)
	for i := range m {
		for j := range n {
			s := 0.0
			for x := range k {
				s += (a[i*k+x] - at(za, i)) * (b[x*n+j] - at(zb, j))
			}
			out = append(out, s)
		}
	}
	return out
}

func TestMatMulInteger(t *testing.T) {
	cases := []optest.Case{{
		Name: "example",
		In: optest.In(optest.U8(optest.Dims(4, 3), 11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0), optest.U8(optest.Dims(3, 2), 1, 4, 2, 5, 3, 6),
			optest.U8(optest.Dims(1), 12), optest.U8(optest.Dims(1), 0)),
		Want: optest.Want(optest.I32(optest.Dims(4, 2), -38, -83, -44, -98, -50, -113, -56, -128)),
	}}
	for _, da := range bytes {
		for _, db := range bytes {
			for _, s := range [][3]int{{3, 4, 5}, {25, 33, 17}, {1, 65, 8}, {49, 1, 3}, {2, 3, 0}, {0, 3, 2}, {2, 0, 3}} {
				m, n, k := s[0], s[1], s[2]
				a, b := codes(da, m*k, 1), codes(db, k*n, 2)
				for form := range 9 {
					za, zb := [][]float64{nil, {3}, codes(da, m, 3)}[form%3], [][]float64{nil, {5}, codes(db, n, 4)}[form/3]
					in := optest.In(optest.Filled(da, optest.Dims(m, k), a...), optest.Filled(db, optest.Dims(k, n), b...), nil, nil)
					if za != nil {
						in[2] = optest.Filled(da, optest.Dims(len(za)), za...)
					}
					if zb != nil {
						in[3] = optest.Filled(db, optest.Dims(len(zb)), zb...)
					}
					cases = append(cases, optest.Case{
						Name: fmt.Sprintf("%v %v %v zero points %d", da, db, s, form), In: in,
						Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(m, n), bytesWant(m, n, k, a, b, za, zb)...)),
					})
				}
			}
		}
	}
	optest.Run(t, MatMulInteger, cases)
}

// Batches on both sides, with zero points for each row or column of each.
func TestMatMulIntegerOfBatches(t *testing.T) {
	const m, n, k = 2, 3, 4
	a, b := codes(tensor.U8, 2*m*k, 1), codes(tensor.I8, 2*k*n, 2)
	za, zb := codes(tensor.U8, 2*m, 3), codes(tensor.I8, 2*n, 4)
	u8 := func(list []float64, d ...int) *tensor.View {
		return optest.Filled(tensor.U8, optest.Dims(d...), list...)
	}
	i8 := func(list []float64, d ...int) *tensor.View {
		return optest.Filled(tensor.I8, optest.Dims(d...), list...)
	}
	want := func(list ...[]float64) []float64 {
		var all []float64
		for _, l := range list {
			all = append(all, l...)
		}
		return all
	}
	a0, a1, b0, b1 := a[:m*k], a[m*k:], b[:k*n], b[k*n:]
	optest.Run(t, MatMulInteger, []optest.Case{
		{
			Name: "a zero point for each row and column of each batch", In: optest.In(u8(a, 2, m, k), i8(b, 2, k, n), u8(za, 2, m, 1), i8(zb, 2, 1, n)),
			Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(2, m, n), want(bytesWant(m, n, k, a0, b0, za[:m], zb[:n]), bytesWant(m, n, k, a1, b1, za[m:], zb[n:]))...)),
		},
		{
			Name: "zero points shared by the batches", In: optest.In(u8(a, 2, m, k), i8(b, 2, k, n), u8(za[:m], m), i8(zb[:n], n)),
			Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(2, m, n), want(bytesWant(m, n, k, a0, b0, za[:m], zb[:n]), bytesWant(m, n, k, a1, b1, za[:m], zb[:n]))...)),
		},
		{
			Name: "one B", In: optest.In(u8(a, 2, m, k), i8(b0, k, n), u8(za[:m], m), nil),
			Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(2, m, n), want(bytesWant(m, n, k, a0, b0, za[:m], nil), bytesWant(m, n, k, a1, b0, za[:m], nil))...)),
		},
		{
			Name: "one A", In: optest.In(u8(a0, m, k), i8(b, 2, k, n), nil, i8(zb[:1])),
			Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(2, m, n), want(bytesWant(m, n, k, a0, b0, nil, zb[:1]), bytesWant(m, n, k, a0, b1, nil, zb[:1]))...)),
		},
		{Name: "vectors", In: optest.In(u8(a0[:k], k), i8(b0[:k], k)), Want: optest.Want(optest.Filled(tensor.I32, nil, bytesWant(1, 1, k, a0, b0, nil, nil)...))},
	})
}

func TestMatMulIntegerErrors(t *testing.T) {
	a := optest.U8(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	b := optest.U8(optest.Dims(3, 1), 1, 2, 3)
	optest.Run(t, MatMulInteger, []optest.Case{
		{Name: "a scalar", In: optest.In(a, optest.U8(nil, 1)), Err: "a scalar cannot be multiplied", Code: errs.Shape},
		{Name: "inner dimensions", In: optest.In(a, a), Err: "the inner dimensions 3 and 2 must be equal", Code: errs.Shape},
		{Name: "zero points of rows", In: optest.In(a, b, optest.U8(optest.Dims(3), 1, 2, 3)), Err: "input 2 has shape [3]: one number or 2 expected", Code: errs.Shape},
		{Name: "zero points of columns", In: optest.In(a, b, nil, optest.U8(optest.Dims(3), 1, 2, 3)), Err: "input 3 has shape [3]: one number or 1 expected", Code: errs.Shape},
		{Name: "zero point of another type", In: optest.In(a, b, optest.Filled(tensor.I8, nil, 1)), Err: "they must be alike", Code: errs.Type},
	})
}
