package ml

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
)

// The machines and what they give for four rows are those of scikit-learn 1.9.1.
var svmRows = optest.F32(optest.Dims(4, 2), 0.3, 1.7, -0.3, -1.4, 0.9, 0.9, -0.3, -1.2)

func svr(kernel string, vectors, coefficients []float32, rho float32) []op.Value {
	return optest.Attrs("kernel_type", kernel, "kernel_params", []float32{0.5, 0.25, 3}, "support_vectors", vectors, "coefficients", coefficients, "rho", []float32{rho}, "n_supports", len(coefficients))
}

func TestSVMRegressor(t *testing.T) {
	column := optest.Dims(4, 1)
	optest.Run(t, SVMRegressor, []optest.Case{
		{
			Name: "RBF", Attrs: svr(
				"RBF",
				[]float32{2, -2.6, 0.4, -0.6, -2, -0.2, -0.9, 3.3, -1.1, -0.4, 1.5, 0.8, 2, 0.8, 1.5, 0.5, 2.9, 0.7, 0.8, 2, 0.1, 0.7, -0.9, -0.3, -3.8, 0, -2, -2.7, 0.4, -0.3},
				[]float32{0.5, 0.5, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5, 0.5, -0.07498173, -0.2677652, -0.246025, -0.5, -0.5, 0.0887719}, -0.05582718,
			),
			In: optest.In(svmRows), Want: optest.Want(optest.F32(column, 0.02831513, -0.1560999, 0.9714962, -0.1791782)), Tol: 1e-5,
		},
		{
			Name: "SIGMOID", Attrs: svr(
				"SIGMOID", []float32{2, -2.6, -0.5, -0.2, -2, -0.2, -0.9, 3.3, 1.5, 0.8, 2, 0.8, 1, 2.5, 1.5, 0.5, 2.9, 0.7, 0.8, 2, -3.8, 0},
				[]float32{0.5, 0.02508473, -0.5, -0.5, 0.4749153, 0.5, -0.5, 0.5, 0.5, -0.5, -0.5}, -0.2087609,
			),
			In: optest.In(svmRows), Want: optest.Want(optest.F32(column, -0.288961, 0.05237047, 0.926781, 0.07358718)), Tol: 1e-5,
		},
		{
			Name: "POLY", Attrs: svr(
				"POLY",
				[]float32{2, -2.6, 0.4, -0.6, -0.5, -0.2, -2, -0.2, -0.9, 3.3, 0.2, -0.4, -1.1, -0.4, 1.5, 0.8, 1.5, 0.5, 2.9, 0.7, 0.8, 2, 0.1, 0.7, -0.9, -0.3, -3.8, 0, -2, -2.7, -0.7, -0.3, 0.4, -0.3},
				[]float32{0.04212563, 0.5, -0.5, -0.5, 0.01382815, 0.5, -0.5, 0.5, 0.5, -0.09241043, -0.07164384, -0.0372283, -0.5, 0.09772008, 0.04760872, -0.5, 0.5}, 0.02152285,
			),
			In: optest.In(svmRows), Want: optest.Want(optest.F32(column, -0.150432, 0.6141314, 0.6773059, 0.3572668)), Tol: 1e-5,
		},
		{
			Name: "LINEAR", Attrs: svr("LINEAR", []float32{2, -2.6, -0.9, 3.3, -3.8, 0}, []float32{0.3235581, -0.008607188, -0.3149509}, 0.03609473),
			In: optest.In(svmRows), Want: optest.Want(optest.F32(column, -0.8868156, 0.6981086, 0.919914, 0.5241777)), Tol: 1e-5,
		},
		{
			Name: "one class", Attrs: append(svr(
				"RBF", []float32{2, -2.6, 0.4, -0.6, -2, -0.2, -0.9, 3.3, 1, 2.5, 1.5, 0.5, 2.9, 0.7, 0.1, 0.7, -3.8, 0, -2, -2.7, -1.4, -2.1, -1, -1.1},
				[]float32{0.6251985, 0.3371365, 0.3767465, 0.5758243, 0.4935642, 0.157191, 0.5540382, 0.3070021, 0.562875, 0.5314904, 0.0784379, 0.2004953}, -0.6419609,
			), optest.Attrs("one_class", 1)...),
			In: optest.In(optest.F32(optest.Dims(4, 2), 0.3, 1.7, -0.3, -1.4, 0.9, 0.9, -0.3, -1.2)), Want: optest.Want(optest.F32(column, -1, -1, 1, -1)),
		},
		{Name: "no vectors", Attrs: optest.Attrs("coefficients", []float32{2, -1}, "rho", []float32{0.5}), In: optest.In(optest.I32(optest.Dims(2, 2), 1, 2, 3, 4)), Want: optest.Want(optest.F32(optest.Dims(2, 1), 0.5, 2.5))},
		{Name: "no rows", Attrs: optest.Attrs("coefficients", []float32{2, -1}), In: optest.In(optest.F32(optest.Dims(0, 2))), Want: optest.Want(optest.F32(optest.Dims(0, 1)))},
		{Name: "logistic of i64", Attrs: optest.Attrs("coefficients", []float32{1}, "post_transform", "LOGISTIC"), In: optest.In(optest.Ints(2)), Want: optest.Want(optest.F32(optest.Dims(1, 1), 0.880797)), Tol: 1e-6},
		{Name: "another degree of f64", Attrs: optest.Attrs("kernel_type", "POLY", "kernel_params", []float32{1, 1, 4}, "support_vectors", []float32{2}, "coefficients", []float32{1}, "n_supports", 1), In: optest.In(optest.F64(optest.Dims(1, 1), 0.5)), Want: optest.Want(optest.F32(optest.Dims(1, 1), 16))},
		{Name: "an unknown kernel", Attrs: svr("COSINE", []float32{1, 2}, []float32{1}, 0), In: optest.In(svmRows), Err: `kernel_type "COSINE" is none of`, Code: errs.Argument},
		{Name: "vectors of other features", Attrs: svr("RBF", []float32{1, 2, 3}, []float32{1}, 0), In: optest.In(svmRows), Err: "3 numbers given for 1 vectors of 2 features", Code: errs.Model},
		{Name: "coefficients", Attrs: optest.Attrs("n_supports", 2, "coefficients", []float32{1}), In: optest.In(svmRows), Err: "1 coefficients given for 2 support vectors", Code: errs.Model},
		{Name: "parameters", Attrs: optest.Attrs("coefficients", []float32{1, 1}, "kernel_params", []float32{1}), In: optest.In(svmRows), Err: "kernel_params has 1 numbers, 3 expected", Code: errs.Model},
	})
}

