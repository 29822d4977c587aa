package ml

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestNormalizer(t *testing.T) {
	var cases []optest.Case
	for _, d := range Normalizer.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(3, 2), 3, -4, 0, 0, -2, -6)
		cases = append(cases,
			optest.Case{Name: d.String() + " MAX", In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(3, 2), 1, -4.0/3, 0, 0, 1, 3))},
			optest.Case{Name: d.String() + " L1", Attrs: optest.Attrs("norm", "L1"), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(3, 2), 3.0/7, -4.0/7, 0, 0, -0.25, -0.75))},
			optest.Case{Name: d.String() + " L2", Attrs: optest.Attrs("norm", "L2"), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(3, 2), 0.6, -0.8, 0, 0, -0.31622776, -0.9486833)), Tol: 1e-7},
			optest.Case{Name: d.String() + " a vector", Attrs: optest.Attrs("norm", "L2"), In: optest.In(optest.Filled(d, optest.Dims(2), 6, 8)), Want: optest.Want(optest.F32(optest.Dims(2), 0.6, 0.8)), Tol: 1e-7},
			optest.Case{Name: d.String() + " no rows", In: optest.In(optest.Filled(d, optest.Dims(0, 2))), Want: optest.Want(optest.F32(optest.Dims(0, 2)))},
			optest.Case{Name: d.String() + " no columns", In: optest.In(optest.Filled(d, optest.Dims(2, 0))), Want: optest.Want(optest.F32(optest.Dims(2, 0)))},
		)
	}
	optest.Run(t, Normalizer, append(cases,
		optest.Case{Name: "an unknown norm", Attrs: optest.Attrs("norm", "L3"), In: optest.In(optest.F32(optest.Dims(1), 1)), Err: `norm "L3" is none of MAX, L1, L2`, Code: errs.Argument},
		optest.Case{Name: "a cube", In: optest.In(optest.F32(optest.Dims(1, 1, 1), 1)), Err: "[N, F] or [F] expected", Code: errs.Shape},
	))
}

func TestArrayFeatureExtractor(t *testing.T) {
	var cases []optest.Case
	for _, d := range ArrayFeatureExtractor.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(2, 3), 0, 1, 2, 3, 4, 5)
		cases = append(cases,
			optest.Case{Name: d.String() + " a matrix", In: optest.In(x, optest.Ints(2, 0, 2)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), 2, 0, 2, 5, 3, 5))},
			optest.Case{Name: d.String() + " indices in a row", In: optest.In(x, optest.I64(optest.Dims(1, 1), 1)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 1), 1, 4))},
			optest.Case{Name: d.String() + " a vector", In: optest.In(optest.Filled(d, optest.Dims(3), 7, 8, 9), optest.Ints(1, 2)), Want: optest.Want(optest.Filled(d, optest.Dims(1, 2), 8, 9))},
			optest.Case{Name: d.String() + " a cube", In: optest.In(optest.Filled(d, optest.Dims(2, 1, 2), 1, 2, 3, 4), optest.Ints(1)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 1, 1), 2, 4))},
			optest.Case{Name: d.String() + " no index", In: optest.In(x, optest.Ints()), Want: optest.Want(optest.Filled(d, optest.Dims(2, 0)))},
			optest.Case{Name: d.String() + " no rows", In: optest.In(optest.Filled(d, optest.Dims(0, 3)), optest.Ints(1)), Want: optest.Want(optest.Filled(d, optest.Dims(0, 1)))},
		)
	}
	x := optest.F32(optest.Dims(1, 2), 1, 2)
	optest.Run(t, ArrayFeatureExtractor, append(cases,
		optest.Case{Name: "beyond", In: optest.In(x, optest.Ints(0, 2)), Err: "index 2 at position 1 is out of range for 2 features: it must lie in [0, 1]", Code: errs.Compute},
		optest.Case{Name: "negative", In: optest.In(x, optest.Ints(-1)), Err: "index -1 at position 0 is out of range", Code: errs.Compute},
		optest.Case{Name: "a scalar", In: optest.In(optest.F32(nil, 1), optest.Ints(0)), Err: "X is a scalar", Code: errs.Shape},
	))
}

