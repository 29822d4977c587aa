package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestGroupNormalization(t *testing.T) {
	for _, d := range GroupNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GroupNormalization, []optest.Case{
			{
				Name: d.String() + " two groups", Version: 21, Attrs: optest.Attrs("num_groups", 2),
				In:   optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(2, 4, 2, 2), -1.625016, 0.5416721, -0.6964356, 1.470253, 1.116073, 0.4970188, 1.580363, 0.9613091, -3.379324, 0.9188094, -1.537267, -3.993343, -0.1523952, 1.075643, -1.073424, 0.1546143, -0.8006342, 1.441142, 0.1601268, -1.120888, 1.560444, 0.9199366, 0.2794292, 1.400317, -2.601268, 1.882283, -0.6797463, -3.241776, -0.6208879, 0.6601269, 1.941142, -0.3006342)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " epsilon, one group, one dimension", Version: 21, Attrs: optest.Attrs("num_groups", 1, "epsilon", 0.25),
				In:   optest.In(of(optest.Dims(1, 4, 3), series(12, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(1, 4, 3), -1.18041, 0.6223978, -0.4077779, 1.697515, 1.182427, 0.6673391, 1.274971, -0.7853801, -2.845731, -0.3799418, 0.650234, 1.68041)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a matrix", Version: 21, Attrs: optest.Attrs("num_groups", 2, "stash_type", 10),
				In:   optest.In(of(optest.Dims(2, 4), series(8, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(2, 4), -0.9999934, 1.499997, -2.999987, -0.4999935, 0.99998, 0.50001, 0.99996, 1.49998)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no images", Version: 21, Attrs: optest.Attrs("num_groups", 2),
				In:   optest.In(of(optest.Dims(0, 4, 2)), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(0, 4, 2))), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of NumPy.
func TestGroupNormalization18(t *testing.T) {
	for _, d := range GroupNormalization18.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GroupNormalization18, []optest.Case{
			{
				Name: d.String() + " scale and bias of groups", Version: 18, Attrs: optest.Attrs("num_groups", 2),
				In:   optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(2), 2, -1), of(optest.Dims(2), 1, 0.5)),
				Want: optest.Want(of(optest.Dims(2, 4, 2, 2), -2.250033, 2.083344, -0.3928711, 3.940506, 1.46429, -1.011925, 3.321452, 0.8452365, 1.689662, -0.4594047, 0.7686333, 1.996671, -0.1523952, 1.075643, -1.073424, 0.1546143, -0.6012684, 3.882283, 1.320254, -1.241776, 3.241776, 0.6797463, -1.882283, 2.601268, 1.300634, -0.9411415, 0.3398732, 1.620888, -0.6208879, 0.6601269, 1.941142, -0.3006342)), Tol: tolerance(d),
			},
		})
	}
}

// More elements than go through the vector loops at once.
func TestGroupNormalizationOfLargePlanes(t *testing.T) {
	n := 3*normBlock + 5
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = float32(i%7) - 100
	}
	mean, variance := moments(single, x)
	if got := center32(y, x); math.Abs(got-variance) > 1e-4*variance {
		t.Errorf("the variance is %v, want %v", got, variance)
	}
	for i := range y {
		if want := float64(x[i]) - mean; math.Abs(float64(y[i])-want) > 1e-4 {
			t.Fatalf("element %d is %v, want %v", i, y[i], want)
		}
	}
}

// The messages of the shape rule.
func TestGroupNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, GroupNormalization, []optest.Case{
		{Name: "groups that do not divide", Attrs: optest.Attrs("num_groups", 3), In: optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)), Err: `num_groups is 3: it must divide the 4 channels`, Code: errs.Shape},
		{Name: "a scale of groups", Attrs: optest.Attrs("num_groups", 2), In: optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(2), 1, 2), of(optest.Dims(4), 0, 1, -1, 0.5)), Err: `input 1 has shape [2], [4] expected`, Code: errs.Shape},
		{Name: "a vector", Attrs: optest.Attrs("num_groups", 2), In: optest.In(of(optest.Dims(4), 1, 2, 3, 4), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)), Err: `X has shape [4], a rank of 2 or more expected`, Code: errs.Shape},
		{Name: "another stash_type", Attrs: optest.Attrs("num_groups", 2, "stash_type", 7), In: optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)), Err: `stash_type is 7: it must be a floating-point type`, Code: errs.Argument},
	})
}
