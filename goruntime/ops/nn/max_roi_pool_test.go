package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestMaxRoiPool(t *testing.T) {
	for _, d := range MaxRoiPool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, MaxRoiPool, []optest.Case{
			{
				Name: d.String() + " bins of whole pixels", Version: 1, Attrs: optest.Attrs("pooled_shape", []int{2, 2}),
				In:   optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(2, 5), 0, 0, 0, 3, 2, 0, 1, 1, 4, 3)),
				Want: optest.Want(of(optest.Dims(2, 2, 2, 2), 6, 8, 11, 13, 26, 28, 31, 33, 12, 14, 17, 19, 32, 34, 37, 39)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a scale, more bins than pixels", Version: 22, Attrs: optest.Attrs("pooled_shape", []int{3, 2}, "spatial_scale", 0.5),
				In:   optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(1, 5), 0, 2, 2, 4, 4)),
				Want: optest.Want(of(optest.Dims(1, 2, 3, 2), 6, 7, 11, 12, 11, 12, 26, 27, 31, 32, 31, 32)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " beyond the image: 0", Version: 1, Attrs: optest.Attrs("pooled_shape", []int{2, 2}),
				In:   optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(1, 5), 0, 3, 2, 6, 7)),
				Want: optest.Want(of(optest.Dims(1, 2, 2, 2), 19, 0, 0, 0, 39, 0, 0, 0)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no region", Version: 1, Attrs: optest.Attrs("pooled_shape", []int{1, 1}),
				In:   optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(0, 5))),
				Want: optest.Want(of(optest.Dims(0, 2, 1, 1))), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the rule and the run.
func TestMaxRoiPoolErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, MaxRoiPool, []optest.Case{
		{Name: "another image", Attrs: optest.Attrs("pooled_shape", []int{1, 1}), In: optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(1, 5), 1, 0, 0, 3, 2)), Err: `roi 0 is of image 1, of which there are 1`, Code: errs.Compute},
		{Name: "no number", Attrs: optest.Attrs("pooled_shape", []int{1, 1}), In: optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(1, 5), 0, 0, math.NaN(), 3, 2)), Err: `roi 0 has the coordinate NaN`, Code: errs.Compute},
		{Name: "regions of four numbers", Attrs: optest.Attrs("pooled_shape", []int{1, 1}), In: optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(1, 4), 0, 0, 1, 1)), Err: `rois [1, 4]: [N, C, H, W] and [R, 5] expected`, Code: errs.Shape},
		{Name: "one number of bins", Attrs: optest.Attrs("pooled_shape", []int{2}), In: optest.In(of(optest.Dims(1, 2, 4, 5), optest.Counting(40)...), of(optest.Dims(1, 5), 0, 0, 0, 3, 2)), Err: `pooled_shape is [2]: two positive numbers expected`, Code: errs.Argument},
	})
}
