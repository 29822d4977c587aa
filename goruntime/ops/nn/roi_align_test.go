package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestRoiAlign(t *testing.T) {
	for _, d := range RoiAlign.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, RoiAlign, []optest.Case{
			{
				Name: d.String() + " two samples in each direction", Version: 22, Attrs: optest.Attrs("output_height", 2, "output_width", 2, "sampling_ratio", 2),
				In:   optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 2), -0.640625, -0.03710938, -0.3105469, 0.1640625, 0.5, -0.765625, 0.7011719, -0.3496094, 0.3613281, 0.2124023, -0.3925781, 0.4360352, 0.04101562, -0.2583008, -0.06835938, 0.078125, 0, 0, -0.265625, -0.484375, 0, 0, 0.3261719, 0.171875)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " as many samples as pixels", Version: 16, Attrs: optest.Attrs("output_height", 1, "output_width", 2),
				In:   optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)),
				Want: optest.Want(of(optest.Dims(3, 2, 1, 2), -0.453125, 0.0859375, 0.6875, -0.578125, -0.015625, 0.3242188, -0.02083333, -0.09635416, -0.03333334, -0.3666667, -0.06666667, 0.06666667)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " without shift", Version: 16, Attrs: optest.Attrs("coordinate_transformation_mode", "output_half_pixel", "output_height", 2, "output_width", 1, "sampling_ratio", 1),
				In:   optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 1), 0.25, 0.0625, -0.5, 0, 0.453125, 0.6875, -0.125, 0.109375, 0, -0.125, 0, -0.875)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " max, a scale", Version: 16, Attrs: optest.Attrs("mode", "max", "output_height", 2, "output_width", 2, "sampling_ratio", 2, "spatial_scale", 0.5),
				In:   optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 2), 0.03125, 0.40625, 0.02734375, 0.3554688, 0.75, 0.421875, 0.65625, 0.3691406, 0.09277344, 0.2578125, 0.2783203, 0.402832, 0.71875, 0.96875, 0.2246094, 0.3027344, 0, 0.46875, 0, 0.46875, 0.375, 0.375, 0.375, 0.375)), Tol: 2 * tolerance(d),
			},
			{
				Name: d.String() + " no region", Version: 16,
				In:   optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(0, 4)), optest.I64(optest.Dims(0))),
				Want: optest.Want(of(optest.Dims(0, 2, 1, 1))), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestRoiAlign10(t *testing.T) {
	for _, d := range RoiAlign10.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, RoiAlign10, []optest.Case{
			{
				Name: d.String() + " without shift", Version: 10, Attrs: optest.Attrs("output_height", 2, "output_width", 2, "sampling_ratio", 2),
				In:   optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 2), 0.140625, -0.0703125, -0.21875, -0.0859375, 0.25, -0.390625, 0.3203125, -0.3203125, 0.4013672, 0, -0.1796875, 0.71875, 0.2583008, -0.04101562, -0.3388672, -0.03125, 0.078125, -0.3125, 0.3125, -0.546875, -0.125, 0.1875, -0.2011719, 0.453125)), Tol: 2 * tolerance(d),
			},
		})
	}
}

// The messages of the rule and the run.
func TestRoiAlignErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, RoiAlign, []optest.Case{
		{Name: "another image", In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 2, 0)), Err: `roi 1 is of image 2, of which there are 2`, Code: errs.Compute},
		{Name: "an enormous region", In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(1, 4), 0, 0, 1000000, 1000000), optest.I64(optest.Dims(1), 0)), Err: `roi 0 takes 1000000 x 1000000 samples for a bin: no more than 1048576 are taken`, Code: errs.Compute},
		{Name: "a scale that is no number", Attrs: optest.Attrs("spatial_scale", math.NaN()), In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(1, 4), 0, 0, 3, 2), optest.I64(optest.Dims(1), 0)), Err: `roi 0 has the coordinate 0, scaled by NaN: it must lie within 2^31 pixels`, Code: errs.Compute},
		{Name: "too few indices", In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(1), 0)), Err: `batch_indices [1]: [N, C, H, W], [R, 4] and [R] expected`, Code: errs.Shape},
		{Name: "another mode", Attrs: optest.Attrs("mode", "sum"), In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)), Err: `mode "sum" is none of avg, max`, Code: errs.Argument},
		{Name: "another transform", Attrs: optest.Attrs("coordinate_transformation_mode", "asymmetric"), In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)), Err: `coordinate_transformation_mode "asymmetric" is none of`, Code: errs.Argument},
		{Name: "no height", Attrs: optest.Attrs("output_height", 0), In: optest.In(of(optest.Dims(2, 2, 4, 5), series(80, 7, 11, 5, 4)...), of(optest.Dims(3, 4), 0, 0, 3, 2, 1.5, 0.5, 4, 3.5, -2, -2, 8, 1), optest.I64(optest.Dims(3), 0, 1, 1)), Err: `the output is 0 x 1 and sampling_ratio 0`, Code: errs.Argument},
	})
}
