package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the reference implementation and of the specification.
func TestResizeNearest(t *testing.T) {
	for _, d := range Resize.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Resize, []optest.Case{
			{
				Name: d.String() + " each element twice and thrice", Version: 19,
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), nil, optest.F32(optest.Dims(4), 1, 1, 2, 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 6), 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " downsample", Version: 19,
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(4), 1, 1, 0.6, 0.6)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2), 1, 3)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " sizes, round_prefer_ceil, asymmetric", Version: 13, Attrs: optest.Attrs("nearest_mode", "round_prefer_ceil", "coordinate_transformation_mode", "asymmetric"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, nil, optest.I64(optest.Dims(4), 1, 1, 8, 8)),
				Want: optest.Want(of(optest.Dims(1, 1, 8, 8), 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 6, 7, 7, 8, 8, 8, 5, 6, 6, 7, 7, 8, 8, 8, 9, 10, 10, 11, 11, 12, 12, 12, 9, 10, 10, 11, 11, 12, 12, 12, 13, 14, 14, 15, 15, 16, 16, 16, 13, 14, 14, 15, 15, 16, 16, 16, 13, 14, 14, 15, 15, 16, 16, 16)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " ceil", Version: 19, Attrs: optest.Attrs("nearest_mode", "ceil"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, nil, optest.I64(optest.Dims(4), 1, 1, 3, 7)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 7), 5, 6, 6, 7, 8, 8, 8, 9, 10, 10, 11, 12, 12, 12, 13, 14, 14, 15, 16, 16, 16)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " floor, align_corners", Version: 19, Attrs: optest.Attrs("nearest_mode", "floor", "coordinate_transformation_mode", "align_corners"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, nil, optest.I64(optest.Dims(4), 1, 1, 3, 6)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 6), 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 13, 13, 14, 14, 15, 16)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " axes", Version: 18, Attrs: optest.Attrs("axes", []int{-1}),
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(1), 1.75)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 7), 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7, 8, 8)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " not_larger", Version: 19, Attrs: optest.Attrs("axes", []int{2, 3}, "keep_aspect_ratio_policy", "not_larger"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, nil, optest.I64(optest.Dims(2), 7, 8)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 8), 1, 1, 2, 2, 3, 3, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 5, 5, 6, 6, 7, 7, 8, 8)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " not_smaller", Version: 19, Attrs: optest.Attrs("axes", []int{3, 2}, "keep_aspect_ratio_policy", "not_smaller"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, nil, optest.I64(optest.Dims(2), 3, 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 6), 1, 1, 2, 3, 3, 4, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a third: what should be a whole number is one", Version: 19, Attrs: optest.Attrs("nearest_mode", "floor", "coordinate_transformation_mode", "asymmetric"),
				In:   optest.In(of(optest.Dims(9), 0, 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(1), 0.33333334)),
				Want: optest.Want(of(optest.Dims(3), 0, 3, 6)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " tf_half_pixel_for_nn", Version: 11, Attrs: optest.Attrs("nearest_mode", "floor", "coordinate_transformation_mode", "tf_half_pixel_for_nn"),
				In:   optest.In(of(optest.Dims(4), 0, 1, 2, 3), nil, nil, optest.I64(optest.Dims(1), 2)),
				Want: optest.Want(of(optest.Dims(2), 1, 3)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " as it is", Version: 19,
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(4), 1, 1, 1, 1)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " to nothing", Version: 19,
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, nil, optest.I64(optest.Dims(4), 0, 1, 2, 4)),
				Want: optest.Want(of(optest.Dims(0, 1, 2, 4))), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of the reference implementation and of the specification.
func TestResizeInterpolates(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Resize, []optest.Case{
			{
				Name: d.String() + " linear, finer", Version: 19, Attrs: optest.Attrs("mode", "linear"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), nil, optest.F32(optest.Dims(4), 1, 1, 2, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 4), 1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, coarser", Version: 19, Attrs: optest.Attrs("mode", "linear"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(4), 1, 1, 0.6, 0.6)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2), 2.666667, 4.333333)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, align_corners", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "align_corners"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), nil, nil, optest.I64(optest.Dims(4), 1, 1, 3, 4)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 4), 1, 1.333333, 1.666667, 2, 2, 2.333333, 2.666667, 3, 3, 3.333333, 3.666667, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, a fractional length, align_corners", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "align_corners"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(4), 1, 1, 0.6, 0.6)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2), 1, 3.142857)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, asymmetric, one row", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "asymmetric"),
				In:   optest.In(of(optest.Dims(3), 1, 2, 4), nil, nil, optest.I64(optest.Dims(1), 5)),
				Want: optest.Want(of(optest.Dims(5), 1, 1.6, 2.4, 3.6, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, pytorch_half_pixel, one column", Version: 13, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "pytorch_half_pixel"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, nil, optest.I64(optest.Dims(4), 1, 1, 3, 1)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 1), 1.666667, 7, 12.33333)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, pytorch_half_pixel, one column by a fraction", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "pytorch_half_pixel"),
				In:   optest.In(of(optest.Dims(3), 1, 2, 4), nil, optest.F32(optest.Dims(1), 0.5)),
				Want: optest.Want(of(optest.Dims(1), 1)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, half_pixel_symmetric", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "half_pixel_symmetric"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), nil, optest.F32(optest.Dims(4), 1, 1, 2.3, 2.94)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 11), 1, 1.139456, 1.479592, 1.819728, 2.159864, 2.5, 2.840136, 3.180272, 3.520408, 3.860544, 4, 2.130435, 2.269891, 2.610027, 2.950163, 3.290299, 3.630435, 3.970571, 4.310707, 4.650843, 4.990979, 5.130435, 3.869565, 4.009021, 4.349157, 4.689293, 5.029429, 5.369565, 5.709701, 6.049837, 6.389973, 6.730109, 6.869565, 5, 5.139456, 5.479592, 5.819728, 6.159864, 6.5, 6.840136, 7.180272, 7.520408, 7.860544, 8)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, antialias", Version: 19, Attrs: optest.Attrs("mode", "linear", "antialias", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, optest.F32(optest.Dims(4), 1, 1, 0.6, 0.6)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 2.875, 4.5, 9.375, 11)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear, antialias, exclude_outside", Version: 19, Attrs: optest.Attrs("mode", "linear", "antialias", 1, "exclude_outside", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, nil, optest.I64(optest.Dims(4), 1, 1, 3, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 2), 2.914286, 4.485714, 7.714286, 9.285714, 12.51429, 14.08571)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " cubic, finer", Version: 19, Attrs: optest.Attrs("mode", "cubic"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, nil, optest.I64(optest.Dims(4), 1, 1, 5, 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 5, 3), 0.8831588, 2.257, 3.630844, 3.569162, 4.943003, 6.316847, 7.126161, 8.5, 9.873846, 10.68316, 12.057, 13.43085, 13.36917, 14.743, 16.11685)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " cubic, another coefficient, exclude_outside", Version: 19, Attrs: optest.Attrs("mode", "cubic", "cubic_coeff_a", -0.5, "exclude_outside", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, optest.F32(optest.Dims(4), 1, 1, 1, 1.5)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 6), 0.9342108, 1.411765, 2.166666, 2.833334, 3.588235, 4.065789, 4.934211, 5.411765, 6.166666, 6.833334, 7.588235, 8.065789, 8.934211, 9.411765, 10.16667, 10.83333, 11.58823, 12.06579, 12.93421, 13.41177, 14.16667, 14.83333, 15.58823, 16.06579)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " cubic, antialias", Version: 19, Attrs: optest.Attrs("mode", "cubic", "antialias", 1),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), nil, optest.F32(optest.Dims(4), 1, 1, 0.6, 0.8)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 3), 2.325212, 3.567832, 4.915197, 9.396478, 10.6391, 11.98646)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " cubic, asymmetric, one dimension", Version: 19, Attrs: optest.Attrs("mode", "cubic", "coordinate_transformation_mode", "asymmetric"),
				In:   optest.In(of(optest.Dims(5), 1, 2, 4, 8, 16), nil, nil, optest.I64(optest.Dims(1), 7)),
				Want: optest.Want(of(optest.Dims(7), 1, 1.517492, 2.629737, 4.536445, 6.912536, 12.95627, 16.87464)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " tf_crop_and_resize", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "tf_crop_and_resize"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), optest.F32(optest.Dims(8), 0, 0, 0.5, 0.5, 1, 1, 0.75, 1), nil, optest.I64(optest.Dims(4), 1, 1, 3, 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 3), 8.5, 9.25, 10, 10, 10.75, 11.5, 11.5, 12.25, 13)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " tf_crop_and_resize beyond the image", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "tf_crop_and_resize", "extrapolation_value", 10.0),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), optest.F32(optest.Dims(8), 0, 0, 0.5, 0.5, 1, 1, 1.25, 1.5), nil, optest.I64(optest.Dims(4), 1, 1, 3, 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 3), 8.5, 10, 10, 13, 14.5, 10, 10, 10, 10)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " tf_crop_and_resize, axes", Version: 19, Attrs: optest.Attrs("mode", "linear", "axes", []int{3}, "coordinate_transformation_mode", "tf_crop_and_resize"),
				In:   optest.In(of(optest.Dims(1, 1, 4, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), optest.F32(optest.Dims(2), 0.25, 0.75), nil, optest.I64(optest.Dims(1), 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 2), 1.75, 3.25, 5.75, 7.25, 9.75, 11.25, 13.75, 15.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " tf_crop_and_resize by scales: the region has the scale", Version: 19, Attrs: optest.Attrs("mode", "linear", "axes", []int{0}, "coordinate_transformation_mode", "tf_crop_and_resize"),
				In:   optest.In(of(optest.Dims(5), 0, 1, 2, 3, 4), optest.F32(optest.Dims(2), 0.25, 0.75), optest.F32(optest.Dims(1), 2)),
				Want: optest.Want(of(optest.Dims(5), 1, 1.5, 2, 2.5, 3)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " three dimensions", Version: 19, Attrs: optest.Attrs("mode", "linear"),
				In:   optest.In(of(optest.Dims(2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7), nil, nil, optest.I64(optest.Dims(3), 3, 2, 4)),
				Want: optest.Want(of(optest.Dims(3, 2, 4), 0, 0.25, 0.75, 1, 2, 2.25, 2.75, 3, 2, 2.25, 2.75, 3, 4, 4.25, 4.75, 5, 4, 4.25, 4.75, 5, 6, 6.25, 6.75, 7)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no weight, no NaN", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "align_corners"),
				In:   optest.In(of(optest.Dims(3), 1, math.NaN(), 3), nil, nil, optest.I64(optest.Dims(1), 2)),
				Want: optest.Want(of(optest.Dims(2), 1, 3)), Tol: tolerance(d),
			},
		})
	}
}

