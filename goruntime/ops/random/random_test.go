package random

import (
	"math"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The known answers of the authors' library Random123.
func TestPhilox(t *testing.T) {
	if got, want := (stream{}).block(0), [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}; got != want {
		t.Errorf("counter 0, key 0: %x, want %x", got, want)
	}
}

func TestWordsDoNotDependOnTheStart(t *testing.T) {
	s := stream{[2]uint32{1, 2}}
	all := make([]uint32, 40)
	s.fill(all, 0)
	for from := range 20 {
		for n := range 20 {
			part := make([]uint32, n)
			if s.fill(part, from); !slices.Equal(part, all[from:from+n]) {
				t.Errorf("%d words from %d on differ from where they start a sequence", n, from)
			}
		}
	}
}

// The expected values were computed by another Philox and scipy.stats.
func TestSeededDraws(t *testing.T) {
	six := []int{2, 3}
	uniform := []float64{1.20459604, -0.440553188, 2.74556041, -0.802522421, 2.79804039, 2.42042685}
	normal := []float64{2.38569474, -1.24282217, 6.57547331, -2.95299602, 6.92036676, 5.17576981}
	for _, d := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
		x := optest.Filled(tensor.Str, optest.Dims(2, 3), 0, 0, 0, 0, 0, 0)
		tol := map[tensor.DType]float64{tensor.F32: 1e-7, tensor.F16: 1e-3, tensor.BF16: 8e-3}[d]
		for _, like := range []bool{false, true} {
			u, n, in := RandomUniform, RandomNormal, optest.In()
			attrs := optest.Attrs("seed", 7.5, "dtype", int(d), "low", -1.0, "high", 3.0, "mean", 2.0, "scale", 3.0, "shape", six)
			if like {
				u, n, in = RandomUniformLike, RandomNormalLike, optest.In(x)
			}
			optest.Run(t, u, []optest.Case{{Name: u.Name + " " + d.String(), Attrs: attrs, In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), uniform...)), Tol: tol}})
			optest.Run(t, n, []optest.Case{{Name: n.Name + " " + d.String(), Attrs: attrs, In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 3), normal...)), Tol: tol}})
		}
	}
	attrs := optest.Attrs("seed", 7.5, "dtype", int(tensor.F64), "low", -1.0, "high", 3.0, "mean", 2.0, "scale", 3.0, "shape", []int{4})
	optest.Run(t, RandomUniform, []optest.Case{{Name: "f64", Attrs: attrs, Want: optest.Want(optest.F64(optest.Dims(4), 1.2045961358955704, 2.7455604775337217, 2.7980404727674149, -0.21195635366049803))}})
	optest.Run(t, RandomNormal, []optest.Case{{Name: "f64", Attrs: attrs, Want: optest.Want(optest.F64(optest.Dims(4), 2.3856947357999059, 6.5754731854310746, 6.9203665680504312, -0.55703939915115841)), Tol: 1e-14}})
	odd := optest.F32(optest.Dims(6), 0.1, 0.5, 0.9, 0, 1, 0.3)
	for _, d := range Bernoulli.Def().DTypes.Types() {
		optest.Run(t, Bernoulli, []optest.Case{{Name: "Bernoulli " + d.String(), Attrs: optest.Attrs("seed", 7.5, "dtype", int(d)), In: optest.In(odd), Want: optest.Want(optest.Filled(d, optest.Dims(6), 0, 1, 0, 0, 1, 0))}})
	}
	for _, d := range []tensor.DType{tensor.F64, tensor.F16, tensor.BF16} {
		logs := optest.Filled(d, optest.Dims(2, 3), math.Log(0.2), math.Log(0.3), math.Log(0.5), math.Log(0.6), math.Log(0.1), math.Log(0.3))
		probabilities := optest.Filled(d, optest.Dims(3), 0, 1, 0.5)
		optest.Run(t, Multinomial, []optest.Case{
			{Name: "Multinomial " + d.String(), Attrs: optest.Attrs("seed", 7.5, "sample_size", 4), In: optest.In(logs), Want: optest.Want(optest.I32(optest.Dims(2, 4), 2, 2, 2, 0, 0, 0, 2, 0))},
			{Name: "Multinomial of i64 " + d.String(), Attrs: optest.Attrs("seed", 7.5, "sample_size", 1, "dtype", 7), In: optest.In(logs), Want: optest.Want(optest.I64(optest.Dims(2, 1), 2, 2))},
		})
		optest.Run(t, Bernoulli, []optest.Case{{Name: "Bernoulli of " + d.String(), Attrs: optest.Attrs("seed", 7.5), In: optest.In(probabilities), Want: optest.Want(optest.Filled(d, optest.Dims(3), 0, 1, 0))}})
	}
}

