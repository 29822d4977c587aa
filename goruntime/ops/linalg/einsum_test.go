package linalg

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// einsumCases are operands of small whole numbers with what numpy.einsum gives for
// them.
var einsumCases = []struct {
	equation string
	shapes   []tensor.Shape
	operands [][]float64
	shape    tensor.Shape
	want     []float64
}{
	{"ij->ji", []tensor.Shape{{2, 3}}, [][]float64{{2, 3, 0, 3, 1, 2}}, tensor.Shape{3, 2}, []float64{2, 3, 3, 1, 0, 2}},
	{"ij", []tensor.Shape{{2, 3}}, [][]float64{{2, 1, 3, 0, 1, 1}}, tensor.Shape{2, 3}, []float64{2, 1, 3, 0, 1, 1}},
	{"ba", []tensor.Shape{{2, 3}}, [][]float64{{2, 1, 0, 0, 0, 0}}, tensor.Shape{3, 2}, []float64{2, 0, 1, 0, 0, 0}},
	{"ii->i", []tensor.Shape{{3, 3}}, [][]float64{{0, 3, 0, 2, 3, 0, 1, 1, 1}}, tensor.Shape{3}, []float64{0, 3, 1}},
	{"ii", []tensor.Shape{{3, 3}}, [][]float64{{3, 0, 3, 3, 3, 0, 1, 2, 1}}, tensor.Shape{}, []float64{7}},
	{"iij->j", []tensor.Shape{{2, 2, 3}}, [][]float64{{2, 2, 2, 0, 3, 2, 3, 1, 1, 3, 0, 0}}, tensor.Shape{3}, []float64{5, 2, 2}},
	{"ij->", []tensor.Shape{{2, 3}}, [][]float64{{1, 2, 0, 3, 1, 0}}, tensor.Shape{}, []float64{7}},
	{"ijk->ik", []tensor.Shape{{2, 3, 2}}, [][]float64{{2, 3, 3, 3, 1, 0, 3, 2, 3, 0, 0, 2}}, tensor.Shape{2, 2}, []float64{6, 6, 6, 4}},
	{"ij,jk->ik", []tensor.Shape{{2, 3}, {3, 2}}, [][]float64{{1, 1, 3, 0, 2, 1}, {1, 3, 0, 1, 0, 0}}, tensor.Shape{2, 2}, []float64{1, 4, 0, 2}},
	{"ij,jk", []tensor.Shape{{2, 3}, {3, 2}}, [][]float64{{1, 2, 2, 1, 0, 3}, {3, 0, 0, 1, 0, 3}}, tensor.Shape{2, 2}, []float64{3, 8, 3, 9}},
	{"ij,kj->ki", []tensor.Shape{{2, 3}, {2, 3}}, [][]float64{{2, 2, 1, 2, 3, 0}, {3, 0, 1, 3, 3, 0}}, tensor.Shape{2, 2}, []float64{7, 6, 12, 15}},
	{"bij,bjk->bik", []tensor.Shape{{2, 2, 3}, {2, 3, 2}}, [][]float64{{3, 3, 1, 1, 3, 3, 2, 1, 0, 3, 1, 2}, {2, 0, 1, 2, 0, 2, 3, 2, 2, 1, 3, 0}}, tensor.Shape{2, 2, 2}, []float64{9, 8, 5, 12, 8, 5, 17, 7}},
	{"i,j->ij", []tensor.Shape{{2}, {3}}, [][]float64{{1, 2}, {2, 0, 0}}, tensor.Shape{2, 3}, []float64{2, 0, 0, 4, 0, 0}},
	{"i,i->", []tensor.Shape{{3}, {3}}, [][]float64{{2, 3, 2}, {3, 1, 1}}, tensor.Shape{}, []float64{11}},
	{"i,i->i", []tensor.Shape{{3}, {3}}, [][]float64{{3, 0, 0}, {0, 1, 0}}, tensor.Shape{3}, []float64{0, 0, 0}},
	{"ij,jk,kl->il", []tensor.Shape{{2, 3}, {3, 2}, {2, 2}}, [][]float64{{3, 3, 1, 0, 2, 0}, {2, 0, 3, 2, 3, 2}, {2, 1, 3, 0}}, tensor.Shape{2, 2}, []float64{60, 18, 24, 6}},
	{"i,j,ij->", []tensor.Shape{{2}, {3}, {2, 3}}, [][]float64{{0, 1}, {2, 1, 3}, {3, 1, 1, 2, 2, 1}}, tensor.Shape{}, []float64{9}},
	{"bhid,bhjd->bhij", []tensor.Shape{{1, 2, 2, 3}, {1, 2, 2, 3}}, [][]float64{{2, 3, 2, 1, 1, 1, 0, 0, 3, 1, 1, 2}, {2, 3, 2, 3, 2, 1, 1, 3, 2, 0, 3, 3}}, tensor.Shape{1, 2, 2, 2}, []float64{17, 14, 7, 6, 6, 9, 8, 9}},
	{"...ij,...jk->...ik", []tensor.Shape{{2, 2, 3}, {1, 3, 2}}, [][]float64{{0, 0, 2, 1, 1, 0, 0, 3, 3, 3, 2, 0}, {1, 2, 3, 1, 2, 1}}, tensor.Shape{2, 2, 2}, []float64{4, 2, 4, 3, 15, 6, 9, 8}},
	{"...ij,...jk", []tensor.Shape{{3, 2, 2}, {2, 2}}, [][]float64{{2, 2, 2, 0, 3, 3, 3, 1, 1, 1, 1, 0}, {2, 0, 3, 0}}, tensor.Shape{3, 2, 2}, []float64{10, 0, 4, 0, 15, 0, 9, 0, 5, 0, 2, 0}},
	{"i...->...", []tensor.Shape{{2, 3}}, [][]float64{{2, 1, 0, 3, 1, 3}}, tensor.Shape{3}, []float64{5, 2, 3}},
	{"...", []tensor.Shape{{2, 2}}, [][]float64{{0, 1, 1, 1}}, tensor.Shape{2, 2}, []float64{0, 1, 1, 1}},
	{"ij,i->j", []tensor.Shape{{2, 3}, {2}}, [][]float64{{0, 2, 1, 3, 0, 1}, {0, 3}}, tensor.Shape{3}, []float64{9, 0, 3}},
	{"iij,jk->ik", []tensor.Shape{{2, 2, 3}, {3, 2}}, [][]float64{{2, 1, 3, 2, 3, 2, 2, 2, 0, 2, 3, 2}, {1, 0, 2, 0, 3, 0}}, tensor.Shape{2, 2}, []float64{13, 0, 14, 0}},
	{"aB , Bc -> a c", []tensor.Shape{{2, 3}, {3, 2}}, [][]float64{{1, 0, 2, 0, 1, 0}, {3, 0, 0, 2, 0, 3}}, tensor.Shape{2, 2}, []float64{3, 6, 0, 2}},
	{"Ba", []tensor.Shape{{2, 3}}, [][]float64{{3, 1, 1, 1, 2, 1}}, tensor.Shape{2, 3}, []float64{3, 1, 1, 1, 2, 1}},
	{"ij,jk->ik", []tensor.Shape{{2, 1}, {3, 2}}, [][]float64{{1, 2}, {0, 3, 1, 3, 1, 1}}, tensor.Shape{2, 2}, []float64{2, 7, 4, 14}},
	{",ij->ij", []tensor.Shape{{}, {2, 2}}, [][]float64{{3}, {2, 0, 1, 0}}, tensor.Shape{2, 2}, []float64{6, 0, 3, 0}},
	{"ij,jk->ik", []tensor.Shape{{2, 0}, {0, 2}}, [][]float64{{}, {}}, tensor.Shape{2, 2}, []float64{0, 0, 0, 0}},
	{"ij,jk->ik", []tensor.Shape{{0, 2}, {2, 2}}, [][]float64{{}, {3, 1, 0, 2}}, tensor.Shape{0, 2}, []float64{}},
	{"abc,cd,def->ebf", []tensor.Shape{{2, 2, 3}, {3, 2}, {2, 2, 1}}, [][]float64{{3, 0, 2, 1, 2, 3, 2, 2, 1, 2, 1, 2}, {0, 0, 0, 3, 2, 1}, {1, 0, 3, 3}}, tensor.Shape{2, 2, 1}, []float64{33, 52, 27, 42}},
	{"ij,ij,ij->ij", []tensor.Shape{{2, 2}, {2, 2}, {2, 2}}, [][]float64{{0, 2, 2, 1}, {1, 3, 2, 1}, {2, 2, 2, 3}}, tensor.Shape{2, 2}, []float64{0, 12, 8, 3}},
}