// The values follow from the formulas of the specification.
func TestResizeIntegers(t *testing.T) {
	for _, d := range []tensor.DType{tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Resize, []optest.Case{
			{
				Name: d.String() + " fractions are cut off", Version: 19, Attrs: optest.Attrs("mode", "linear"),
				In:   optest.In(of(optest.Dims(2), 1, 4), nil, nil, optest.I64(optest.Dims(1), 4)),
				Want: optest.Want(of(optest.Dims(4), 1, 1, 3, 4)),
			},
			{
				Name: d.String() + " what should be whole is whole", Version: 19, Attrs: optest.Attrs("mode", "linear", "coordinate_transformation_mode", "align_corners"),
				In:   optest.In(of(optest.Dims(2), 0, 6), nil, nil, optest.I64(optest.Dims(1), 7)),
				Want: optest.Want(of(optest.Dims(7), 0, 1, 2, 3, 4, 5, 6)),
			},
			{
				Name: d.String() + " extrapolated, linear", Version: 19, Attrs: optest.Attrs("coordinate_transformation_mode", "tf_crop_and_resize", "mode", "linear", "extrapolation_value", 7.0),
				In:   optest.In(of(optest.Dims(3), 1, 2, 3), optest.F32(optest.Dims(2), 0.5, 1.5), nil, optest.I64(optest.Dims(1), 3)),
				Want: optest.Want(of(optest.Dims(3), 2, 3, 7)),
			},
			{
				Name: d.String() + " a region that is no number, nearest", Version: 19, Attrs: optest.Attrs("coordinate_transformation_mode", "tf_crop_and_resize", "extrapolation_value", 7.0),
				In:   optest.In(of(optest.Dims(3), 1, 2, 3), optest.F32(optest.Dims(2), float32(math.NaN()), 1e+30), nil, optest.I64(optest.Dims(1), 2)),
				Want: optest.Want(of(optest.Dims(2), 7, 7)),
			},
			{
				Name: d.String() + " a region that is no number, linear", Version: 19, Attrs: optest.Attrs("coordinate_transformation_mode", "tf_crop_and_resize", "mode", "linear", "extrapolation_value", 7.0),
				In:   optest.In(of(optest.Dims(3), 1, 2, 3), optest.F32(optest.Dims(2), 0, 1e+30), nil, optest.I64(optest.Dims(1), 2)),
				Want: optest.Want(of(optest.Dims(2), 1, 7)),
			},
			{
				Name: d.String() + " extrapolated, nearest", Version: 19, Attrs: optest.Attrs("coordinate_transformation_mode", "tf_crop_and_resize", "extrapolation_value", 7.0),
				In:   optest.In(of(optest.Dims(3), 1, 2, 3), optest.F32(optest.Dims(2), 0.5, 1.5), nil, optest.I64(optest.Dims(1), 3)),
				Want: optest.Want(of(optest.Dims(3), 2, 3, 7)),
			},
		})
	}
}

