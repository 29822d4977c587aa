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
	RandomUniform = op.Declare("", "RandomUniform", func() op.Def {
		return drawing(false, op.Float("low", 0), op.Float("high", 1), uniforms)
	})
	RandomUniformLike = op.Declare("", "RandomUniformLike", func() op.Def {
		return drawing(true, op.Float("low", 0), op.Float("high", 1), uniforms)
	})
)

var uniforms = op.ByType(map[tensor.DType]drawKernel{
	tensor.F32: uniform32(func(x float32) float32 { return x }), tensor.F16: uniform32(tensor.HalfOf), tensor.BF16: uniform32(tensor.BFloat16Of), tensor.F64: uniform64,
})

func uniform32[T any](narrow func(float32) T) drawKernel {
	return func(d *draw, lo, hi int) {
		var room [batch]uint32
		for lo < hi {
			w := room[:min(batch, hi-lo)]
			d.stream.fill(w, lo)
			dst := tensor.Elems[T](d.out)[lo : lo+len(w)]
			for i, u := range w {
				x := d.a + float32(unit32(u)*(d.b-d.a))
				if x >= d.b && d.b > d.a { // by rounding
					x = math.Nextafter32(d.b, d.a)
				}
				dst[i] = narrow(x)
			}
			lo += len(w)
		}
	}
}

func uniform64(d *draw, lo, hi int) {
	var room [batch]uint32
	low, high := float64(d.a), float64(d.b)
	for lo < hi {
		w := room[:min(batch, 2*(hi-lo))]
		d.stream.fill(w, 2*lo)
		dst := tensor.Elems[float64](d.out)[lo : lo+len(w)/2]
		for i := range dst {
			x := low + times(unit64(wide(w[2*i], w[2*i+1])), high-low)
			if x >= high && high > low {
				x = math.Nextafter(high, low)
			}
			dst[i] = x
		}
		lo += len(dst)
	}
}