// svc is a machine of three classes with an RBF kernel.
func svc(more ...any) []op.Value {
	return replaced(optest.Attrs(
		"kernel_type", "RBF", "kernel_params", []float32{0.5, 0, 0}, "vectors_per_class", []int{8, 7, 8}, "classlabels_ints", []int{0, 1, 2},
		"support_vectors", []float32{
			2, -2.6, 0.4, -0.6, -0.5, -0.2, -2, -0.2, -0.9, 3.3, 0.2, -0.4, -0.3, -0.7, -1.1, -0.4, 1.5, 0.8, 2, 0.8, 1, 2.5, 1.5, 0.5,
			2.9, 0.7, 0.8, 2, 0.1, 0.7, -0.1, -0.4, -0.9, -0.3, -3.8, 0, -2, -2.7, -0.7, -0.3, -1.4, -2.1, -1, -1.1, 0.4, -0.3,
		},
		"coefficients", []float32{
			0.5, 0.5, 0.2994512, 0.5, 0.5, 0.5, 0, 0, -0.2110248, -0.1283022, -0.5, -0.5, -0.5, -0.4601242, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5,
			0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.2286883, 0.0888471, 0.5, 0.5, 0.5, 0.3814939, 0.5, -0.4578372, -0.4111102, -0.5, -0.5, 0, -0.3300819, 0, -0.5,
		},
		"rho", []float32{0.2200427, 0.2232053, -0.1839364},
	), optest.Attrs(more...))
}

// pair is a linear machine of two classes with one vector each.
func pair(more ...any) []op.Value {
	return replaced(optest.Attrs("vectors_per_class", []int{1, 1}, "support_vectors", []float32{1, -1}, "coefficients", []float32{1, -1}, "rho", []float32{0.5},
		"classlabels_strings", []string{"left", "right"}), optest.Attrs(more...))
}