// A complex number is interpolated part by part.
func TestResizeComplex(t *testing.T) {
	for _, d := range []tensor.DType{tensor.C64, tensor.C128} {
		of := func(v ...float64) *tensor.View { return optest.Filled(d, optest.Dims(len(v)), v...) }
		optest.Run(t, Resize, []optest.Case{{
			Name: d.String(), Attrs: optest.Attrs("mode", "linear"), In: optest.In(of(1, 5), nil, nil, optest.Ints(4)),
			Want: optest.Want(of(1, 2, 4, 5)),
		}})
	}
}

// The messages of the shape rule.
func TestResizeErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, Resize, []optest.Case{
		{Name: "neither scales nor sizes", In: optest.In(of(optest.Dims(2), 1, 2)), Err: `one of scales and sizes is needed, and not both`, Code: errs.Model},
		{Name: "too few sizes", In: optest.In(of(optest.Dims(2), 1, 2), nil, nil, optest.I64(optest.Dims(2), 1, 2)), Err: `scales or sizes must have one element for each of the 1 axes`, Code: errs.Shape},
		{Name: "a scale of 0", In: optest.In(of(optest.Dims(2), 1, 2), nil, optest.F32(optest.Dims(1), 0)), Err: `a scale is 0: it must be positive`, Code: errs.Shape},
		{Name: "an enormous scale", In: optest.In(of(optest.Dims(2), 1, 2), nil, optest.F32(optest.Dims(1), 1e+30)), Err: `a dimension of 2 and a scale of 1e+30 make no dimension`, Code: errs.Shape},
		{Name: "a negative size", In: optest.In(of(optest.Dims(2), 1, 2), nil, nil, optest.I64(optest.Dims(1), -1)), Err: `sizes is [-1]: no size may be negative`, Code: errs.Shape},
		{Name: "something of nothing", In: optest.In(of(optest.Dims(0)), nil, nil, optest.I64(optest.Dims(1), 3)), Err: `X has shape [0]: an empty dimension cannot become 3`, Code: errs.Shape},
		{Name: "another mode", Attrs: optest.Attrs("mode", "area"), In: optest.In(of(optest.Dims(2), 1, 2), nil, optest.F32(optest.Dims(1), 2)), Err: `mode "area" is none of [nearest linear cubic]`, Code: errs.Argument},
		{Name: "another transform", Attrs: optest.Attrs("coordinate_transformation_mode", "half"), In: optest.In(of(optest.Dims(2), 1, 2), nil, optest.F32(optest.Dims(1), 2)), Err: `coordinate_transformation_mode "half" is none of`, Code: errs.Argument},
		{Name: "another policy", Attrs: optest.Attrs("keep_aspect_ratio_policy", "fit"), In: optest.In(of(optest.Dims(2), 1, 2), nil, nil, optest.I64(optest.Dims(1), 2)), Err: `keep_aspect_ratio_policy "fit" is none of`, Code: errs.Argument},
		{Name: "an axis twice", Attrs: optest.Attrs("axes", []int{0, -1}), In: optest.In(of(optest.Dims(2), 1, 2), nil, optest.F32(optest.Dims(2), 2, 2)), Err: `axes [0 -1] names axis 0 twice`, Code: errs.Argument},
		{Name: "a crop without region", Attrs: optest.Attrs("coordinate_transformation_mode", "tf_crop_and_resize"), In: optest.In(of(optest.Dims(2), 1, 2), nil, optest.F32(optest.Dims(1), 2)), Err: `tf_crop_and_resize needs a roi of 2 elements`, Code: errs.Model},
	})
}

