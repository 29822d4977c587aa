package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestInstanceNormalization(t *testing.T) {
	for _, d := range InstanceNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, InstanceNormalization, []optest.Case{
			{
				Name: d.String() + " images", Version: 6,
				In:   optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(2, 4, 2, 2), -1.313057, 0.5252228, -0.5252228, 1.313057, 1.099999, 0.300009, 1.699991, 0.9000013, -2.445783, 2.052208, -0.5180724, -3.088353, 0.3000025, 1.899982, -0.8999821, 0.6999974, -0.7228914, 1.526104, 0.2409638, -1.044176, 1.522088, 0.8795182, 0.236948, 1.361446, -2.445783, 2.052208, -0.5180724, -3.088353, -0.5441765, 0.7409638, 2.026104, -0.2228914)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " epsilon, one dimension", Version: 22, Attrs: optest.Attrs("epsilon", 0.5),
				In:   optest.In(of(optest.Dims(2, 4, 5), series(40, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(2, 4, 5), -1.169795, 0.4049292, -0.4949134, 1.079811, 0.1799685, 0.6464466, 1.471405, 1, 0.5285954, 1.353553, -1.359937, -3.159622, -0.01017314, -1.809858, 1.339591, 0.1525958, 1.145179, -0.5918417, 0.4007417, 1.393325, 0.8933251, -0.09925833, -1.091842, 0.6451792, -0.3474042, 1.446662, 0.9503708, 0.4540791, 1.32259, 0.8262979, -2.414214, 0.8856182, -1, -2.885618, 0.4142137, 1.207107, -0.4428091, 0.5, 1.442809, -0.2071068)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestInstanceNormalization1(t *testing.T) {
	for _, d := range InstanceNormalization1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, InstanceNormalization1, []optest.Case{
			{
				Name: d.String() + " consumed_inputs", Version: 1, Attrs: optest.Attrs("consumed_inputs", []int{0, 0, 0}),
				In:   optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)),
				Want: optest.Want(of(optest.Dims(2, 4, 2, 2), -1.313057, 0.5252228, -0.5252228, 1.313057, 1.099999, 0.300009, 1.699991, 0.9000013, -2.445783, 2.052208, -0.5180724, -3.088353, 0.3000025, 1.899982, -0.8999821, 0.6999974, -0.7228914, 1.526104, 0.2409638, -1.044176, 1.522088, 0.8795182, 0.236948, 1.361446, -2.445783, 2.052208, -0.5180724, -3.088353, -0.5441765, 0.7409638, 2.026104, -0.2228914)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestInstanceNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, InstanceNormalization, []optest.Case{
		{Name: "another scale", In: optest.In(of(optest.Dims(2, 4, 2, 2), series(32, 7, 11, 5, 4)...), of(optest.Dims(2), 1, 2), of(optest.Dims(4), 0, 1, -1, 0.5)), Err: `input 1 has shape [2], [4] expected`, Code: errs.Shape},
		{Name: "a vector", In: optest.In(of(optest.Dims(4), 1, 2, 3, 4), of(optest.Dims(4), 1, 0.5, 2, -1), of(optest.Dims(4), 0, 1, -1, 0.5)), Err: `X has shape [4], a rank of 2 or more expected`, Code: errs.Shape},
	})
}
