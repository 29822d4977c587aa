package quant

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func f32s(n int, values ...float32) *tensor.View { return optest.F32(optest.Dims(n), values...) }

func TestQuantizeLinear(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	perAxis := optest.F32(
		optest.Dims(1, 3, 3, 2),
		-162, 10, -100, 232, -20, -50, -76, 0, 0, 252, 32, -44, 245, -485, -960, -270, -375, -470)
	optest.Run(t, QuantizeLinear, []optest.Case{
		{Name: "example", In: optest.In(f32s(6, 0, 2, 3, 1000, -254, -1000), optest.F32(nil, 2), optest.U8(nil, 128)), Want: optest.Want(optest.U8(optest.Dims(6), 128, 129, 130, 255, 1, 0))},
		{
			Name: "example of an axis", In: optest.In(perAxis, f32s(3, 2, 4, 5), optest.U8(optest.Dims(3), 84, 24, 196)),
			Want: optest.Want(optest.U8(optest.Dims(1, 3, 3, 2), 3, 89, 34, 200, 74, 59, 5, 24, 24, 87, 32, 13, 245, 99, 4, 142, 121, 102)),
		},
		{
			Name: "the last axis", Attrs: optest.Attrs("axis", -1), In: optest.In(optest.F32(optest.Dims(2, 3), 2, 4, 6, -2, -4, -6), f32s(3, 1, 2, 3), optest.Filled(tensor.I8, optest.Dims(3), 0, 1, 2)),
			Want: optest.Want(optest.Filled(tensor.I8, optest.Dims(2, 3), 2, 3, 4, -2, -1, 0)),
		},
		{
			Name: "half to even before the zero point", In: optest.In(f32s(6, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5), optest.F32(nil, 1), optest.U8(nil, 3)),
			Want: optest.Want(optest.U8(optest.Dims(6), 3, 5, 5, 3, 1, 1)),
		},
		{Name: "u8 without a zero point", In: optest.In(f32s(3, -1, 7.4, 300), optest.F32(nil, 1)), Want: optest.Want(optest.U8(optest.Dims(3), 0, 7, 255))},
		{
			Name: "extremes", In: optest.In(f32s(5, inf, -inf, nan, math.MaxFloat32, -math.MaxFloat32), optest.F32(nil, 0.1), optest.Filled(tensor.I8, nil, -3)),
			Want: optest.Want(optest.Filled(tensor.I8, optest.Dims(5), 127, -128, -128, 127, -128)),
		},
		{
			Name: "u16", In: optest.In(f32s(6, 0, -128, 3, -3, 2.9, 70000), optest.F32(nil, 1), optest.Filled(tensor.U16, nil, 32767)),
			Want: optest.Want(optest.Filled(tensor.U16, optest.Dims(6), 32767, 32639, 32770, 32764, 32770, 65535)),
		},
		{
			Name: "i16", In: optest.In(f32s(4, 0, -40000, 3, 40000), optest.F32(nil, 1), optest.Filled(tensor.I16, nil, 256)),
			Want: optest.Want(optest.Filled(tensor.I16, optest.Dims(4), 256, -32768, 259, 32767)),
		},
		{
			Name: "i4 by rows", Attrs: optest.Attrs("axis", 0), In: optest.In(optest.F32(optest.Dims(3, 3), 0, 2.5, 4.8, 8.6, -30, -20, 6, 9, 12), f32s(3, 2, 3, 4), optest.Filled(tensor.I4, optest.Dims(3), 1, 2, 3)),
			Want: optest.Want(optest.Filled(tensor.I4, optest.Dims(3, 3), 1, 2, 3, 5, -8, -5, 5, 5, 6)),
		},
		{Name: "u4 by attribute", Attrs: optest.Attrs("output_dtype", 21), In: optest.In(f32s(3, -1, 3, 99), optest.F32(nil, 1)), Want: optest.Want(optest.Filled(tensor.U4, optest.Dims(3), 0, 3, 15))},
		{Name: "i2", In: optest.In(f32s(5, -9, -1, 0, 1, 9), optest.F32(nil, 1), optest.Filled(tensor.I2, nil, 0)), Want: optest.Want(optest.Filled(tensor.I2, optest.Dims(5), -2, -1, 0, 1, 1))},
		{Name: "u2", In: optest.In(f32s(5, -9, 1, 2, 3, 9), optest.F32(nil, 1), optest.Filled(tensor.U2, nil, 0)), Want: optest.Want(optest.Filled(tensor.U2, optest.Dims(5), 0, 1, 2, 3, 3))},
		{
			Name: "f8e4m3fn saturates", In: optest.In(f32s(4, 0, 2, -3, 100000), optest.F32(nil, 2), optest.Filled(tensor.F8E4M3FN, nil, 0)),
			Want: optest.Want(optest.Filled(tensor.F8E4M3FN, optest.Dims(4), 0, 1, -1.5, 448)),
		},
		{
			Name: "f8e5m2 overflows", Attrs: optest.Attrs("saturate", 0), In: optest.In(f32s(2, 1e6, -0.5), optest.F32(nil, 1), optest.Filled(tensor.F8E5M2, nil, 0)),
			Want: optest.Want(optest.Make(tensor.F8E5M2, optest.Dims(2), []uint8{0x7c, 0xb8})),
		},
		{
			Name: "f4e2m1", In: optest.In(f32s(4, 0, 2.5, -4.8, 100), optest.F32(nil, 1), optest.Filled(tensor.F4E2M1, nil, 0)),
			Want: optest.Want(optest.Filled(tensor.F4E2M1, optest.Dims(4), 0, 2, -4, 6)),
		},
		{
			Name: "blocks along the last axis, the last one short", Attrs: optest.Attrs("axis", 1, "block_size", 2),
			In:   optest.In(optest.F32(optest.Dims(2, 3), 2, 4, 6, 8, 10, 12), optest.F32(optest.Dims(2, 2), 1, 2, 4, 5), optest.U8(optest.Dims(2, 2), 0, 1, 2, 3)),
			Want: optest.Want(optest.U8(optest.Dims(2, 3), 2, 4, 4, 4, 4, 5)),
		},
		{
			Name: "blocks along the first axis", Attrs: optest.Attrs("axis", 0, "block_size", 2),
			In:   optest.In(optest.F32(optest.Dims(3, 2), 2, 4, 6, 8, 10, 12), optest.F32(optest.Dims(2, 2), 1, 2, 5, 6)),
			Want: optest.Want(optest.U8(optest.Dims(3, 2), 2, 2, 6, 4, 2, 2)),
		},
		{
			Name: "f16 divides in f16", In: optest.In(optest.Filled(tensor.F16, optest.Dims(1), 2047), optest.Filled(tensor.F16, nil, 0.5), optest.Filled(tensor.U16, nil, 0)),
			Want: optest.Want(optest.Filled(tensor.U16, optest.Dims(1), 4094)),
		},
		{
			Name: "precision f16 rounds the quotient", Attrs: optest.Attrs("precision", 10), In: optest.In(f32s(1, 4097), optest.F32(nil, 1), optest.Filled(tensor.U16, nil, 0)),
			Want: optest.Want(optest.Filled(tensor.U16, optest.Dims(1), 4096)),
		},
		{
			Name: "the type of the scale decides the precision", In: optest.In(f32s(1, 257), optest.Filled(tensor.BF16, nil, 1), optest.Filled(tensor.U16, nil, 0)),
			Want: optest.Want(optest.Filled(tensor.U16, optest.Dims(1), 256)),
		},
		{
			Name: "f8e8m0 scale", In: optest.In(f32s(2, 8, 12), optest.Filled(tensor.F8E8M0, nil, 128), optest.U8(nil, 0)),
			Want: optest.Want(optest.U8(optest.Dims(2), 4, 6)),
		},
		{Name: "bf16", In: optest.In(optest.Filled(tensor.BF16, optest.Dims(2), 3, -5), optest.Filled(tensor.BF16, nil, 2), optest.U8(nil, 10)), Want: optest.Want(optest.U8(optest.Dims(2), 12, 8))},
		{Name: "i32 by a float scale", In: optest.In(optest.I32(optest.Dims(3), 5, 7, -9), optest.F32(nil, 2), optest.U8(nil, 10)), Version: 13, Want: optest.Want(optest.U8(optest.Dims(3), 12, 14, 6))},
		{Name: "i32 by a whole scale", In: optest.In(optest.I32(optest.Dims(2), 5, math.MaxInt32), optest.I32(nil, 3), optest.Filled(tensor.U16, nil, 0)), Want: optest.Want(optest.Filled(tensor.U16, optest.Dims(2), 2, 65535))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 5), optest.F32(nil, 2), optest.U8(nil, 0)), Want: optest.Want(optest.U8(nil, 2))},
		{Name: "a scale of one in a vector", Attrs: optest.Attrs("axis", 0), In: optest.In(f32s(2, 5, 7), f32s(1, 2), optest.U8(nil, 0)), Want: optest.Want(optest.U8(optest.Dims(2), 2, 4))},
		{Name: "empty", In: optest.In(f32s(0), optest.F32(nil, 2), optest.U8(nil, 0)), Want: optest.Want(optest.U8(optest.Dims(0)))},
		{Name: "empty along the axis", In: optest.In(optest.F32(optest.Dims(2, 0)), f32s(0), optest.U8(optest.Dims(0))), Want: optest.Want(optest.U8(optest.Dims(2, 0)))},
	})
}

