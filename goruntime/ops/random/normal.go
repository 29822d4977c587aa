package random

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RandomNormal and RandomNormalLike draw normal numbers of a mean and a standard
// deviation, by inverting their distribution.
// https://onnx.ai/onnx/operators/onnx__RandomNormal.html (RandomNormalLike)
// Departures: none.
var (
	RandomNormal = op.Declare("", "RandomNormal", func() op.Def {
		return drawing(false, op.Float("mean", 0), op.Float("scale", 1), normals)
	})
	RandomNormalLike = op.Declare("", "RandomNormalLike", func() op.Def {
		return drawing(true, op.Float("mean", 0), op.Float("scale", 1), normals)
	})
)

var normals = op.ByType(map[tensor.DType]drawKernel{
	tensor.F32: normal(func(x float64) float32 { return float32(x) }), tensor.F16: normal(tensor.HalfOf64), tensor.BF16: normal(tensor.BFloat16Of64), tensor.F64: normal64,
})

func normal[T any](narrow func(float64) T) drawKernel {
	return func(d *draw, lo, hi int) {
		var room [batch]uint32
		mean, scale := float64(d.a), float64(d.b)
		for lo < hi {
			w := room[:min(batch, hi-lo)]
			d.stream.fill(w, lo)
			dst := tensor.Elems[T](d.out)[lo : lo+len(w)]
			for i, u := range w {
				dst[i] = narrow(mean + times(scale, quantile(open32(u))))
			}
			lo += len(w)
		}
	}
}

func normal64(d *draw, lo, hi int) {
	var room [batch]uint32
	mean, scale := float64(d.a), float64(d.b)
	for lo < hi {
		w := room[:min(batch, 2*(hi-lo))]
		d.stream.fill(w, 2*lo)
		dst := tensor.Elems[float64](d.out)[lo : lo+len(w)/2]
		for i := range dst {
			dst[i] = mean + times(scale, quantile(open64(wide(w[2*i], w[2*i+1]))))
		}
		lo += len(dst)
	}
}
