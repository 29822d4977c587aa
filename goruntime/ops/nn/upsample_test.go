package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestUpsample(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Upsample, []optest.Case{
			{
				Name: d.String() + " nearest", Version: 9,
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(4), 1, 1, 2, 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 6), 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear", Version: 10, Attrs: optest.Attrs("mode", "linear"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(4), 1, 1, 2, 1.5)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 3), 1, 1.666667, 2, 2, 2.666667, 3, 3, 3.666667, 4, 3, 3.666667, 4)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestUpsample7(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Upsample7, []optest.Case{
			{
				Name: d.String() + " scales", Version: 7, Attrs: optest.Attrs("scales", []float32{1, 1, 2, 3}),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 6), 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestUpsample1(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Upsample1, []optest.Case{
			{
				Name: d.String() + " height and width", Version: 1, Attrs: optest.Attrs("height_scale", 2.0, "width_scale", 2.0),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 4), 1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " bilinear", Version: 1, Attrs: optest.Attrs("height_scale", 2.0, "width_scale", 2.0, "mode", "bilinear"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 4), 1, 1.5, 2, 2, 2, 2.5, 3, 3, 3, 3.5, 4, 4, 3, 3.5, 4, 4)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestUpsampleErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, Upsample, []optest.Case{
		{Name: "a scale below 1", In: optest.In(of(optest.Dims(2), 1, 2), optest.F32(optest.Dims(1), 0.5)), Err: `a scale is 0.5: Upsample takes scales of 1 and more`, Code: errs.Argument},
		{Name: "too few scales", In: optest.In(of(optest.Dims(1, 2), 1, 2), optest.F32(optest.Dims(1), 2)), Err: `1 scales given, one for each of the 2 axes expected`, Code: errs.Shape},
		{Name: "cubic", Attrs: optest.Attrs("mode", "cubic"), In: optest.In(of(optest.Dims(2), 1, 2), optest.F32(optest.Dims(1), 2)), Err: `mode "cubic" is not one of version 10`, Code: errs.Argument},
	})
}

// The message of the shape rule.
func TestUpsample1Errors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, Upsample1, []optest.Case{
		{Name: "a vector", Attrs: optest.Attrs("height_scale", 2.0, "width_scale", 2.0), In: optest.In(of(optest.Dims(2), 1, 2)), Err: `X has shape [2], rank 4 expected`, Code: errs.Shape},
	})
}
