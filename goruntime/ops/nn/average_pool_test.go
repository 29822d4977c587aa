package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestAveragePool(t *testing.T) {
	for _, d := range AveragePool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, AveragePool, []optest.Case{
			{
				Name: d.String() + " images", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{3, 2}),
				In:   optest.In(of(optest.Dims(1, 2, 5, 6), series(60, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 3, 5), 0.04166667, -0.04166667, 0.3333333, 0.25, -0.2916667, 0, -0.08333334, 0.2916667, -0.25, -0.3333333, -0.04166667, 0.3333333, 0.25, -0.2916667, 0.08333334, 0.2916667, -0.25, -0.3333333, 0.04166667, -0.04166667, 0.25, -0.2916667, 0.08333334, 0, -0.08333334, -0.25, -0.3333333, 0.04166667, -0.04166667, 0.3333333)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " strides and pads", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{3, 3}, "strides", []int{2, 2}, "pads", []int{1, 1, 1, 1}),
				In:   optest.In(of(optest.Dims(1, 2, 5, 6), series(60, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 3, 3), 0.0625, 0.1666667, 0, 0, 0.02777778, -0.1388889, -0.0625, 0.04166667, -0.125, 0.3125, -0.04166667, -0.2083333, 0.25, -0.02777778, 0.1111111, -0.5, -0.1666667, 0.125)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " the padding counts", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{3, 3}, "strides", []int{2, 2}, "pads", []int{1, 1, 1, 1}, "count_include_pad", 1),
				In:   optest.In(of(optest.Dims(1, 2, 5, 6), series(60, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 3, 3), 0.02777778, 0.1111111, 0, 0, 0.02777778, -0.1388889, -0.02777778, 0.02777778, -0.08333334, 0.1388889, -0.02777778, -0.1388889, 0.1666667, -0.02777778, 0.1111111, -0.2222222, -0.1111111, 0.08333334)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " SAME_LOWER", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "auto_pad", "SAME_LOWER"),
				In:   optest.In(of(optest.Dims(1, 1, 3, 3), series(9, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 3), -1.25, -0.375, 0, 0, 0.1875, -0.125, 1.125, 0.625, -0.375)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " ceil_mode", Version: 19, Attrs: optest.Attrs("kernel_shape", []int{3, 3}, "strides", []int{2, 2}, "ceil_mode", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), optest.Counting(16)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 5, 6.5, 11, 12.5)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " ceil_mode: beyond the padding nothing counts", Version: 19, Attrs: optest.Attrs("kernel_shape", []int{3}, "strides", []int{2}, "pads", []int{1, 1}, "ceil_mode", 1, "count_include_pad", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4), 2, 4, 6, 8)),
				Want: optest.Want(of(optest.Dims(1, 1, 3), 2, 6, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " dilations", Version: 19, Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "dilations", []int{2, 2}, "ceil_mode", 1, "strides", []int{1, 1}),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), optest.Counting(16)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 5, 6, 9, 10)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " one dimension, 1", Version: 1, Attrs: optest.Attrs("kernel_shape", []int{2}),
				In:   optest.In(of(optest.Dims(1, 2, 5), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 4), -0.375, 0, 0.375, 0.75, 0.125, 0.5, -0.5, -0.125)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " three dimensions", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{2, 2, 2}),
				In:   optest.In(of(optest.Dims(1, 1, 2, 3, 3), series(18, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2, 2), 0.15625, -0.15625, 0.25, -0.0625)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no images", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{2, 2}),
				In:   optest.In(of(optest.Dims(0, 1, 3, 3))),
				Want: optest.Want(of(optest.Dims(0, 1, 2, 2))), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestAveragePoolErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, AveragePool, []optest.Case{
		{Name: "no kernel_shape", In: optest.In(of(optest.Dims(1, 1, 3), 1, 2, 3)), Err: `attribute "kernel_shape" is required and missing`, Code: errs.Model},
		{Name: "another auto_pad", Attrs: optest.Attrs("kernel_shape", []int{2}, "auto_pad", "FULL"), In: optest.In(of(optest.Dims(1, 1, 3), 1, 2, 3)), Err: `auto_pad "FULL" is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER`, Code: errs.Argument},
	})
}
