package nn

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the specification's examples, and by hand.
func TestMaxPool(t *testing.T) {
	square := optest.Counting(25)
	for i := range square {
		square[i]++
	}
	inf := math.Inf(1)
	for _, d := range MaxPool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		x := of(optest.Dims(1, 1, 5, 5), square...)
		lowest := map[tensor.DType]float64{tensor.I8: -128, tensor.U8: 0}
		low, whole := lowest[d]
		if !whole {
			low = -inf
		}
		padded := of(optest.Dims(1, 1, 5, 5), 13, 14, 15, 15, 15, 18, 19, 20, 20, 20, 23, 24, 25, 25, 25, 23, 24, 25, 25, 25, 23, 24, 25, 25, 25)
		optest.Run(t, MaxPool, []optest.Case{
			{Name: d.String() + " padded", Attrs: optest.Attrs("kernel_shape", []int{5, 5}, "pads", []int{2, 2, 2, 2}), In: optest.In(x), Want: optest.Want(padded)},
			{
				Name: d.String() + " padded, with indices", Attrs: optest.Attrs("kernel_shape", []int{5, 5}, "pads", []int{2, 2, 2, 2}), In: optest.In(x),
				Want: optest.Want(padded, optest.I64(optest.Dims(1, 1, 5, 5), 12, 13, 14, 14, 14, 17, 18, 19, 19, 19, 22, 23, 24, 24, 24, 22, 23, 24, 24, 24, 22, 23, 24, 24, 24)),
			},
			{
				Name: d.String() + " strides, column-major indices", Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "strides", []int{2, 2}, "storage_order", 1), In: optest.In(x),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 7, 9, 17, 19), optest.I64(optest.Dims(1, 1, 2, 2), 6, 16, 8, 18)),
			},
			{Name: d.String() + " SAME_UPPER", Attrs: optest.Attrs("kernel_shape", []int{3, 3}, "strides", []int{2, 2}, "auto_pad", "SAME_UPPER"), In: optest.In(x), Want: optest.Want(of(optest.Dims(1, 1, 3, 3), 7, 9, 10, 17, 19, 20, 22, 24, 25))},
			{
				Name: d.String() + " ceil_mode", Attrs: optest.Attrs("kernel_shape", []int{3, 3}, "strides", []int{2, 2}, "ceil_mode", 1),
				In: optest.In(of(optest.Dims(1, 1, 4, 4), square[:16]...)), Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 11, 12, 15, 16)),
			},
			{
				Name: d.String() + " dilated", Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "dilations", []int{2, 2}),
				In: optest.In(of(optest.Dims(1, 1, 4, 4), square[:16]...)), Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 11, 12, 15, 16)),
			},
			{Name: d.String() + " one dimension", Attrs: optest.Attrs("kernel_shape", []int{2}), In: optest.In(of(optest.Dims(1, 2, 3), 1, 3, 2, 6, 5, 4)), Want: optest.Want(of(optest.Dims(1, 2, 2), 3, 3, 6, 5))},
			{
				Name: d.String() + " two planes: indices count through the tensor", Attrs: optest.Attrs("kernel_shape", []int{2}), In: optest.In(of(optest.Dims(1, 2, 3), 1, 3, 2, 6, 5, 4)),
				Want: optest.Want(of(optest.Dims(1, 2, 2), 3, 3, 6, 5), optest.I64(optest.Dims(1, 2, 2), 1, 1, 3, 4)),
			},
			{
				Name: d.String() + " three dimensions", Attrs: optest.Attrs("kernel_shape", []int{2, 2, 2}, "strides", []int{2, 2, 2}),
				In: optest.In(of(optest.Dims(1, 1, 2, 2, 4), square[:16]...)), Want: optest.Want(of(optest.Dims(1, 1, 1, 1, 2), 14, 16)),
			},
			{
				Name: d.String() + " a window in the padding alone", Attrs: optest.Attrs("kernel_shape", []int{1, 1}, "pads", []int{1, 0, 0, 1}), In: optest.In(of(optest.Dims(1, 1, 1, 1), 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2), low, low, 3, low)),
			},
			{
				Name: d.String() + " its index", Attrs: optest.Attrs("kernel_shape", []int{1}, "pads", []int{1, 0}), In: optest.In(of(optest.Dims(1, 1, 1), 3)),
				Want: optest.Want(of(optest.Dims(1, 1, 2), low, 3), optest.I64(optest.Dims(1, 1, 2), -1, 0)),
			},
			{Name: d.String() + " no images", Attrs: optest.Attrs("kernel_shape", []int{2, 2}), In: optest.In(of(optest.Dims(0, 1, 3, 3))), Want: optest.Want(of(optest.Dims(0, 1, 2, 2)))},
		})
	}
	x := optest.F32(optest.Dims(1, 1, 3), 1, float32(math.NaN()), float32(math.Inf(-1)))
	optest.Run(t, MaxPool, []optest.Case{
		{Name: "a NaN wins", Attrs: optest.Attrs("kernel_shape", []int{2}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(1, 1, 2), float32(math.NaN()), float32(math.NaN())), optest.I64(optest.Dims(1, 1, 2), 1, 1))},
		{Name: "no kernel_shape", In: optest.In(x), Err: `attribute "kernel_shape" is required and missing`, Code: errs.Model},
		{Name: "a matrix", Attrs: optest.Attrs("kernel_shape", []int{2}), In: optest.In(optest.F32(optest.Dims(1, 1), 1)), Err: "X has shape [1, 1], a rank of 3 or more expected", Code: errs.Shape},
		{Name: "too large a window", Attrs: optest.Attrs("kernel_shape", []int{4}), In: optest.In(x), Err: "a window of 4 does not fit into dimension 0 of 3", Code: errs.Shape},
		{Name: "another rank of the kernel", Attrs: optest.Attrs("kernel_shape", []int{1, 1}), In: optest.In(x), Err: "do not fit the 1 spatial dimensions [3]", Code: errs.Shape},
	})
}
