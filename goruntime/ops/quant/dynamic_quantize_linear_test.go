package quant

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestDynamicQuantizeLinear(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	scale := func(f float32) *tensor.View { return optest.F32(nil, f) }
	zero := func(z uint8) *tensor.View { return optest.U8(nil, z) }
	optest.Run(t, DynamicQuantizeLinear, []optest.Case{
		{Name: "example", In: optest.In(f32s(6, 0, 2, -3, -2.5, 1.34, 0.5)), Want: optest.Want(optest.U8(optest.Dims(6), 153, 255, 0, 26, 221, 179), scale(float32(5)/255), zero(153))},
		{Name: "example, all below 0", In: optest.In(f32s(6, -1, -2.1, -1.3, -2.5, -3.34, -4)), Want: optest.Want(optest.U8(optest.Dims(6), 191, 121, 172, 96, 42, 0), scale(float32(4)/255), zero(255))},
		{Name: "example, all above 0", In: optest.In(optest.F32(optest.Dims(3, 4), 1, 2.1, 1.3, 2.5, 3.34, 4, 1.5, 2.6, 3.9, 4, 3, 2.345)), Want: optest.Want(optest.U8(optest.Dims(3, 4), 64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149), scale(float32(4)/255), zero(0))},
		{Name: "zeros", In: optest.In(f32s(2, 0, 0)), Want: optest.Want(optest.U8(optest.Dims(2), 0, 0), scale(1), zero(0))},
		{Name: "empty", In: optest.In(f32s(0)), Want: optest.Want(optest.U8(optest.Dims(0)), scale(1), zero(0))},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 2)), Want: optest.Want(zero(255), scale(float32(2)/255), zero(0))},
		{Name: "NaN counts as 0", In: optest.In(f32s(2, nan, 1)), Want: optest.Want(optest.U8(optest.Dims(2), 0, 255), scale(float32(1)/255), zero(0))},
		{Name: "infinity", In: optest.In(f32s(2, inf, 1)), Want: optest.Want(optest.U8(optest.Dims(2), 0, 0), scale(inf), zero(0))},
		{Name: "the scale alone", In: optest.In(f32s(2, 0, 2)), Want: optest.Want(nil, scale(float32(2)/255))},
	})
}

// The range comes from all parts.
func TestDynamicQuantizeLinearOfManyNumbers(t *testing.T) {
	const n = 2*unitLength + 3
	x, y := make([]float32, n), make([]uint8, n)
	for i := range x {
		x[i] = float32(i%200) - 55
		y[i] = uint8(i % 200)
	}
	x[5], x[n-1] = -55, 200
	y[5], y[n-1] = 0, 255
	optest.Run(t, DynamicQuantizeLinear, []optest.Case{{Name: "many", In: optest.In(f32s(n, x...)), Want: optest.Want(optest.U8(optest.Dims(n), y...), optest.F32(nil, 1), optest.U8(nil, 55))}})
}
