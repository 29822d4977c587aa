package random

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RandomUniform and RandomUniformLike draw numbers from [low, high), all as likely.
// The 16-bit types are rounded from f32, so that they may be high.
// https://onnx.ai/onnx/operators/onnx__RandomUniform.html (RandomUniformLike)
// Departures: none.
var (
	RandomUniform     = drawing("RandomUniform", false, op.Float("low", 0), op.Float("high", 1), uniforms)
	RandomUniformLike = drawing("RandomUniformLike", true, op.Float("low", 0), op.Float("high", 1), uniforms)
)

var uniforms = op.ByType(map[tensor.DType]drawKernel{
	tensor.F32: uniform32(func(x float32) float32 { return x }), tensor.F16: uniform32(tensor.HalfOf), tensor.BF16: uniform32(tensor.BFloat16Of), tensor.F64: uniform64,
})

func uniform32[T any](narrow func(float32) T) drawKernel {
	return func(d *draw, lo, hi int) {
		dst, w := tensor.Elems[T](d.out)[lo:hi], d.stream.from(lo)
		for i := range dst {
			x := d.a + float32(unit32(w.word())*(d.b-d.a))
			if x >= d.b && d.b > d.a { // by rounding
				x = math.Nextafter32(d.b, d.a)
			}
			dst[i] = narrow(x)
		}
	}
}

func uniform64(d *draw, lo, hi int) {
	dst, w := tensor.Elems[float64](d.out)[lo:hi], d.stream.from(2*lo)
	low, high := float64(d.a), float64(d.b)
	for i := range dst {
		x := low + times(unit64(w.word64()), high-low)
		if x >= high && high > low {
			x = math.Nextafter(high, low)
		}
		dst[i] = x
	}
}
