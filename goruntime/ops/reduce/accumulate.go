package reduce

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
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
		src := tensor.Elems[T](v)[from : from+len(dst)]
		if same, ok := any(src).([]A); ok {
			copy(dst, same)
			return
		}
		for k, x := range src {
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

// alongRow combines acc with the elements of x, which it changes. The largest and the
// smallest are those of halves, while these are long.
func alongRow[A vec.Counted](m method, acc A, x []A) A {
	each(m, x)
	for o := combining[m]; len(x) >= 2*fewest && (o == vec.AnyLarger || o == vec.AnySmaller); {
		half := len(x) / 2
		vec.Numbers(o, x[:half], x[:half], x[half:2*half])
		acc = last(m, acc, x[2*half:])
		x = x[:half]
	}
	return last(m, acc, x)
}

// fewest is how many elements are worth a vector loop.
const fewest = 8

// last combines acc with elements one by one.
func last[A vec.Counted](m method, acc A, x []A) A {
	switch combining[m] {
	case vec.AnyTimes:
		return acc * productOf(x)
	case vec.AnyLarger:
		for _, v := range x {
			acc = max(acc, v)
		}
	case vec.AnySmaller:
		for _, v := range x {
			acc = min(acc, v)
		}
	default:
		return acc + sumOf(x)
	}
	return acc
}

// each makes of elements what is added up.
func each[A vec.Counted](m method, x []A) {
	switch m {
	case magnitudes:
		vec.Turn(vec.AnyAbsolute, x, x)
	case squares:
		vec.Numbers(vec.AnyTimes, x, x, x)
	}
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

// acrossRows combines each accumulator with the element of x beside it, and changes x.
func acrossRows[A vec.Counted](m method, acc, x []A) {
	each(m, x)
	vec.Numbers(combining[m], acc, acc, x)
}

// combining is what each method combines accumulators by.
var combining = [...]vec.Arithmetic{
	sums: vec.AnyPlus, products: vec.AnyTimes, magnitudes: vec.AnyPlus, squares: vec.AnyPlus, largest: vec.AnyLarger, smallest: vec.AnySmaller,
}

// reduceBy makes the kernel of a rule for elements T, computed in A.
func reduceBy[T number, A vec.Counted](as format, r rule[A]) kernel {
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
func accumulate[T number, A vec.Counted](f *fold, m method, neutral A, acc, room []A, lo int, as format) {
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
