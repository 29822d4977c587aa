package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of slices and pads of NumPy.
func TestCenterCropPad(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64, tensor.Bool} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, CenterCropPad, []optest.Case{
			{
				Name: d.String() + " cuts and pads", Version: 18,
				In:   optest.In(of(optest.Dims(3, 5), optest.Counting(15)...), optest.I64(optest.Dims(2), 6, 2)),
				Want: optest.Want(of(optest.Dims(6, 2), 0, 0, 1, 2, 6, 7, 11, 12, 0, 0, 0, 0)),
			},
			{
				Name: d.String() + " cuts an odd number", Version: 18,
				In:   optest.In(of(optest.Dims(3, 5), optest.Counting(15)...), optest.I64(optest.Dims(2), 3, 4)),
				Want: optest.Want(of(optest.Dims(3, 4), 0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13)),
			},
			{
				Name: d.String() + " axes", Version: 18, Attrs: optest.Attrs("axes", []int{-1}),
				In:   optest.In(of(optest.Dims(3, 5), optest.Counting(15)...), optest.I32(optest.Dims(1), 8)),
				Want: optest.Want(of(optest.Dims(3, 8), 0, 0, 1, 2, 3, 4, 0, 0, 0, 5, 6, 7, 8, 9, 0, 0, 0, 10, 11, 12, 13, 14, 0, 0)),
			},
			{
				Name: d.String() + " to nothing", Version: 18,
				In:   optest.In(of(optest.Dims(3, 5), optest.Counting(15)...), optest.I64(optest.Dims(2), 0, 2)),
				Want: optest.Want(of(optest.Dims(0, 2))),
			},
			{
				Name: d.String() + " a scalar", Version: 18,
				In:   optest.In(of(optest.Dims(), 3), optest.I64(optest.Dims(0))),
				Want: optest.Want(of(optest.Dims(), 3)),
			},
		})
	}
}

// Strings are padded with empty ones.
func TestCenterCropPadStrings(t *testing.T) {
	optest.Run(t, CenterCropPad, []optest.Case{{
		Name: "strings", In: optest.In(optest.Str(optest.Dims(2), "a", "b"), optest.Ints(5)), Want: optest.Want(optest.Str(optest.Dims(5), "", "a", "b", "", "")),
	}})
}

// The messages of the shape rule.
func TestCenterCropPadErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, CenterCropPad, []optest.Case{
		{Name: "too few sizes", In: optest.In(of(optest.Dims(1, 2), 1, 2), optest.I64(optest.Dims(1), 1)), Err: `shape has 1 elements, one for each of the 2 axes expected`, Code: errs.Shape},
		{Name: "a negative size", In: optest.In(of(optest.Dims(2), 1, 2), optest.I64(optest.Dims(1), -1)), Err: `shape is [-1]: no size may be negative`, Code: errs.Shape},
		{Name: "an axis twice", Attrs: optest.Attrs("axes", []int{0, 0}), In: optest.In(of(optest.Dims(2), 1, 2), optest.I64(optest.Dims(2), 1, 1)), Err: `axes [0 0] names axis 0 twice`, Code: errs.Argument},
	})
}