// Strings are copied, not interpolated.
func TestResizeStrings(t *testing.T) {
	x := optest.Str(optest.Dims(2), "a", "bc")
	optest.Run(t, Resize, []optest.Case{
		{Name: "nearest", In: optest.In(x, nil, optest.F32(optest.Dims(1), 2)), Want: optest.Want(optest.Str(optest.Dims(4), "a", "a", "bc", "bc"))},
		{
			Name: "linear", Attrs: optest.Attrs("mode", "linear"), In: optest.In(x, nil, optest.F32(optest.Dims(1), 2)),
			Err: `mode "linear" of elements of type str: only numbers can be interpolated`, Code: errs.Unsupported,
		},
	})
}

// The values are those of ONNX Runtime.
func TestResize10(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Resize10, []optest.Case{
			{
				Name: d.String() + " nearest, finer", Version: 10,
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(4), 1, 1, 1, 2.5)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 5), 1, 1, 1, 2, 2, 3, 3, 3, 4, 4)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " nearest, coarser, takes the next", Version: 10,
				In:   optest.In(of(optest.Dims(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), optest.F32(optest.Dims(4), 1, 1, 0.6, 0.6)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2), 1, 3)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " linear", Version: 10, Attrs: optest.Attrs("mode", "linear"),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(4), 1, 1, 2, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 4), 1, 1.5, 2, 2, 2, 2.5, 3, 3, 3, 3.5, 4, 4, 3, 3.5, 4, 4)), Tol: tolerance(d),
			},
		})
	}
}
