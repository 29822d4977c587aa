package nn

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Hardmax gives 1 at the first of the largest elements along an axis and 0
// elsewhere. NaN counts as larger than all others, as NumPy has it.
// https://onnx.ai/onnx/operators/onnx__Hardmax.html   Departures: none.
var Hardmax, Hardmax1 = op.DeclareTwo("", "Hardmax", func() (now, legacy op.Def) {
	return alongAxis(op.ByType(map[tensor.DType]softmaxKernel{
		tensor.F32: hardmax32(),
		tensor.F64: hardmax(func(f float64) float64 { return f }, float64(1)),
	}))
})

// hardmax32 finds the largest element of rows by vectors.
func hardmax32() softmaxKernel {
	any := hardmax(func(f float32) float32 { return f }, float32(1))
	return func(s *lines, lo, hi int) {
		if s.inner != 1 {
			any(s, lo, hi)
			return
		}
		out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
		for r := lo; r < hi; r++ {
			src := in[r*s.n : (r+1)*s.n]
			top := vec.Max(src)
			if top != top {
				any(s, r, r+1)
				continue
			}
			first := vec.Index(src, top)
			dst := out[r*s.n : (r+1)*s.n] // which may be src
			clear(dst)
			dst[first] = 1
		}
	}
}

func hardmax[T any, W float32 | float64](widen func(T) W, one T) softmaxKernel {
	return func(s *lines, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			first := r/s.inner*s.n*s.inner + r%s.inner
			best, top := 0, widen(in[first])
			for k := 1; k < s.n && top == top; k++ { // a NaN is not exceeded
				if x := widen(in[first+k*s.inner]); x > top || x != x {
					best, top = k, x
				}
			}
			var zero T
			for k := range s.n {
				out[first+k*s.inner] = zero
			}
			out[first+best*s.inner] = one
		}
	}
}
