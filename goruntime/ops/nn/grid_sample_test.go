package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestGridSample(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GridSample, []optest.Case{
			{
				Name: d.String() + " linear, zeros, align_corners 0", Version: 20, Attrs: optest.Attrs("padding_mode", "zeros", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 6, 5.5, 5.5, 2.75, 0, 3, 18, 17.5, 17.5, 5.75, 0)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " cubic, zeros, align_corners 0", Version: 20, Attrs: optest.Attrs("mode", "cubic", "padding_mode", "zeros", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), -0.234375, 7.442001, 5.5, 5.316895, 2.984375, 0.01853943, 2.765625, 21.43217, 17.5, 18.10791, 5.984375, 0.09269714)), Tol: 16 * tolerance(d),
			},
			{
				Name: d.String() + " linear, zeros, align_corners 1", Version: 20, Attrs: optest.Attrs("padding_mode", "zeros", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 5.75, 5.5, 5.625, 11, 0.1875, 12, 17.75, 17.5, 17.625, 23, 0.9375)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " linear, border, align_corners 0", Version: 20, Attrs: optest.Attrs("padding_mode", "border", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 6, 5.5, 5.5, 11, 3, 12, 18, 17.5, 17.5, 23, 15)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " cubic, border, align_corners 0", Version: 20, Attrs: optest.Attrs("mode", "cubic", "padding_mode", "border", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), -0.46875, 6.287109, 5.5, 5.119141, 11.46875, 3, 11.53125, 18.28711, 17.5, 17.11914, 23.46875, 15)), Tol: 16 * tolerance(d),
			},
			{
				Name: d.String() + " linear, border, align_corners 1", Version: 20, Attrs: optest.Attrs("padding_mode", "border", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 5.75, 5.5, 5.625, 11, 3, 12, 17.75, 17.5, 17.625, 23, 15)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " linear, reflection, align_corners 0", Version: 20, Attrs: optest.Attrs("padding_mode", "reflection", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 6, 5.5, 5.5, 11, 5, 12, 18, 17.5, 17.5, 23, 17)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " cubic, reflection, align_corners 0", Version: 20, Attrs: optest.Attrs("mode", "cubic", "padding_mode", "reflection", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), -0.9375, 6.287109, 5.5, 5.119141, 11.9375, 4.712891, 11.0625, 18.28711, 17.5, 17.11914, 23.9375, 16.71289)), Tol: 16 * tolerance(d),
			},
			{
				Name: d.String() + " linear, reflection, align_corners 1", Version: 20, Attrs: optest.Attrs("padding_mode", "reflection", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 5.75, 5.5, 5.625, 11, 5.25, 12, 17.75, 17.5, 17.625, 23, 17.25)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " cubic, reflection, align_corners 1", Version: 20, Attrs: optest.Attrs("mode", "cubic", "padding_mode", "reflection", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 6.101562, 5.5, 5.34668, 11, 4.898438, 12, 18.10156, 17.5, 17.34668, 23, 16.89844)), Tol: 16 * tolerance(d),
			},
			{
				Name: d.String() + " volumes", Version: 22,
				In:   optest.In(of(optest.Dims(1, 1, 2, 3, 2), optest.Counting(12)...), optest.F32(optest.Dims(1, 2, 2, 1, 3), -1, -0.5, 0, 0.5, 0.25, 1, 1.25, -1.5, 0.75, 0, 0, 0)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2, 1), 1.75, 4.875, 0, 5.5)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " one dimension", Version: 20, Attrs: optest.Attrs("align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4), optest.Counting(4)...), optest.F32(optest.Dims(1, 3, 1), -1, 0, 0.5)),
				Want: optest.Want(of(optest.Dims(1, 1, 3), 0, 1.5, 2.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a position that is no number", Version: 20,
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), optest.Counting(4)...), optest.F32(optest.Dims(1, 1, 1, 2), float32(math.NaN()), 0)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 1), 0)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no images", Version: 20,
				In:   optest.In(of(optest.Dims(0, 1, 2, 2)), optest.F32(optest.Dims(0, 1, 1, 2))),
				Want: optest.Want(of(optest.Dims(0, 1, 1, 1))), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestGridSampleNearest(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GridSample, []optest.Case{
			{
				Name: d.String() + " nearest, zeros, align_corners 0", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "zeros", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 4, 6, 7, 0, 0, 12, 16, 18, 19, 0, 0)),
			},
			{
				Name: d.String() + " nearest, zeros, align_corners 1", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "zeros", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 5, 6, 7, 11, 0, 12, 17, 18, 19, 23, 0)),
			},
			{
				Name: d.String() + " nearest, border, align_corners 0", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "border", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 4, 6, 7, 11, 3, 12, 16, 18, 19, 23, 15)),
			},
			{
				Name: d.String() + " nearest, border, align_corners 1", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "border", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 5, 6, 7, 11, 3, 12, 17, 18, 19, 23, 15)),
			},
			{
				Name: d.String() + " nearest, reflection, align_corners 0", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "reflection", "align_corners", 0),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 4, 6, 7, 11, 7, 12, 16, 18, 19, 23, 19)),
			},
			{
				Name: d.String() + " nearest, reflection, align_corners 1", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "reflection", "align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 5, 6, 7, 11, 6, 12, 17, 18, 19, 23, 18)),
			},
			{
				Name: d.String() + " nearest, volumes, border", Version: 20, Attrs: optest.Attrs("mode", "nearest", "padding_mode", "border"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 3, 2), optest.Counting(12)...), optest.F32(optest.Dims(1, 2, 2, 1, 3), -1, -0.5, 0, 0.5, 0.25, 1, 1.25, -1.5, 0.75, 0, 0, 0)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2, 1), 0, 9, 7, 2)),
			},
		})
	}
}

