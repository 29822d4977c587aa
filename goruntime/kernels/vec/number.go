package vec

import (
	"runtime"
	"unsafe"
)

// Arithmetic is an operation on whole numbers, which wrap around, or on float64s.
type Arithmetic int

// The operations, in the order of the generated tables; the last ones have one operand.
const (
	AnyPlus Arithmetic = iota
	AnyMinus
	AnyTimes
	AnyLarger // NaN where one is
	AnySmaller
	AnyAbsolute
	AnyNegative
	arithmetics
)

// Counted is what Numbers computes with, in the order of the generated tables.
type Counted interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float64
}

const kinds = 9

// kindOf returns the place of a type in the tables.
func kindOf[T Counted]() int {
	var x T
	if T(1)/2 != x {
		return kinds - 1
	}
	kind := 0
	for n := unsafe.Sizeof(x); n > 1; n /= 2 {
		kind += 2
	}
	if x-1 > x {
		kind++
	}
	return kind
}

// Numbers writes a o b to dst, which may be either. A is as long as dst, b is too, or is
// one number that goes with every element.
func Numbers[T Counted](o Arithmetic, dst, a, b []T) {
	v, form, step := chosen(), 0, 1
	if len(b) == 1 {
		form, step = 1, 0
	} else {
		_ = b[:len(dst)]
	}
	a = a[:len(dst)]
	lanes := 4 * v.lanes / int(unsafe.Sizeof(T(0)))
	done := 0
	if kernel := v.numbers[o][kindOf[T]()][form]; kernel != nil && len(dst) >= lanes {
		x := args{dst: unsafe.Pointer(unsafe.SliceData(dst)), a: unsafe.Pointer(unsafe.SliceData(a)), b: unsafe.Pointer(unsafe.SliceData(b)), n: len(dst) / lanes}
		kernel(borrow(&x))
		runtime.KeepAlive(&x)
		done = x.n * lanes
	}
	if done < len(dst) {
		plain(o, dst[done:], a[done:], b[done*step:])
	}
}

// Turn is Numbers for an operation with one operand.
func Turn[T Counted](o Arithmetic, dst, a []T) {
	if len(dst) > 0 {
		Numbers(o, dst, a, a)
	}
}

// plain is the definition.
func plain[T Counted](o Arithmetic, dst, a, b []T) {
	step := min(1, len(b)-1)
	switch o {
	case AnyPlus:
		for i, x := range a {
			dst[i] = x + b[i*step]
		}
	case AnyMinus:
		for i, x := range a {
			dst[i] = x - b[i*step]
		}
	case AnyTimes:
		for i, x := range a {
			dst[i] = x * b[i*step]
		}
	case AnyLarger:
		for i, x := range a {
			dst[i] = max(x, b[i*step])
		}
	case AnySmaller:
		for i, x := range a {
			dst[i] = min(x, b[i*step])
		}
	case AnyAbsolute:
		var zero T
		if zero-1 > zero { // no sign
			copy(dst, a)
			return
		}
		for i, x := range a {
			dst[i] = max(x, -x)
		}
	default:
		for i, x := range a {
			dst[i] = -x
		}
	}
}
