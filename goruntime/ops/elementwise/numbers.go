package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// counted is the row of an operation on whole numbers or float64s: by vectors where one
// input is dense and the other dense or one number.
func counted[T vec.Counted](o vec.Arithmetic, slow row) row {
	return func(out, a, b *tensor.View, at, i, j, n, sa, sb int) {
		dst, x, y := spans[T](out, a, b, at, i, j, n, sa, sb)
		switch {
		case sa == 1 && sb <= 1:
			vec.Numbers(o, dst, x, y)
		case sa == 0 && sb == 1 && o != vec.AnyMinus:
			vec.Numbers(o, dst, y, x)
		default:
			slow(out, a, b, at, i, j, n, sa, sb)
		}
	}
}

// turned is the span of an operation with one operand.
func turned[T vec.Counted](o vec.Arithmetic) span {
	return func(out, in *tensor.View, lo, hi int) {
		vec.Turn(o, tensor.Elems[T](out)[lo:hi], tensor.Elems[T](in)[lo:hi])
	}
}

// bounded is the span that keeps numbers between bounds, of which high may be below low:
// it wins.
func bounded[T vec.Counted](low, high []T) span {
	return func(out, in *tensor.View, lo, hi int) {
		bound(tensor.Elems[T](out)[lo:hi], tensor.Elems[T](in)[lo:hi], low, high)
	}
}

// boundBlock is how many numbers are bounded from below before they are from above.
const boundBlock = 1024

// bound keeps numbers between bounds that are one number or none, and may be NaN, which
// bounds nothing.
func bound[T vec.Counted](dst, src, low, high []T) {
	for len(src) > 0 {
		n := min(boundBlock, len(src))
		part, from := dst[:n], src[:n]
		if len(low) > 0 && low[0] == low[0] {
			vec.Numbers(vec.AnyLarger, part, from, low)
			from = part
		}
		if len(high) > 0 && high[0] == high[0] {
			vec.Numbers(vec.AnySmaller, part, from, high)
			from = part
		}
		copy(part, from)
		dst, src = dst[n:], src[n:]
	}
}

// turns is a table for the signed whole numbers and float64.
func turns(o vec.Arithmetic) op.Table {
	return op.ByType(map[tensor.DType]span{
		tensor.I8: turned[int8](o), tensor.I16: turned[int16](o), tensor.I32: turned[int32](o), tensor.I64: turned[int64](o), tensor.F64: turned[float64](o),
	})
}

// positive is the span that leaves no number below zero.
func positive[T vec.Counted]() span { return bounded([]T{0}, nil) }

// unit is the span of the signs of whole numbers.
func unit[T integer]() span {
	var zero T
	if zero-1 > zero {
		return bounded(nil, []T{1})
	}
	return bounded([]T{zero - 1}, []T{1})
}

// sign64 makes numbers so great that those that are not zero are beyond 1.
func sign64(out, in *tensor.View, lo, hi int) {
	dst, src := tensor.Elems[float64](out)[lo:hi], tensor.Elems[float64](in)[lo:hi]
	for len(src) > 0 {
		n := min(boundBlock, len(src))
		part := dst[:n]
		vec.Numbers(vec.AnyTimes, part, src[:n], huge)
		vec.Numbers(vec.AnyTimes, part, part, huge)
		bound(part, part, minusOne, plusOne)
		dst, src = dst[n:], src[n:]
	}
}

var huge, minusOne, plusOne = []float64{0x1p1000}, []float64{-1}, []float64{1}
