package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestMaxUnpool(t *testing.T) {
	for _, d := range MaxUnpool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, MaxUnpool, []optest.Case{
			{
				Name: d.String() + " strides", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "strides", []int{2, 2}),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 1, 2, 2), 5, 7, 13, 15)),
				Want: optest.Want(of(optest.Dims(1, 1, 4, 4), 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4)),
			},
			{
				Name: d.String() + " a larger shape", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "strides", []int{2, 2}),
				In:   optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 1, 2, 2), 5, 7, 13, 15), optest.I64(optest.Dims(4), 1, 1, 5, 5)),
				Want: optest.Want(of(optest.Dims(1, 1, 5, 5), 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0)),
			},
			{
				Name: d.String() + " pads, one dimension", Version: 9, Attrs: optest.Attrs("kernel_shape", []int{3}, "strides", []int{2}, "pads", []int{1, 1}),
				In:   optest.In(of(optest.Dims(1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 2, 2), 0, 2, 3, 5)),
				Want: optest.Want(of(optest.Dims(1, 2, 3), 1, 0, 2, 3, 0, 4)),
			},
			{
				Name: d.String() + " one index twice: the last", Version: 22, Attrs: optest.Attrs("kernel_shape", []int{2}),
				In:   optest.In(of(optest.Dims(1, 1, 2), 1, 2), optest.I64(optest.Dims(1, 1, 2), 1, 1)),
				Want: optest.Want(of(optest.Dims(1, 1, 3), 0, 2, 0)),
			},
		})
	}
}

// The messages of the rule and the run.
func TestMaxUnpoolErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, MaxUnpool, []optest.Case{
		{Name: "an index outside", Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "strides", []int{2, 2}), In: optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 1, 2, 2), 5, 7, 13, 16)), Err: `index 16 at position 3 is outside the 16 elements of shape [1, 1, 4, 4]`, Code: errs.Compute},
		{Name: "the index of no element", Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "strides", []int{2, 2}), In: optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 1, 2, 2), 5, -1, 13, 15)), Err: `index -1 at position 1`, Code: errs.Compute},
		{Name: "too small a shape", Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "strides", []int{2, 2}), In: optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 1, 2, 2), 5, 7, 13, 15), optest.I64(optest.Dims(4), 1, 1, 3, 4)), Err: `output_shape is [1 1 3 4]: it must be at least [1, 1, 4, 4]`, Code: errs.Shape},
		{Name: "other indices", Attrs: optest.Attrs("kernel_shape", []int{2, 2}), In: optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1), 1)), Err: `X has shape [1, 1, 2, 2], the indices [1]: they must be alike`, Code: errs.Shape},
		{Name: "another rank of the kernel", Attrs: optest.Attrs("kernel_shape", []int{2}), In: optest.In(of(optest.Dims(1, 1, 2, 2), 1, 2, 3, 4), optest.I64(optest.Dims(1, 1, 2, 2), 5, 7, 13, 15)), Err: `kernel_shape is [2]: one entry for each spatial dimension expected`, Code: errs.Shape},
	})
}
