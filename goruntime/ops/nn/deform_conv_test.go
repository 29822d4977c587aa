package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the reference implementation.
func TestDeformConv(t *testing.T) {
	for _, d := range DeformConv.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, DeformConv, []optest.Case{
			{
				Name: d.String() + " offsets", Version: 22,
				In:   optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 8, 2, 2), series(32, 5, 7, 3, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 2), 0.2304688, -0.4609375, -0.5195312, 0.8632812, 0.8925781, 1.054688, -0.96875, -0.03515625)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " bias and mask", Version: 19,
				In:   optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 8, 2, 2), series(32, 5, 7, 3, 4)...), of(optest.Dims(2), 1, -0.5), of(optest.Dims(1, 4, 2, 2), series(16, 3, 5, 0, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 2), 1.285156, 1.313477, 0.9326172, 1.196289, 0.1826172, -0.1640625, -0.9746094, -0.5117188)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " groups", Version: 19, Attrs: optest.Attrs("group", 2, "offset_group", 2),
				In:   optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 2, 2), series(8, 5, 13, 6, 8)...), of(optest.Dims(1, 16, 2, 2), series(64, 5, 7, 3, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 2), 0.3945312, 0.21875, -0.6523438, 0.2070312, -0.5019531, -0.0078125, -0.5625, 0.6191406)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " pads, strides, dilations", Version: 19, Attrs: optest.Attrs("pads", []int{1, 0, 1, 0}, "strides", []int{2, 1}, "dilations", []int{1, 2}),
				In:   optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 8, 2, 1), series(16, 5, 7, 3, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 1), -0.8574219, 0.1992188, 0.2578125, 0.4492188)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " two images", Version: 19,
				In:   optest.In(of(optest.Dims(2, 1, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(1, 1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(2, 8, 2, 2), series(64, 5, 7, 3, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 1, 2, 2), 0.3945312, 0.21875, -0.6523438, 0.2070312, 0.40625, -0.390625, 0.1074219, 0.1484375)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " no offset, one dimension", Version: 19,
				In:   optest.In(of(optest.Dims(1, 1, 4), 1, 2, 3, 4), of(optest.Dims(1, 1, 2), 1, -1), of(optest.Dims(1, 2, 3), 0, 0, 0, 0, 0, 0.5)),
				Want: optest.Want(of(optest.Dims(1, 1, 3), -1, -1, 1)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestDeformConvErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, DeformConv, []optest.Case{
		{Name: "other offsets", In: optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 4, 2, 2), series(16, 5, 7, 3, 4)...)), Err: `input 2 has shape [1, 4, 2, 2], [1, 8, 2, 2] expected`, Code: errs.Shape},
		{Name: "another mask", In: optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 8, 2, 2), series(32, 5, 7, 3, 4)...), nil, of(optest.Dims(1, 8, 2, 2), series(32, 5, 7, 3, 4)...)), Err: `input 4 has shape [1, 8, 2, 2], [1, 4, 2, 2] expected`, Code: errs.Shape},
		{Name: "an offset_group", Attrs: optest.Attrs("offset_group", 3), In: optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 8, 2, 2), series(32, 5, 7, 3, 4)...)), Err: `offset_group 3: they do not fit`, Code: errs.Shape},
		{Name: "another kernel_shape", Attrs: optest.Attrs("kernel_shape", []int{3, 3}), In: optest.In(of(optest.Dims(1, 2, 3, 3), series(18, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2, 2), series(16, 5, 13, 6, 8)...), of(optest.Dims(1, 8, 2, 2), series(32, 5, 7, 3, 4)...)), Err: `kernel_shape is [3 3], W has shape [2, 2, 2, 2]`, Code: errs.Shape},
	})
}