func TestSVMClassifier(t *testing.T) {
	x := optest.F32(optest.Dims(2, 1), 1, -2) // the scores are 2x + 0.5: 2.5 and -3.5
	names := optest.Str(optest.Dims(2), "left", "right")
	optest.Run(t, SVMClassifier, []optest.Case{
		{
			Name: "probabilities", Attrs: svc("prob_a", []float32{-2.797234, 1.328922, -2.786069}, "prob_b", []float32{-0.1055201, -0.008755382, -0.01406449}), In: optest.In(svmRows), Tol: 2e-5,
			Want: optest.Want(optest.Ints(1, 0, 1, 0), optest.F32(optest.Dims(4, 3), 0.0928858, 0.8111995, 0.09591467, 0.463385, 0.03223221, 0.5043828, 0.08029087, 0.8332614, 0.08644774, 0.442857, 0.02536202, 0.5317809)),
		},
		{Name: "labels alone", Attrs: svc(), In: optest.In(svmRows), Want: optest.Want(optest.Ints(1, 0, 1, 0))},
		{Name: "scores of pairs", Attrs: svc(), In: optest.In(svmRows), Want: optest.Want(optest.Ints(1, 0, 1, 0), optest.Like(1, 4, 3))},
		{Name: "two classes", Attrs: pair(), In: optest.In(x), Want: optest.Want(names, optest.F32(optest.Dims(2, 2), -2.5, 2.5, 3.5, -3.5))},
		{Name: "two classes, logistic", Attrs: pair("post_transform", "LOGISTIC"), In: optest.In(x), Want: optest.Want(names, optest.F32(optest.Dims(2, 2), 0.07585818, 0.92414182, 0.97068777, 0.02931223)), Tol: 1e-6},
		{Name: "two classes, softmax", Attrs: pair("post_transform", "SOFTMAX"), In: optest.In(x), Want: optest.Want(names, optest.F32(optest.Dims(2, 2), -1.5, 2.5, 4.5, -3.5))},
		{
			Name: "no vectors", Attrs: optest.Attrs("coefficients", []float32{1, -1, 0}, "rho", []float32{0.5}, "classlabels_ints", []int{4, 5, 6}), In: optest.In(optest.Ints(3)),
			Want: optest.Want(optest.Ints(4), optest.F32(optest.Dims(1, 3), 3.5, -2.5, 0.5)),
		},
		{
			Name: "no vectors, softmax of f64", Attrs: optest.Attrs("coefficients", []float32{1, -1}, "rho", []float32{0}, "classlabels_ints", []int{4, 5}, "post_transform", "SOFTMAX"), In: optest.In(optest.F64(optest.Dims(1, 1), -1)),
			Want: optest.Want(optest.Ints(5), optest.F32(optest.Dims(1, 2), 0.11920292, 0.880797)), Tol: 1e-6,
		},
		{Name: "no rows of i32", Attrs: pair(), In: optest.In(optest.I32(optest.Dims(0, 1))), Want: optest.Want(optest.Str(optest.Dims(0)), optest.F32(optest.Dims(0, 2)))},
		{Name: "vectors of one class", Attrs: pair("vectors_per_class", []int{2}), In: optest.In(x), Err: "vectors_per_class is [2] for 2 labels", Code: errs.Model},
		{Name: "coefficients", Attrs: pair("coefficients", []float32{1}), In: optest.In(x), Err: "1 coefficients and 1 rho given for 2 classes with 2 vectors: 2 and 1 are needed", Code: errs.Model},
		{Name: "one half of the probabilities", Attrs: pair("prob_a", []float32{1}), In: optest.In(x), Err: "prob_a and prob_b have 1 and 0 numbers", Code: errs.Model},
		{Name: "no rho", Attrs: optest.Attrs("coefficients", []float32{1, -1}, "classlabels_ints", []int{4, 5}), In: optest.In(x), Err: "rho is empty", Code: errs.Model},
		{Name: "no labels", Attrs: optest.Attrs("coefficients", []float32{1, -1}), In: optest.In(x), Err: "labels of one kind are expected", Code: errs.Model},
	})
}

