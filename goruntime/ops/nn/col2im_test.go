package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the reference implementation.
func TestCol2Im(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Col2Im, []optest.Case{
			{
				Name: d.String() + " overlapping blocks", Version: 18,
				In:   optest.In(of(optest.Dims(1, 4, 4), 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(2), 2, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 3), 0, 5, 0, 5, 10, 5, 0, 5, 0)),
			},
			{
				Name: d.String() + " strides, pads, dilations", Version: 18, Attrs: optest.Attrs("strides", []int{2, 2}, "pads", []int{1, 0, 1, 0}, "dilations", []int{1, 2}),
				In:   optest.In(of(optest.Dims(1, 8, 6), 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3), optest.I64(optest.Dims(2), 4, 5), optest.I64(optest.Dims(2), 2, 2)),
				Want: optest.Want(of(optest.Dims(1, 2, 4, 5), 0, 0, 3, 0, 3, 2, 0, 3, 0, 1, 2, 0, 3, 0, 1, 0, 0, 3, 0, 3, 0, 0, 3, 0, 3, 2, 0, 3, 0, 1, 2, 0, 3, 0, 1, 0, 0, 3, 0, 3)),
			},
			{
				Name: d.String() + " three dimensions", Version: 18,
				In:   optest.In(of(optest.Dims(1, 2, 4), 0, 1, 2, 3, 4, 0, 1, 2), optest.I64(optest.Dims(3), 1, 2, 3), optest.I64(optest.Dims(3), 1, 1, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2, 3), 0, 5, 0, 2, 4, 2)),
			},
		})
	}
}

// What is true in one block is true.
func TestCol2ImOfBool(t *testing.T) {
	optest.Run(t, Col2Im, []optest.Case{{
		Name: "bool", In: optest.In(optest.Bool(optest.Dims(1, 2, 2), false, true, true, false), optest.Ints(3), optest.Ints(2)),
		Want: optest.Want(optest.Bool(optest.Dims(1, 1, 3), false, true, false)),
	}})
}

// Complex numbers are summed.
func TestCol2ImOfComplex(t *testing.T) {
	for _, d := range []tensor.DType{tensor.C64, tensor.C128} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Col2Im, []optest.Case{{
			Name: d.String(), In: optest.In(of(optest.Dims(1, 2, 2), 1, 2, 3, 4), optest.Ints(3), optest.Ints(2)), Want: optest.Want(of(optest.Dims(1, 1, 3), 1, 5, 4)),
		}})
	}
}

// The messages of the shape rule.
func TestCol2ImErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, Col2Im, []optest.Case{
		{Name: "other columns", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(2), 2, 2)), Err: `the input has shape [1, 4, 3], [N, C*4, 4] expected`, Code: errs.Shape},
		{Name: "a block of another rank", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(1), 2)), Err: `one entry for each spatial dimension expected`, Code: errs.Shape},
		{Name: "a negative size", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), -3, 3), optest.I64(optest.Dims(2), 2, 2)), Err: `image_shape is [-3 3]: no size may be negative`, Code: errs.Shape},
		{Name: "too large a block", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(2), 4, 2)), Err: `a window of 4 does not fit into dimension 0 of 3`, Code: errs.Shape},
	})
}
