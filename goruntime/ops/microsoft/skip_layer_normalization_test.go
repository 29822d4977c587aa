package microsoft

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// normalized normalizes rows by the definition; beta nil is the simplified form
// where simple is set.
func normalized(x, gamma, beta []float64, epsilon float64, simple bool) (y, mean, inv []float64) {
	n := len(gamma)
	for r := 0; r < len(x); r += n {
		m, s := 0.0, 0.0
		for _, v := range x[r : r+n] {
			m += v / float64(n)
		}
		if simple {
			m = 0
		}
		for _, v := range x[r : r+n] {
			s += (v - m) * (v - m) / float64(n)
		}
		i := 1 / math.Sqrt(s+epsilon)
		mean, inv = append(mean, m), append(inv, i)
		for k, v := range x[r : r+n] {
			o := (v - m) * i * gamma[k]
			if beta != nil {
				o += beta[k]
			}
			y = append(y, o)
		}
	}
	return y, mean, inv
}

func skipCases(def *op.Operator, simple bool) []optest.Case {
	var cases []optest.Case
	for _, d := range def.Def().DTypes.Types() {
		for form := range 6 {
			const batch, rows, n = 2, 3, 21
			skip := [][]int{{batch, rows, n}, {rows, n}, {1, rows, n}}[form%3]
			sum, s, bias := numbers(batch*rows*n, 1), numbers(optest.Dims(skip...).Elements(), 2), numbers(n, 5)
			in := optest.In(f(d, 1, batch, rows, n), f(d, 2, skip...), f(d, 3, n))
			var beta []float64
			if !simple {
				in = append(in, nil)
				if form > 1 {
					beta = numbers(n, 4)
					in[3] = f(d, 4, n)
				}
			}
			for i := range sum {
				sum[i] += s[i%len(s)]
				if form > 2 {
					sum[i] += bias[i%n]
				}
			}
			if form > 2 {
				in = append(in, f(d, 5, n))
			}
			y, mean, inv := normalized(sum, numbers(n, 3), beta, 1e-3, simple)
			cases = append(cases, optest.Case{
				Name: d.String(), Attrs: optest.Attrs("epsilon", 1e-3), In: in, Tol: tolerance[d],
				Want: optest.Want(
					optest.Filled(d, optest.Dims(batch, rows, n), y...), optest.Filled(tensor.F32, optest.Dims(batch, rows, 1), mean...),
					optest.Filled(tensor.F32, optest.Dims(batch, rows, 1), inv...), optest.Filled(d, optest.Dims(batch, rows, n), sum...)),
			})
		}
		cases = append(cases, optest.Case{Name: "empty " + d.String(), In: optest.In(f(d, 1, 0, 4), f(d, 1, 0, 4), f(d, 1, 4)), Want: optest.Want(f(d, 1, 0, 4))})
	}
	return cases
}

func TestSkipLayerNormalization(t *testing.T) {
	optest.Run(t, SkipLayerNormalization, skipCases(SkipLayerNormalization, false))
}

func TestSkipSimplifiedLayerNormalization(t *testing.T) {
	optest.Run(t, SkipSimplifiedLayerNormalization, skipCases(SkipSimplifiedLayerNormalization, true))
}

func TestSkipLayerNormalizationErrors(t *testing.T) {
	x := f(tensor.F32, 1, 2, 3)
	optest.Run(t, SkipLayerNormalization, []optest.Case{
		{Name: "skip", In: optest.In(x, f(tensor.F32, 1, 2), f(tensor.F32, 1, 3)), Err: "input has shape [2, 3], skip has shape [2]", Code: errs.Shape},
		{Name: "gamma", In: optest.In(x, x, f(tensor.F32, 1, 2)), Err: "input 2 has shape [2], [3] expected", Code: errs.Shape},
	})
}

func TestSimplifiedLayerNormalization(t *testing.T) {
	for _, def := range []*op.Operator{SimplifiedLayerNormalization, SimplifiedLayerNormalizationMS} {
		var cases []optest.Case
		for _, d := range def.Def().DTypes.Types() {
			y, _, inv := normalized(numbers(6*20, 1), numbers(20, 2), nil, 1e-5, true)
			tol := max(tolerance[d], tolerance[tensor.F32])
			cases = append(cases, optest.Case{
				Name: "two dimensions " + d.String(), Attrs: optest.Attrs("axis", 1), In: optest.In(f(d, 1, 6, 4, 5), f(d, 2, 4, 5)), Tol: tol,
				Want: optest.Want(optest.Filled(d, optest.Dims(6, 4, 5), y...), optest.Filled(tensor.F32, optest.Dims(6, 1, 1), inv...)),
			})
		}
		cases = append(
			cases, optest.Case{Name: "axis", Attrs: optest.Attrs("axis", 2), In: optest.In(f(tensor.F32, 1, 2, 3), f(tensor.F32, 1, 3)), Err: "axis 2 is out of range", Code: errs.Shape},
			optest.Case{Name: "scale", In: optest.In(f(tensor.F32, 1, 2, 3), f(tensor.F32, 1, 2)), Err: "the scale has shape [2], 3 numbers expected", Code: errs.Shape})
		optest.Run(t, def, cases)
	}
}