func TestBinarizer(t *testing.T) {
	var cases []optest.Case
	for _, d := range Binarizer.Def().DTypes.Types() {
		cases = append(cases,
			optest.Case{Name: d.String(), Attrs: optest.Attrs("threshold", 1.0), In: optest.In(optest.Filled(d, optest.Dims(2, 2), 1, 2, -3, 1)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 0, 1, 0, 0))},
			optest.Case{Name: d.String() + " at zero", In: optest.In(optest.Filled(d, optest.Dims(3), 0, -1, 1)), Want: optest.Want(optest.Filled(d, optest.Dims(3), 0, 0, 1))},
			optest.Case{Name: d.String() + " a scalar", In: optest.In(optest.Filled(d, nil, 4)), Want: optest.Want(optest.Filled(d, nil, 1))},
			optest.Case{Name: d.String() + " nothing", In: optest.In(optest.Filled(d, optest.Dims(0))), Want: optest.Want(optest.Filled(d, optest.Dims(0)))},
		)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	optest.Run(t, Binarizer, append(cases, optest.Case{Name: "NaN is not above", In: optest.In(optest.F32(optest.Dims(3), nan, inf, -inf)), Want: optest.Want(optest.F32(optest.Dims(3), 0, 1, 0))}))
}

func TestImputer(t *testing.T) {
	nan := math.NaN()
	holes, filled := make([]float32, 3*400), make([]float32, 3*400)
	for i := range holes {
		holes[i] = float32(i)
		if i > 500 && i%70 == 0 {
			holes[i] = float32(nan)
		}
		if filled[i] = holes[i]; holes[i] != holes[i] {
			filled[i] = []float32{5, 6, 7}[i%3]
		}
	}
	holes[7], holes[8], filled[7], filled[8] = float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Inf(1)), float32(math.Inf(-1))
	cases := []optest.Case{{
		Name: "NaN in some of many rows", Attrs: optest.Attrs("imputed_value_floats", []float32{5, 6, 7}, "replaced_value_float", nan),
		In: optest.In(optest.F32(optest.Dims(400, 3), holes...)), Want: optest.Want(optest.F32(optest.Dims(400, 3), filled...)),
	}}
	for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
		x := optest.Filled(d, optest.Dims(2, 2), nan, 1, 2, nan)
		cases = append(cases,
			optest.Case{Name: d.String() + " NaN by feature", Attrs: optest.Attrs("imputed_value_floats", []float32{5, 6}, "replaced_value_float", nan), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 5, 1, 2, 6))},
			optest.Case{Name: d.String() + " NaN by one", Attrs: optest.Attrs("imputed_value_floats", []float32{5}, "replaced_value_float", nan), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 5, 1, 2, 5))},
			optest.Case{Name: d.String() + " a number", Attrs: optest.Attrs("imputed_value_floats", []float32{5, 6}, "replaced_value_float", 2.0), In: optest.In(x), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), nan, 1, 5, nan))},
			optest.Case{Name: d.String() + " a cube", Attrs: optest.Attrs("imputed_value_floats", []float32{5, 6}), In: optest.In(optest.Filled(d, optest.Dims(2, 1, 2), 0, 0, 1, 0)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 1, 2), 5, 6, 1, 6))},
		)
	}
	for _, d := range []tensor.DType{tensor.I64, tensor.I32} {
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: optest.Attrs("imputed_value_int64s", []int{7, 8}, "replaced_value_int64", -1), In: optest.In(optest.Filled(d, optest.Dims(2, 2), -1, 3, 4, -1)),
			Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 7, 3, 4, 8)),
		})
	}
	long, want := make([]float32, 1000), make([]float32, 1000)
	for i := range long {
		long[i], want[i] = float32(i%7), float32(i%7)
		if i%7 == 0 {
			want[i] = float32(10 + i%20)
		}
	}
	by := make([]float32, 20)
	for i := range by {
		by[i] = float32(10 + i)
	}
	cases = append(cases, optest.Case{Name: "many rows", Attrs: optest.Attrs("imputed_value_floats", by), In: optest.In(optest.F32(optest.Dims(50, 20), long...)), Want: optest.Want(optest.F32(optest.Dims(50, 20), want...))})
	x := optest.In(optest.F32(optest.Dims(1, 2), 1, 2))
	optest.Run(t, Imputer, append(cases,
		optest.Case{Name: "no values of the type", Attrs: optest.Attrs("imputed_value_int64s", []int{1}), In: x, Err: "imputed_value_floats has 0 values", Code: errs.Model},
		optest.Case{Name: "other features", Attrs: optest.Attrs("imputed_value_floats", []float32{1, 2, 3}), In: x, Err: "imputed_value_floats has 3 values, X has shape [1, 2]", Code: errs.Model},
	))
}