func TestShapesAndErrors(t *testing.T) {
	x := optest.F32(optest.Dims(1, 2), 0, 0)
	optest.Run(t, RandomNormal, []optest.Case{
		{Name: "without a seed", Attrs: optest.Attrs("shape", []int{3}), Want: optest.Want(optest.Like(tensor.F32, 3))},
		{Name: "nothing", Attrs: optest.Attrs("shape", []int{0}), Want: optest.Want(optest.F32(optest.Dims(0)))},
		{Name: "a scalar", Attrs: optest.Attrs("shape", []int{}, "scale", 0.0, "mean", 5.0), Want: optest.Want(optest.F32(nil, 5))},
		{Name: "no shape", Err: `attribute "shape" is required and missing`, Code: errs.Model},
		{Name: "a negative dimension", Attrs: optest.Attrs("shape", []int{-2}), Err: "dimension 0 of shape", Code: errs.Shape},
		{Name: "integers", Attrs: optest.Attrs("shape", []int{1}, "dtype", 7), Err: "element type i64 is not supported", Code: errs.Unsupported},
		{Name: "no type", Attrs: optest.Attrs("shape", []int{1}, "dtype", -1), Err: "dtype is -1, which is no element type", Code: errs.Argument},
	})
	optest.Run(t, RandomUniformLike, []optest.Case{
		{Name: "the type of the input", In: optest.In(x), Want: optest.Want(optest.Like(tensor.F32, 1, 2))},
		{Name: "an input of integers", In: optest.In(optest.Ints(1)), Err: "element type i64 is not supported", Code: errs.Unsupported},
	})
	optest.Run(t, Bernoulli, []optest.Case{
		{Name: "integers", Attrs: optest.Attrs("dtype", 1), In: optest.In(optest.Ints(1)), Err: "probabilities of type i64 are not supported", Code: errs.Unsupported},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0))), Want: optest.Want(optest.F32(optest.Dims(0)))},
	})
	inf := float32(math.Inf(1))
	optest.Run(t, Multinomial, []optest.Case{
		{Name: "one possible class", Attrs: optest.Attrs("sample_size", 3), In: optest.In(optest.F32(optest.Dims(1, 4), -inf, -inf, 3, -inf)), Want: optest.Want(optest.I32(optest.Dims(1, 3), 2, 2, 2))},
		{Name: "no rows", In: optest.In(optest.F32(optest.Dims(0, 2))), Want: optest.Want(optest.I32(optest.Dims(0, 1)))},
		{Name: "a vector", In: optest.In(optest.F32(optest.Dims(2), 0, 0)), Err: "[batch, classes] with a class at least is expected", Code: errs.Shape},
		{Name: "no class", In: optest.In(optest.F32(optest.Dims(1, 0))), Err: "with a class at least is expected", Code: errs.Shape},
		{Name: "nothing possible", In: optest.In(optest.F32(optest.Dims(1, 2), -inf, -inf)), Err: "all classes of row 0 have probability 0", Code: errs.Compute},
		{Name: "NaN", In: optest.In(optest.F32(optest.Dims(1, 2), 0, float32(math.NaN()))), Err: "the logarithm of class 1 in row 0 is NaN", Code: errs.Compute},
		{Name: "no number of samples", Attrs: optest.Attrs("sample_size", -1), In: optest.In(x), Err: "dimension 1 of shape", Code: errs.Shape},
		{Name: "samples of floats", Attrs: optest.Attrs("dtype", 1), In: optest.In(x), Err: "element type f32 is not supported", Code: errs.Unsupported},
	})
}
