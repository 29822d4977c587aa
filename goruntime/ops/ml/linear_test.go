package ml

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestLinearRegressor(t *testing.T) {
	var cases []optest.Case
	for _, d := range LinearRegressor.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(3, 2), 0, 0, 2, 1, -3, 4)
		cases = append(cases,
			optest.Case{Name: d.String() + " one target", Attrs: optest.Attrs("coefficients", []float32{0.5, -1}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(3, 1), 0, 0, -5.5))},
			optest.Case{
				Name: d.String() + " two targets", Attrs: optest.Attrs("coefficients", []float32{0.5, -1, 2, 0.25}, "intercepts", []float32{0.25, -1}, "targets", 2), In: optest.In(x),
				Want: optest.Want(optest.F32(optest.Dims(3, 2), 0.25, -1, 0.25, 3.25, -5.25, -6)),
			},
			optest.Case{
				Name: d.String() + " logistic", Attrs: optest.Attrs("coefficients", []float32{0.5, 0, -0.25, 0}, "intercepts", []float32{0.25, 0}, "targets", 2, "post_transform", "LOGISTIC"), In: optest.In(x),
				Want: optest.Want(optest.F32(optest.Dims(3, 2), 0.56217647, 0.5, 0.7772999, 0.3775407, 0.22270015, 0.6791787)), Tol: 1e-6,
			},
			optest.Case{
				Name: d.String() + " softmax", Attrs: optest.Attrs("coefficients", []float32{0.5, 0, -0.25, 0}, "intercepts", []float32{0.25, 0}, "targets", 2, "post_transform", "SOFTMAX"), In: optest.In(x),
				Want: optest.Want(optest.F32(optest.Dims(3, 2), 0.5621765, 0.4378235, 0.85195273, 0.1480472, 0.11920292, 0.880797)), Tol: 1e-6,
			},
			optest.Case{
				Name: d.String() + " softmax but of zeros", Attrs: optest.Attrs("coefficients", []float32{0.5, 0, -0.25, 0}, "intercepts", []float32{0.25, 0}, "targets", 2, "post_transform", "SOFTMAX_ZERO"), In: optest.In(x),
				Want: optest.Want(optest.F32(optest.Dims(3, 2), 1, 0, 0.85195273, 0.1480472, 0.11920292, 0.880797)), Tol: 1e-6,
			},
			optest.Case{Name: d.String() + " a vector", Attrs: optest.Attrs("coefficients", []float32{3}), In: optest.In(optest.Filled(d, optest.Dims(1), 2)), Want: optest.Want(optest.F32(optest.Dims(1, 1), 6))},
			optest.Case{Name: d.String() + " no rows", Attrs: optest.Attrs("coefficients", []float32{3}), In: optest.In(optest.Filled(d, optest.Dims(0, 1))), Want: optest.Want(optest.F32(optest.Dims(0, 1)))},
			optest.Case{Name: d.String() + " no features", Attrs: optest.Attrs("intercepts", []float32{3}), In: optest.In(optest.Filled(d, optest.Dims(2, 0))), Want: optest.Want(optest.F32(optest.Dims(2, 1), 3, 3))},
		)
	}
	x := optest.In(optest.F32(optest.Dims(1, 2), 1, 2))
	optest.Run(t, LinearRegressor, append(cases,
		optest.Case{Name: "coefficients", Attrs: optest.Attrs("coefficients", []float32{1}), In: x, Err: "1 coefficients given for 1 targets of 2 features", Code: errs.Model},
		optest.Case{Name: "intercepts", Attrs: optest.Attrs("coefficients", []float32{1, 2}, "intercepts", []float32{1, 2}), In: x, Err: "2 intercepts given for 1 targets", Code: errs.Model},
		optest.Case{Name: "targets", Attrs: optest.Attrs("targets", 0), In: x, Err: "targets is 0: it must lie in [1, 1048576]", Code: errs.Model},
		optest.Case{Name: "targets without end", Attrs: optest.Attrs("targets", 1<<62), In: x, Err: "targets is 4611686018427387904: it must lie in [1, 1048576]", Code: errs.Model},
		optest.Case{Name: "a cube", In: optest.In(optest.F32(optest.Dims(1, 1, 1), 1)), Err: "[N, F] or [F] expected", Code: errs.Shape},
		optest.Case{Name: "f16", In: optest.In(optest.Filled(tensor.F16, optest.Dims(1, 1), 1)), Err: "element type f16 is not supported", Code: errs.Unsupported},
	))
}

