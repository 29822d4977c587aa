package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestDequantizeLinear(t *testing.T) {
	perAxis := optest.U8(optest.Dims(1, 3, 3, 2), 3, 89, 34, 200, 74, 59, 5, 24, 24, 87, 32, 13, 245, 99, 4, 142, 121, 102)
	cases := []optest.Case{
		{Name: "example", In: optest.In(optest.U8(optest.Dims(4), 0, 3, 128, 255), optest.F32(nil, 2), optest.U8(nil, 128)), Want: optest.Want(f32s(4, -256, -250, 0, 254))},
		{
			Name: "example of an axis", In: optest.In(perAxis, f32s(3, 2, 4, 5), optest.U8(optest.Dims(3), 84, 24, 196)),
			Want: optest.Want(optest.F32(optest.Dims(1, 3, 3, 2), -162, 10, -100, 232, -20, -50, -76, 0, 0, 252, 32, -44, 245, -485, -960, -270, -375, -470)),
		},
		{
			Name: "the last axis", Attrs: optest.Attrs("axis", -1), In: optest.In(optest.Filled(tensor.I8, optest.Dims(2, 3), 2, 3, 4, -2, -1, -128), f32s(3, 1, 2, 3), optest.Filled(tensor.I8, optest.Dims(3), 0, 1, 2)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 2, 4, 6, -2, -4, -390)),
		},
		{
			Name: "blocks along the last axis", Attrs: optest.Attrs("axis", 1, "block_size", 2),
			In:   optest.In(optest.Filled(tensor.U4, optest.Dims(2, 3), 2, 4, 6, 8, 10, 15), optest.F32(optest.Dims(2, 2), 1, 2, 4, 5), optest.Filled(tensor.U4, optest.Dims(2, 2), 0, 1, 2, 3)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 2, 4, 10, 24, 32, 60)),
		},
		{
			Name: "blocks along the first axis", Attrs: optest.Attrs("axis", 0, "block_size", 2),
			In:   optest.In(optest.Filled(tensor.I16, optest.Dims(3, 2), 2, -4, 6, 8, 10, 12), optest.F32(optest.Dims(2, 2), 1, 2, 5, 6)),
			Want: optest.Want(optest.F32(optest.Dims(3, 2), 2, -8, 6, 16, 50, 72)),
		},
		{Name: "i32", In: optest.In(optest.I32(optest.Dims(3), 0, 1<<30, -7), optest.F32(nil, 0.5)), Want: optest.Want(f32s(3, 0, 1<<29, -3.5))},
		{Name: "i4", In: optest.In(optest.Filled(tensor.I4, optest.Dims(5), 0, 1, 7, -4, -8), optest.F32(nil, 2), optest.Filled(tensor.I4, nil, 1)), Want: optest.Want(f32s(5, -2, 0, 12, -10, -18))},
		{Name: "i2", In: optest.In(optest.Filled(tensor.I2, optest.Dims(4), 0, 1, -1, -2), optest.F32(nil, 2)), Want: optest.Want(f32s(4, 0, 2, -2, -4))},
		{Name: "u2", In: optest.In(optest.Filled(tensor.U2, optest.Dims(4), 0, 1, 2, 3), optest.F32(nil, 2), optest.Filled(tensor.U2, nil, 1)), Want: optest.Want(f32s(4, -2, 0, 2, 4))},
		{Name: "f4e2m1", In: optest.In(optest.Filled(tensor.F4E2M1, optest.Dims(4), 0, 0.5, -6, 4), optest.F32(nil, 2)), Want: optest.Want(f32s(4, 0, 1, -12, 8))},
		{Name: "f8e8m0 scale, f16 output", Attrs: optest.Attrs("output_dtype", 10), In: optest.In(optest.U8(optest.Dims(2), 1, 3), optest.Filled(tensor.F8E8M0, nil, 126)), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(2), 0.5, 1.5))},
		{Name: "bf16", In: optest.In(optest.U8(optest.Dims(2), 1, 3), optest.Filled(tensor.BF16, nil, 3)), Want: optest.Want(optest.Filled(tensor.BF16, optest.Dims(2), 3, 9))},
		{Name: "f16", In: optest.In(optest.Filled(tensor.U16, optest.Dims(2), 1000, 3), optest.Filled(tensor.F16, nil, 2), optest.Filled(tensor.U16, nil, 3)), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(2), 1994, 0))},
		{Name: "a scalar", In: optest.In(optest.U8(nil, 5), optest.F32(nil, 2)), Want: optest.Want(optest.F32(nil, 10))},
		{Name: "empty", In: optest.In(optest.U8(optest.Dims(0)), optest.F32(nil, 2)), Want: optest.Want(f32s(0))},
	}
	for _, d := range []tensor.DType{tensor.F8E4M3FN, tensor.F8E4M3UZ, tensor.F8E5M2, tensor.F8E5M2UZ} {
		cases = append(cases, optest.Case{Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(4), 0, 0.5, -96, 224), optest.F32(nil, 2), optest.Filled(d, nil, 0)), Want: optest.Want(f32s(4, 0, 1, -192, 448))})
	}
	optest.Run(t, DequantizeLinear, cases)
}

func TestDequantizeLinearErrors(t *testing.T) {
	x := optest.U8(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	optest.Run(t, DequantizeLinear, []optest.Case{
		{Name: "scales", In: optest.In(x, f32s(2, 1, 1)), Err: "the scale has shape [2], x has shape [2, 3]", Code: errs.Shape},
		{Name: "zero points", In: optest.In(x, f32s(3, 1, 1, 1), optest.U8(optest.Dims(2), 1, 1)), Err: "the zero point has shape [2], the scale has shape [3]", Code: errs.Shape},
		{Name: "zero point of another type", In: optest.In(x, optest.F32(nil, 1), optest.Filled(tensor.I8, nil, 1)), Err: "input 2 is i8, input 0 is u8: they must be alike", Code: errs.Type},
		{Name: "no float", Attrs: optest.Attrs("output_dtype", 11), In: optest.In(x, optest.F32(nil, 1)), Err: "the output would be f64: f32, f16 or bf16 expected", Code: errs.Type},
		{Name: "f8e8m0 output", In: optest.In(x, optest.Filled(tensor.F8E8M0, nil, 1)), Err: "the output would be f8e8m0", Code: errs.Type},
	})
}