// Fractions of integers are cut off; complex numbers are weighed part by part.
func TestGridSampleOfOtherNumbers(t *testing.T) {
	grid := optest.F32(optest.Dims(1, 2, 1, 2), 0, 0, 0.5, 0)
	for d, want := range map[tensor.DType][]float64{tensor.I32: {1, 3}, tensor.U8: {1, 3}, tensor.Bool: {1, 1}, tensor.C64: {1.5, 3}, tensor.C128: {1.5, 3}} {
		x := optest.Filled(d, optest.Dims(1, 1, 1, 2), 0, 3)
		optest.Run(t, GridSample, []optest.Case{{
			Name: d.String() + " nearest", Attrs: optest.Attrs("mode", "nearest", "padding_mode", "border"),
			In: optest.In(optest.Filled(d, optest.Dims(1, 1, 1, 2), 1, 1), grid), Want: optest.Want(optest.Filled(d, optest.Dims(1, 1, 2, 1), 1, 1)),
		}, {Name: d.String(), In: optest.In(x, grid), Want: optest.Want(optest.Filled(d, optest.Dims(1, 1, 2, 1), want...))}})
	}
	x := optest.Str(optest.Dims(1, 1, 1, 2), "a", "b")
	optest.Run(t, GridSample, []optest.Case{
		{Name: "strings", Attrs: optest.Attrs("mode", "nearest"), In: optest.In(x, grid), Want: optest.Want(optest.Str(optest.Dims(1, 1, 2, 1), "a", "b"))},
		{Name: "strings, linear", In: optest.In(x, grid), Err: `mode "linear" of strings: only numbers can be interpolated`, Code: errs.Unsupported},
	})
}

// The values are those of ONNX Runtime.
func TestGridSample16(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GridSample16, []optest.Case{
			{
				Name: d.String() + " bilinear", Version: 16,
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 6, 5.5, 5.5, 2.75, 0, 3, 18, 17.5, 17.5, 5.75, 0)), Tol: 4 * tolerance(d),
			},
			{
				Name: d.String() + " bicubic", Version: 16, Attrs: optest.Attrs("mode", "bicubic"),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), -0.234375, 7.442001, 5.5, 5.316895, 2.984375, 0.01853943, 2.765625, 21.43217, 17.5, 18.10791, 5.984375, 0.09269714)), Tol: 16 * tolerance(d),
			},
			{
				Name: d.String() + " nearest", Version: 16, Attrs: optest.Attrs("mode", "nearest"),
				In:   optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 3), 0, 4, 6, 7, 0, 0, 12, 16, 18, 19, 0, 0)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestGridSampleErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, GridSample, []optest.Case{
		{Name: "the mode of another version", Attrs: optest.Attrs("mode", "bilinear"), In: optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)), Err: `mode "bilinear" is none of [linear cubic nearest]`, Code: errs.Argument},
		{Name: "another padding_mode", Attrs: optest.Attrs("padding_mode", "edge"), In: optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 2, 3, 2), -1, -1, -0.5, 0.25, 0, 0, 0.75, -0.25, 1, 1, 1.5, -1.75)), Err: `padding_mode "edge" is none of [zeros border reflection]`, Code: errs.Argument},
		{Name: "another grid", In: optest.In(of(optest.Dims(1, 2, 3, 4), optest.Counting(24)...), optest.F32(optest.Dims(1, 1, 1, 3), 0, 0, 0)), Err: `X has shape [1, 2, 3, 4], grid [1, 1, 1, 3]`, Code: errs.Shape},
		{Name: "nothing to repeat", Attrs: optest.Attrs("padding_mode", "border"), In: optest.In(of(optest.Dims(1, 1, 0, 2)), optest.F32(optest.Dims(1, 1, 1, 2), 0, 0)), Err: `padding_mode border has nothing to repeat`, Code: errs.Shape},
		{Name: "too many dimensions", Attrs: optest.Attrs("mode", "cubic"), In: optest.In(of(optest.Dims(1, 1, 1, 1, 1, 1, 1), optest.Counting(1)...), optest.F32(optest.Dims(1, 1, 1, 1, 1, 1, 5), 0, 0, 0, 0, 0)), Err: `no more than 256 elements are weighed, in 8 dimensions`, Code: errs.Unsupported},
	})
}

// Version 16 knows images alone.
func TestGridSample16Errors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, GridSample16, []optest.Case{
		{Name: "volumes", In: optest.In(of(optest.Dims(1, 1, 2, 3, 2), optest.Counting(12)...), optest.F32(optest.Dims(1, 2, 2, 1, 3), -1, -0.5, 0, 0.5, 0.25, 1, 1.25, -1.5, 0.75, 0, 0, 0)), Err: `[N, C, D1...Dr] and [N, E1...Er, r] expected`, Code: errs.Shape},
	})
}