// The scores of one target were computed by ONNX Runtime 1.32.
func TestLinearClassifier(t *testing.T) {
	var cases []optest.Case
	two, names := []int{5, 9}, []string{"no", "yes", ""}
	for _, d := range LinearClassifier.Def().DTypes.Types() {
		in := optest.In(optest.Filled(d, optest.Dims(3, 1), 0, 2, -3))
		one, both := []float32{0.5}, []float32{0.5, -0.25}
		cases = append(cases,
			optest.Case{
				Name: d.String() + " one score", Attrs: optest.Attrs("coefficients", one, "intercepts", []float32{0.25}, "classlabels_ints", two), In: in,
				Want: optest.Want(optest.Ints(9, 9, 5), optest.F32(optest.Dims(3, 2), 0.75, 0.25, -0.25, 1.25, 2.25, -1.25)),
			},
			optest.Case{
				Name: d.String() + " one score, logistic", Attrs: optest.Attrs("coefficients", one, "intercepts", []float32{0.25}, "classlabels_strings", names[:2], "post_transform", "LOGISTIC"), In: in,
				Want: optest.Want(optest.Str(optest.Dims(3), "yes", "yes", "no"), optest.F32(optest.Dims(3, 2), 0.43782347, 0.5621765, 0.22270012, 0.7772999, 0.7772999, 0.22270012)), Tol: 1e-6,
			},
			optest.Case{
				Name: d.String() + " one score, softmax", Attrs: optest.Attrs("coefficients", one, "intercepts", []float32{0.25}, "classlabels_ints", two, "post_transform", "SOFTMAX"), In: in,
				Want: optest.Want(optest.Ints(9, 9, 5), optest.F32(optest.Dims(3, 2), 0.75, 0.25, -0.25, 1.25, 2.25, -1.25)),
			},
			optest.Case{
				Name: d.String() + " two scores", Attrs: optest.Attrs("coefficients", both, "intercepts", []float32{0.25, 0}, "classlabels_ints", two), In: in,
				Want: optest.Want(optest.Ints(5, 5, 9), optest.F32(optest.Dims(3, 2), 0.25, 0, 1.25, -0.5, -1.25, 0.75)),
			},
			optest.Case{
				Name: d.String() + " three scores, softmax", Attrs: optest.Attrs("coefficients", []float32{1, 0, -1}, "classlabels_strings", names, "post_transform", "SOFTMAX", "multi_class", 1), In: in,
				Want: optest.Want(optest.Str(optest.Dims(3), "no", "no", ""), optest.F32(optest.Dims(3, 3), 0.33333334, 0.33333334, 0.33333334, 0.8668133, 0.11731043, 0.015876241, 0.0023556333, 0.047314156, 0.9503302)), Tol: 1e-6,
			},
			optest.Case{Name: d.String() + " labels alone", Attrs: optest.Attrs("coefficients", both, "classlabels_ints", two), In: in, Want: optest.Want(optest.Ints(5, 5, 9))},
			optest.Case{Name: d.String() + " one class", Attrs: optest.Attrs("coefficients", one, "classlabels_ints", []int{7}), In: in, Want: optest.Want(optest.Ints(7, 7, 7), optest.F32(optest.Dims(3, 1), 0, 1, -1.5))},
			optest.Case{Name: d.String() + " no rows", Attrs: optest.Attrs("coefficients", both, "classlabels_ints", two), In: optest.In(optest.Filled(d, optest.Dims(0, 1))), Want: optest.Want(optest.Ints(), optest.F32(optest.Dims(0, 2)))},
		)
	}
	x := optest.In(optest.F32(optest.Dims(1, 2), 1, 2))
	optest.Run(t, LinearClassifier, append(cases,
		optest.Case{Name: "labels", Attrs: optest.Attrs("coefficients", []float32{1, 2, 3, 4}, "classlabels_ints", []int{1, 2, 3}), In: x, Err: "4 coefficients are 2 scores of 2 features, 3 labels given", Code: errs.Model},
		optest.Case{Name: "no labels", Attrs: optest.Attrs("coefficients", []float32{1, 2, 3, 4}), In: x, Err: "labels of one kind are expected", Code: errs.Model},
		optest.Case{
			Name: "coefficients beyond those needed", Attrs: optest.Attrs("coefficients", []float32{1, 2, 3, 4, 5, 6, 7}, "intercepts", []float32{0, 10}, "classlabels_ints", []int{1, 2}), In: x,
			Want: optest.Want(optest.Ints(2), optest.F32(optest.Dims(1, 2), 5, 21)),
		},
		optest.Case{
			Name: "too few coefficients", Attrs: optest.Attrs("coefficients", []float32{1, 2, 3}, "intercepts", []float32{0, 0}, "classlabels_ints", []int{1, 2}), In: x,
			Err: "3 coefficients given for 2 targets of 2 features", Code: errs.Model,
		},
	))
}
