package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected values are NumPy's, in float64, by the specification's formula.
func TestLayerNormalization(t *testing.T) {
	for _, d := range LayerNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		stat := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
		dims := optest.Dims(2, 2, 3)
		x := of(dims, 1, 2, 4, -1, 0, 3, 2, 2, 2, 5, 1, 0)
		six := of(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
		three, shift := of(optest.Dims(3), 1, 2, -1), of(optest.Dims(3), 0.5, 0, 1)
		rowMeans, rowScales := stat(optest.Dims(2, 2, 1), 2.33333333, 0.666666667, 2.0, 2.0), stat(optest.Dims(2, 2, 1), 0.801781149, 0.588347387, 316.227766, 0.462909554)
		means, scales := stat(optest.Dims(2, 1, 1), 1.5, 2.0), stat(optest.Dims(2, 1, 1), 0.58553904, 0.654652268)
		cases := []optest.Case{
			{
				Name: "the last axis", In: optest.In(x, three, shift),
				Want: optest.Want(of(dims, -0.569041531, -0.534520766, -0.336301914, -0.480578979, -0.784463183, -0.37281057, 0.5, 0.0, 1.0, 1.88872866, -0.925819108, 1.92581911), rowMeans, rowScales),
			},
			{
				Name: "axis 1", Attrs: optest.Attrs("axis", 1), In: optest.In(x, six, of(optest.Dims(2, 3), 0.5, 1, 1.5, 2, 2.5, 3)),
				Want: optest.Want(of(dims, 0.20723048, 1.58553904, 5.8915428, -3.8553904, -1.8915428, 8.26985136, 0.5, 1.0, 1.5, 9.85582721, -0.773261339, -4.85582721), means, scales),
			},
			{
				Name: "parameters that broadcast inside", Attrs: optest.Attrs("axis", -2), In: optest.In(x, three, shift),
				Want: optest.Want(of(dims, 0.20723048, 0.58553904, -0.4638476, -0.9638476, -1.75661712, 0.12169144, 0.5, 0.0, 1.0, 2.4639568, -1.30930454, 2.30930454), means),
			},
			{
				Name: "parameters of columns", Attrs: optest.Attrs("axis", 1), In: optest.In(x, of(optest.Dims(2, 1), 2, 3), of(optest.Dims(2, 1), 1, -1)),
				Want: optest.Want(of(dims, 0.41446096, 1.58553904, 3.9276952, -5.3915428, -3.63492568, 1.63492568, 1.0, 1.0, 1.0, 4.89187041, -2.9639568, -4.92791361), nil, scales),
			},
			{
				Name: "a parameter of the outer axis, no bias", In: optest.In(x, of(optest.Dims(2, 1, 1), 2, 3)),
				Want: optest.Want(of(dims, -2.13808306, -0.534520766, 2.67260383, -1.96115796, -0.784463183, 2.74562114, 0.0, 0.0, 0.0, 4.16618599, -1.38872866, -2.77745732)),
			},
			{
				Name: "parameters of two axes, an omitted bias", In: optest.In(x, six, nil),
				Want: optest.Want(of(dims, -1.06904153, -0.534520766, 4.00890574, -3.92231591, -1.96115796, 8.23686342, 0.0, 0.0, 0.0, 5.55491465, -2.31454777, -5.55491465)),
			},
			{
				Name: "over everything, one number each", Attrs: optest.Attrs("axis", 0, "epsilon", 0.1), In: optest.In(x, of(nil, 2), of(optest.Dims(1), 1)),
				Want: optest.Want(of(dims, 0.101570878, 1.29947637, 3.69528737, -2.29424012, -1.09633462, 2.49738187, 1.29947637, 1.29947637, 1.29947637, 4.89319286, 0.101570878, -1.09633462), stat(optest.Dims(1, 1, 1), 1.75)),
			},
			{
				Name: "no rows", In: optest.In(of(optest.Dims(0, 3)), three, shift), Want: optest.Want(of(optest.Dims(0, 3)), stat(optest.Dims(0, 1))),
			},
			{
				Name: "empty rows have no mean", In: optest.In(of(optest.Dims(2, 0)), of(optest.Dims(0)), of(optest.Dims(0))),
				Want: optest.Want(of(optest.Dims(2, 0)), stat(optest.Dims(2, 1), math.NaN(), math.NaN())),
			},
			{
				Name: "statistics of bf16", Attrs: optest.Attrs("stash_type", int(tensor.BF16)), In: optest.In(x, three, shift),
				Want: optest.Want(optest.Like(d, 2, 2, 3), optest.Filled(tensor.BF16, optest.Dims(2, 2, 1), 2.328125, 0.66796875, 2, 2)),
			},
		}
		for i := range cases {
			cases[i].Name = d.String() + ": " + cases[i].Name
			if cases[i].Tol = max(precision[d], 1e-6); d == tensor.F16 || d == tensor.BF16 {
				cases[i].Tol *= 2
			}
		}
		optest.Run(t, LayerNormalization, cases)
	}
}

func TestLayerNormalizationErrors(t *testing.T) {
	x, s := optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6), optest.F32(optest.Dims(3), 1, 1, 1)
	optest.Run(t, LayerNormalization, []optest.Case{
		{Name: "an axis outside", Attrs: optest.Attrs("axis", 2), In: optest.In(x, s), Err: "axis 2 is out of range for rank 2", Code: errs.Shape},
		{Name: "a scale of another length", In: optest.In(x, optest.F32(optest.Dims(2), 1, 1)), Err: "input 1 has shape [2], which does not broadcast to [2, 3]", Code: errs.Shape},
		{Name: "a bias larger than X", In: optest.In(x, s, optest.F32(optest.Dims(2, 2, 3), make([]float32, 12)...)), Err: "input 2 has shape [2, 2, 3], which does not broadcast", Code: errs.Shape},
		{Name: "a scale of another type", In: optest.In(x, optest.F64(optest.Dims(3), 1, 1, 1)), Err: "input 1 is f64, input 0 is f32", Code: errs.Type},
		{Name: "statistics of i64", Attrs: optest.Attrs("stash_type", 7), In: optest.In(x, s), Err: "stash_type is 7", Code: errs.Argument},
	})
}

// Rows longer than a vector against the plain formula in float64.
func TestLayerNormalizationOfLongRows(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 65, 300} {
		x, scale, bias, want := make([]float64, 2*n), make([]float64, n), make([]float64, n), make([]float64, 2*n)
		for i := range x {
			x[i], scale[i%n], bias[i%n] = float64(i*i%13), float64(i%n%3), float64(i%n%5)
		}
		for r := range 2 {
			mean, square := 0.0, 0.0
			for _, v := range x[r*n : (r+1)*n] {
				mean += v / float64(n)
			}
			for _, v := range x[r*n : (r+1)*n] {
				square += (v - mean) * (v - mean) / float64(n)
			}
			for i := range n {
				want[r*n+i] = (x[r*n+i]-mean)/math.Sqrt(square+float64(float32(1e-5)))*scale[i] + bias[i]
			}
		}
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
		optest.Run(t, LayerNormalization, []optest.Case{{
			Name: "rows", In: optest.In(of(optest.Dims(2, n), x...), of(optest.Dims(n), scale...), of(optest.Dims(n), bias...)), Want: optest.Want(of(optest.Dims(2, n), want...)), Tol: 2e-6,
		}})
	}
}
