package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// row32 is the float32 row of an operation that has vector kernels. Rows whose
// inputs are dense or one number go there; the rare other steps go to slow.
func row32(o vec.Operation, slow row) row {
	return func(out, a, b *tensor.View, at, i, j, n, sa, sb int) {
		if sa > 1 || sb > 1 {
			slow(out, a, b, at, i, j, n, sa, sb)
			return
		}
		dst, x, y := spans[float32](out, a, b, at, i, j, n, sa, sb)
		if sa == 0 && sb == 0 && n > 1 { // one number on both sides
			vec.Combine(o, dst[:1], x, y)
			for k := range dst {
				dst[k] = dst[0]
			}
			return
		}
		vec.Combine(o, dst, x, y)
	}
}

// span32 is the float32 kernel of a function that has a vector kernel.
func span32(f vec.Function) span {
	return func(out, in *tensor.View, lo, hi int) {
		vec.Apply(f, tensor.Elems[float32](out)[lo:hi], tensor.Elems[float32](in)[lo:hi])
	}
}
