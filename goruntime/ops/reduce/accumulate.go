package reduce

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// number is every element type that Go computes with.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// format says how the elements of a tensor are read as numbers.
type format uint8

const (
	plain  format = iota // as they are
	half                 // as tensor.Half
	bfloat               // as tensor.BFloat16
)

// load reads len(dst) elements from an offset on.
func load[T, A number](dst []A, v *tensor.View, from int, as format) {
	switch as {
	case half:
		loadHalf(dst, tensor.Elems[tensor.Half](v)[from:from+len(dst)])
	case bfloat:
		loadHalf(dst, tensor.Elems[tensor.BFloat16](v)[from:from+len(dst)])
	default:
		for k, x := range tensor.Elems[T](v)[from : from+len(dst)] {
			dst[k] = A(x)
		}
	}
}

func loadHalf[H cast.Half, A number](dst []A, src []H) {
	var room [block]float32
	for len(dst) > 0 {
		x := room[:min(block, len(dst))]
		cast.Widen(x, src[:len(x)])
		for k, v := range x {
			dst[k] = A(v)
		}
		dst, src = dst[len(x):], src[len(x):]
	}
}

// store writes element i, rounding to a 16-bit type once.
func store[T, A number](v *tensor.View, i int, x A, as format) {
	switch as {
	case half:
		tensor.Elems[tensor.Half](v)[i] = tensor.HalfOf64(float64(x))
	case bfloat:
		tensor.Elems[tensor.BFloat16](v)[i] = tensor.BFloat16Of64(float64(x))
	default:
		tensor.Elems[T](v)[i] = T(x)
	}
}

// method is how a reduction combines elements.
type method uint8

const (
	sums method = iota
	products
	magnitudes // sum of |x|
	squares    // sum of x*x
	largest
	smallest
)

// rule is a reduction with an accumulator of type A: where it starts, how it
// combines, and what follows, given the number of elements, nil for nothing.
type rule[A number] struct {
	method  method
	neutral A
	end     func(acc A, n int) A
}

func same[A number](acc A, _ int) A { return acc }

// alongRow combines acc with the elements of x.
func alongRow[A number](m method, acc A, x []A) A {
	switch m {
	case sums:
		return acc + sumOf(x)
	case products:
		return acc * productOf(x)
	case magnitudes:
		for _, v := range x {
			acc += magnitude(v)
		}
	case squares:
		for k, v := range x {
			x[k] = v * v
		}
		return acc + sumOf(x)
	case largest:
		for _, v := range x {
			acc = max(acc, v)
		}
	case smallest:
		for _, v := range x {
			acc = min(acc, v)
		}
	}
	return acc
}

// sumOf adds in four sums side by side, so that additions do not wait for each
// other.
func sumOf[A number](x []A) A {
	var a, b, c, d A
	for len(x) >= 4 {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		x = x[4:]
	}
	for _, v := range x {
		a += v
	}
	return a + b + (c + d)
}

// productOf multiplies as sumOf adds.
func productOf[A number](x []A) A {
	a, b, c, d := A(1), A(1), A(1), A(1)
	for len(x) >= 4 {
		a *= x[0]
		b *= x[1]
		c *= x[2]
		d *= x[3]
		x = x[4:]
	}
	for _, v := range x {
		a *= v
	}
	return a * b * (c * d)
}

func magnitude[A number](v A) A {
	if v < 0 {
		return -v
	}
	return v
}

// acrossRows combines each accumulator with the element of x beside it.
func acrossRows[A number](m method, acc, x []A) {
	x = x[:len(acc)]
	switch m {
	case sums:
		for k, v := range x {
			acc[k] += v
		}
	case products:
		for k, v := range x {
			acc[k] *= v
		}
	case magnitudes:
		for k, v := range x {
			acc[k] += magnitude(v)
		}
	case squares:
		for k, v := range x {
			acc[k] += v * v
		}
	case largest:
		for k, v := range x {
			acc[k] = max(acc[k], v)
		}
	case smallest:
		for k, v := range x {
			acc[k] = min(acc[k], v)
		}
	}
}

// reduceBy makes the kernel of a rule for elements T, computed in A.
func reduceBy[T, A number](as format, r rule[A]) kernel {
	return func(f *fold, lo, hi int) {
		var accs, room [block]A
		for lo < hi {
			acc := accs[:f.together(lo, hi, block)]
			accumulate[T](f, r.method, r.neutral, acc, room[:], lo, as)
			for k, x := range acc {
				if r.end != nil {
					x = r.end(x, f.count)
				}
				store[T](f.out, lo+k, x, as)
			}
			lo += len(acc)
		}
	}
}

// accumulate folds the elements of the outputs from lo on, one an accumulator,
// read into room.
func accumulate[T, A number](f *fold, m method, neutral A, acc, room []A, lo int, as format) {
	for k := range acc {
		acc[k] = neutral
	}
	first := f.start(lo)
	for s := range f.segments {
		at := first + f.segment(s)
		if f.run == 0 {
			x := room[:len(acc)]
			load[T](x, f.in, at, as)
			acrossRows(m, acc, x)
			continue
		}
		for left := f.run; left > 0; {
			x := room[:min(block, left)]
			load[T](x, f.in, at, as)
			acc[0] = alongRow(m, acc[0], x)
			at += len(x)
			left -= len(x)
		}
	}
}