func TestOneHotEncoder(t *testing.T) {
	var cases []optest.Case
	for _, d := range []tensor.DType{tensor.I64, tensor.I32, tensor.F32, tensor.F64} {
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: optest.Attrs("cats_int64s", []int{5, 0, 7}), In: optest.In(optest.Filled(d, optest.Dims(2, 2), 0, 7, 9, 5)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2, 3), 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)),
		})
	}
	cases = append(cases, optest.Case{
		Name: "numbers far apart", Attrs: optest.Attrs("cats_int64s", []int{math.MinInt, math.MaxInt, 0}), In: optest.In(optest.Ints(0, math.MinInt64, 1, math.MaxInt64)),
		Want: optest.Want(optest.F32(optest.Dims(4, 3), 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0)),
	})
	cats := optest.Attrs("cats_strings", []string{"a", ""})
	optest.Run(t, OneHotEncoder, append(cases,
		optest.Case{Name: "strings", Attrs: cats, In: optest.In(optest.Str(optest.Dims(3), "", "b", "a")), Want: optest.Want(optest.F32(optest.Dims(3, 2), 0, 1, 0, 0, 1, 0))},
		optest.Case{Name: "a scalar", Attrs: cats, In: optest.In(optest.Str(nil, "a")), Want: optest.Want(optest.F32(optest.Dims(2), 1, 0))},
		optest.Case{Name: "fractions are cut off", Attrs: optest.Attrs("cats_int64s", []int{0, 1}), In: optest.In(optest.F32(optest.Dims(3), 1.9, -0.5, float32(math.NaN()))), Want: optest.Want(optest.F32(optest.Dims(3, 2), 0, 1, 1, 0, 0, 0))},
		optest.Case{Name: "unknown refused", Attrs: append(cats, optest.Attrs("zeros", 0)...), In: optest.In(optest.Str(optest.Dims(2), "a", "b")), Err: "the element at position 1 is none of the 2 categories", Code: errs.Compute},
		optest.Case{Name: "known with zeros=0", Attrs: append(cats, optest.Attrs("zeros", 0)...), In: optest.In(optest.Str(optest.Dims(1), "a")), Want: optest.Want(optest.F32(optest.Dims(1, 2), 1, 0))},
		optest.Case{Name: "categories of another type", Attrs: cats, In: optest.In(optest.Ints(1)), Err: "0 cats_int64s and 2 cats_strings given for elements of type i64", Code: errs.Model},
	))
}

func TestFeatureVectorizer(t *testing.T) {
	var cases []optest.Case
	for _, d := range FeatureVectorizer.Def().DTypes.Types() {
		a, b := optest.Filled(d, optest.Dims(2, 2), 1, 2, 3, 4), optest.Filled(d, optest.Dims(2, 1), 5, 6)
		cases = append(cases,
			optest.Case{Name: d.String(), Attrs: optest.Attrs("inputdimensions", []int{2, 1}), In: optest.In(a, b), Want: optest.Want(optest.F32(optest.Dims(2, 3), 1, 2, 5, 3, 4, 6))},
			optest.Case{Name: d.String() + " cut and filled", Attrs: optest.Attrs("inputdimensions", []int{1, 3}), In: optest.In(a, b), Want: optest.Want(optest.F32(optest.Dims(2, 4), 1, 5, 0, 0, 3, 6, 0, 0))},
			optest.Case{Name: d.String() + " without dimensions", In: optest.In(b, a), Want: optest.Want(optest.F32(optest.Dims(2, 3), 5, 1, 2, 6, 3, 4))},
			optest.Case{Name: d.String() + " vectors", In: optest.In(optest.Filled(d, optest.Dims(2), 1, 2), optest.Filled(d, optest.Dims(1), 3)), Want: optest.Want(optest.F32(optest.Dims(1, 3), 1, 2, 3))},
		)
	}
	a := optest.F32(optest.Dims(2, 1), 1, 2)
	optest.Run(t, FeatureVectorizer, append(cases,
		optest.Case{Name: "other rows", In: optest.In(a, optest.F32(optest.Dims(3, 1), 1, 2, 3)), Err: "input 1 has shape [3, 1] with 3 rows, input 0 has 2", Code: errs.Shape},
		optest.Case{Name: "other inputs", Attrs: optest.Attrs("inputdimensions", []int{1}), In: optest.In(a, a), Err: "1 inputdimensions given for 2 inputs", Code: errs.Model},
		optest.Case{Name: "negative", Attrs: optest.Attrs("inputdimensions", []int{-1}), In: optest.In(a), Err: "inputdimensions has -1 for input 0", Code: errs.Model},
	))
}