func TestEinsum(t *testing.T) {
	var cases []optest.Case
	for _, d := range Einsum.Def().DTypes.Types() {
		for _, c := range einsumCases {
			in := make([]*tensor.View, len(c.operands))
			for i, x := range c.operands {
				in[i] = optest.Filled(d, c.shapes[i], x...)
			}
			cases = append(cases, optest.Case{Name: d.String() + " " + c.equation, Attrs: optest.Attrs("equation", c.equation), In: in, Want: optest.Want(optest.Filled(d, c.shape, c.want...))})
		}
	}
	optest.Run(t, Einsum, cases)
}

func TestEinsumErrors(t *testing.T) {
	m := optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		equation string
		in       []*tensor.View
		err      string
		code     errs.Code
	}{
		{"ij,jk->ik", optest.In(m), "the equation has terms for 2 operands, 1 are given", errs.Model},
		{"ij->ij", optest.In(m, m), "the equation has terms for 1 operands, 2 are given", errs.Model},
		{"ijk->ij", optest.In(m), `the term "ijk" has 3 letters, operand 0 has shape [2, 3]`, errs.Shape},
		{"i->i", optest.In(m), `the term "i" has 1 letters`, errs.Shape},
		{"ij,ij->i", optest.In(m, optest.F32(optest.Dims(2, 2), 1, 2, 3, 4)), "dimension 1 of operand 1, [2, 2], is 2: its letter stands for 3 elsewhere", errs.Shape},
		{"ij->k", optest.In(m), `the output term "k" has a letter twice or one that no operand has`, errs.Model},
		{"ij->ii", optest.In(m), "has a letter twice", errs.Model},
		{"i1->i", optest.In(m), `the term "i1" has "1": letters, blanks and one ellipsis are expected`, errs.Model},
		{"i..->i", optest.In(m), `the term "i.." has "."`, errs.Model},
		{"......->i", optest.In(m), `the term "......" has "."`, errs.Model},
	} {
		optest.Run(t, Einsum, []optest.Case{{Name: c.equation, Attrs: optest.Attrs("equation", c.equation), In: c.in, Err: c.err, Code: c.code}})
	}
}

// Long products go through the same matrix kernels as MatMul: whole numbers that
// f32 holds come out exactly, a row as it does alone.
func TestEinsumOfLongRows(t *testing.T) {
	const m, k, n = 33, 70, 130
	a, b, want := make([]float32, m*k), make([]float32, n*k), make([]float32, n*m)
	for i := range a {
		a[i] = float32(i%7 - 3)
	}
	for i := range b {
		b[i] = float32(i%5 - 2)
	}
	for j := range n {
		for i := range m {
			for x := range k {
				want[j*m+i] += a[i*k+x] * b[j*k+x]
			}
		}
	}
	optest.Run(t, Einsum, []optest.Case{{
		Name: "mk,nk->nm", Attrs: optest.Attrs("equation", "mk,nk->nm"), In: optest.In(optest.F32(optest.Dims(m, k), a...), optest.F32(optest.Dims(n, k), b...)),
		Want: optest.Want(optest.F32(optest.Dims(n, m), want...)),
	}})
}
