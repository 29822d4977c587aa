package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestIsInf(t *testing.T) {
	inf := math.Inf(1)
	four := optest.Dims(4)
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		in := optest.In(optest.Filled(d, four, inf, -inf, math.NaN(), 1))
		optest.Run(t, IsInf, []optest.Case{
			{Name: "both " + d.String(), In: in, Want: optest.Want(optest.Bool(four, true, true, false, false))},
			{Name: "positive " + d.String(), Attrs: optest.Attrs("detect_negative", 0), In: in, Want: optest.Want(optest.Bool(four, true, false, false, false))},
			{Name: "negative " + d.String(), Attrs: optest.Attrs("detect_positive", 0), In: in, Want: optest.Want(optest.Bool(four, false, true, false, false))},
			{Name: "neither " + d.String(), Attrs: optest.Attrs("detect_positive", 0, "detect_negative", 0), In: in, Want: optest.Want(optest.Bool(four, false, false, false, false))},
		})
	}
	codes := func(d tensor.DType, c ...uint8) *tensor.View { return optest.Make(d, four, c) }
	optest.Run(t, IsInf, []optest.Case{
		{Name: "f8e5m2", In: optest.In(codes(tensor.F8E5M2, 0x7c, 0xfc, 0x7d, 0x7b)), Want: optest.Want(optest.Bool(four, true, true, false, false))},
		{Name: "f8e4m3fn has none", In: optest.In(codes(tensor.F8E4M3FN, 0x7f, 0xff, 0x78, 0)), Want: optest.Want(optest.Bool(four, false, false, false, false))},
		{Name: "f8e4m3fnuz has none", In: optest.In(codes(tensor.F8E4M3UZ, 0x7f, 0x80, 0x78, 0)), Want: optest.Want(optest.Bool(four, false, false, false, false))},
		{Name: "f8e5m2fnuz has none", In: optest.In(codes(tensor.F8E5M2UZ, 0x7c, 0x80, 0xfc, 0)), Want: optest.Want(optest.Bool(four, false, false, false, false))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0))), Want: optest.Want(optest.Bool(optest.Dims(0)))},
	})
}

func TestIsNaN(t *testing.T) {
	four := optest.Dims(4)
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		optest.Run(t, IsNaN, []optest.Case{{
			Name: d.String(), In: optest.In(optest.Filled(d, four, math.NaN(), math.Inf(1), 0, math.Inf(-1))), Want: optest.Want(optest.Bool(four, true, false, false, false)),
		}})
	}
	codes := func(d tensor.DType, c ...uint8) *tensor.View { return optest.Make(d, four, c) }
	optest.Run(t, IsNaN, []optest.Case{
		{Name: "f8e5m2", In: optest.In(codes(tensor.F8E5M2, 0x7c, 0x7d, 0xff, 0x80)), Want: optest.Want(optest.Bool(four, false, true, true, false))},
		{Name: "f8e4m3fn", In: optest.In(codes(tensor.F8E4M3FN, 0x7f, 0xff, 0x7e, 0x80)), Want: optest.Want(optest.Bool(four, true, true, false, false))},
		{Name: "f8e4m3fnuz", In: optest.In(codes(tensor.F8E4M3UZ, 0x7f, 0x80, 0xff, 0)), Want: optest.Want(optest.Bool(four, false, true, false, false))},
		{Name: "f8e5m2fnuz", In: optest.In(codes(tensor.F8E5M2UZ, 0x7c, 0x80, 0xff, 0)), Want: optest.Want(optest.Bool(four, false, true, false, false))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, nan32)), Want: optest.Want(optest.Bool(nil, true))},
	})
	x, want := make([]float32, 2501), make([]bool, 2501)
	for i := range x {
		if want[i] = i%7 == 3; want[i] {
			x[i] = nan32
		}
	}
	optest.Run(t, IsNaN, []optest.Case{{Name: "many", In: optest.In(optest.F32(optest.Dims(len(x)), x...)), Want: optest.Want(optest.Bool(optest.Dims(len(x)), want...))}})
}