// More elements than a unit has.
func TestQuantizeManyNumbers(t *testing.T) {
	const n = 2*unitLength + 5
	x, y := make([]float32, n), make([]uint8, n)
	for i := range x {
		x[i] = float32(i%600)/2 - 20
		y[i] = uint8(min(max(math.RoundToEven(float64(i%600)/4-10)+7, 0), 255))
	}
	optest.Run(t, QuantizeLinear, []optest.Case{{Name: "u8", In: optest.In(f32s(n, x...), optest.F32(nil, 2), optest.U8(nil, 7)), Want: optest.Want(optest.U8(optest.Dims(n), y...))}})
}

func TestQuantizeLinearErrors(t *testing.T) {
	x := optest.F32(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	optest.Run(t, QuantizeLinear, []optest.Case{
		{Name: "axis", Attrs: optest.Attrs("axis", 2), In: optest.In(x, f32s(3, 1, 1, 1)), Err: "axis 2 is out of range for rank 2", Code: errs.Shape},
		{Name: "scales", In: optest.In(x, f32s(2, 1, 1)), Err: "the scale has shape [2], x has shape [2, 3]: [3] is expected for axis 1", Code: errs.Shape},
		{Name: "blocks", Attrs: optest.Attrs("block_size", 2), In: optest.In(x, optest.F32(optest.Dims(2, 3), 1, 1, 1, 1, 1, 1)), Err: "the same is expected but for 2 blocks of 2 along axis 1", Code: errs.Shape},
		{Name: "a negative block", Attrs: optest.Attrs("block_size", -2), In: optest.In(x, optest.F32(optest.Dims(2, 3), 1, 1, 1, 1, 1, 1)), Err: "blocks of -2 along axis 1", Code: errs.Shape},
		{Name: "zero points", In: optest.In(x, f32s(3, 1, 1, 1), optest.U8(nil, 1)), Err: "the zero point has shape [], the scale has shape [3]: they must be equal", Code: errs.Shape},
		{Name: "two types", Attrs: optest.Attrs("output_dtype", 3), In: optest.In(x, optest.F32(nil, 1), optest.U8(nil, 1)), Err: "output_dtype is i8, the zero point is u8: they must be equal", Code: errs.Type},
		{Name: "no quantized type", Attrs: optest.Attrs("output_dtype", 1), In: optest.In(x, optest.F32(nil, 1)), Err: "output_dtype is 1 (f32): no quantized type", Code: errs.Type},
		{Name: "precision", Attrs: optest.Attrs("precision", 3), In: optest.In(x, optest.F32(nil, 1)), Err: "precision is i8: f32, f16, bf16 or f64 expected", Code: errs.Type},
		{Name: "f64", In: optest.In(optest.F64(nil, 1), optest.F32(nil, 1)), Err: "element type f64 is not supported", Code: errs.Unsupported},
		{Name: "an f64 scale", In: optest.In(x, optest.F64(nil, 1)), Err: "input 1 is f64, one of", Code: errs.Type},
	})
}

func TestQuantizeAndDequantizeLinearMS(t *testing.T) {
	u16 := optest.Filled(tensor.U16, optest.Dims(3), 5, 300, 65535)
	optest.Run(t, QuantizeLinearMS, []optest.Case{
		{Name: "u16", In: optest.In(f32s(3, 0, 147.5, 99999), optest.F32(nil, 0.5), optest.Filled(tensor.U16, nil, 5)), Want: optest.Want(u16)},
		{Name: "i4 along an axis", Attrs: optest.Attrs("axis", 0), In: optest.In(f32s(2, 3, -40), f32s(2, 1, 2), optest.Filled(tensor.I4, optest.Dims(2), 0, 1)), Want: optest.Want(optest.Filled(tensor.I4, optest.Dims(2), 3, -8))},
	})
	optest.Run(t, DequantizeLinearMS, []optest.Case{{Name: "u16", In: optest.In(u16, optest.F32(nil, 0.5), optest.Filled(tensor.U16, nil, 5)), Want: optest.Want(f32s(3, 0, 147.5, 32765))}})
}