// numbered returns n numbers from -1 to 1 in steps that repeat after so many.
func numbered(n, period int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 2*float32(i%period)/float32(period-1) - 1
	}
	return list
}

// similarity is a kernel of the tests' machines, whose parameters are 0.5, 0.25 and the
// degree, in float64.
func similarity(kernel string, degree float64, x, v []float32) float64 {
	product, apart := 0.0, 0.0
	for i := range x {
		product += float64(x[i]) * float64(v[i])
		apart += math.Pow(float64(x[i])-float64(v[i]), 2)
	}
	if kernel == "RBF" {
		return math.Exp(-0.5 * apart)
	}
	return math.Pow(0.5*product+0.25, degree)
}

// More vectors than a panel, and more rows than are compared at once.
func TestManyVectors(t *testing.T) {
	const n, features, rows = 258, 3, 61
	vectors, x, coefficients := numbered(n*features, 17), numbered(rows*features, 13), numbered(n, 5)
	var cases []optest.Case
	for _, k := range []struct {
		kernel string
		degree float32
	}{{"RBF", 0}, {"POLY", 2}, {"POLY", 3}, {"POLY", 4}} {
		want := make([]float32, rows)
		for r := range rows {
			s := 0.25
			for i := range n {
				s += float64(coefficients[i]) * similarity(k.kernel, float64(k.degree), x[r*features:(r+1)*features], vectors[i*features:(i+1)*features])
			}
			want[r] = float32(s)
		}
		cases = append(cases, optest.Case{
			Name: fmt.Sprint(k.kernel, k.degree, " against float64"), In: optest.In(optest.F32(optest.Dims(rows, features), x...)),
			Attrs: replaced(svr(k.kernel, vectors, coefficients, 0.25), optest.Attrs("kernel_params", []float32{0.5, 0.25, k.degree})),
			Want:  optest.Want(optest.F32(optest.Dims(rows, 1), want...)), Tol: 1e-5,
		})
	}
	optest.Run(t, SVMRegressor, cases)
}

// The score of a pair of classes i < j is that of libsvm: the vectors of i weighed by row
// j-1 of the coefficients, and those of j by row i.
func TestManyClasses(t *testing.T) {
	for _, per := range [][]int{{20, 1, 37, 16}, {20, 1, 17, 16, 9, 11}} {
		t.Run(fmt.Sprint(len(per)), func(t *testing.T) { manyClasses(t, per) })
	}
}

func manyClasses(t *testing.T, per []int) {
	const features, rows, n = 3, 61, 74
	classes, pairs := len(per), len(per)*(len(per)-1)/2
	vectors, x, coefficients, rho := numbered(n*features, 17), numbered(rows*features, 13), numbered((classes-1)*n, 7), numbered(pairs, 6)
	labels, scores := make([]int64, rows), []float32{}
	for r := range rows {
		weighed := func(class, row int) (s float64) {
			at := 0
			for _, k := range per[:class] {
				at += k
			}
			for i := at; i < at+per[class]; i++ {
				s += float64(coefficients[row*n+i]) * similarity("POLY", 3, x[r*features:(r+1)*features], vectors[i*features:(i+1)*features])
			}
			return s
		}
		votes := make([]int, classes)
		for i, pair := 0, 0; i < classes; i++ {
			for j := i + 1; j < classes; j++ {
				s := weighed(i, j-1) + weighed(j, i) + float64(rho[pair])
				scores = append(scores, float32(s))
				if s > 0 {
					votes[i]++
				} else {
					votes[j]++
				}
				pair++
			}
		}
		for c, v := range votes {
			if v > votes[labels[r]] {
				labels[r] = int64(c)
			}
		}
	}
	optest.Run(t, SVMClassifier, []optest.Case{{
		Name: "against float64", In: optest.In(optest.F32(optest.Dims(rows, features), x...)),
		Attrs: optest.Attrs("kernel_type", "POLY", "kernel_params", []float32{0.5, 0.25, 3}, "vectors_per_class", per, "classlabels_ints", []int{0, 1, 2, 3, 4, 5}[:classes],
			"support_vectors", vectors, "coefficients", coefficients, "rho", rho),
		Want: optest.Want(optest.Ints(labels...), optest.F32(optest.Dims(rows, pairs), scores...)), Tol: 1e-4,
	}})
}
