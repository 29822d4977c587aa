// Package wide reads and writes tensors of any type of number as float64s. It is
// for the kernels of element types that are rare, and for operators that compute
// in float64 whatever the type. It allocates nothing.
package wide

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Number converts an element type to and from float64.
type Number[T any] struct {
	Widen  func(T) float64
	Narrow func(float64) T
}

// The numbers of the floating-point types.
var (
	Single = Number[float32]{func(f float32) float64 { return float64(f) }, func(f float64) float32 { return float32(f) }}
	Double = Number[float64]{func(f float64) float64 { return f }, func(f float64) float64 { return f }}
	Half   = Number[tensor.Half]{func(h tensor.Half) float64 { return float64(h.Float32()) }, tensor.HalfOf64}
	Brain  = Number[tensor.BFloat16]{func(h tensor.BFloat16) float64 { return float64(h.Float32()) }, tensor.BFloat16Of64}
)

// Truth is the number of bool: what is not 0 is true.
var Truth = Number[bool]{func(b bool) float64 {
	if b {
		return 1
	}
	return 0
}, func(f float64) bool { return f != 0 }}

// Integer is the number of an integer type: fractions are cut off, and what is
// beyond the type's range becomes its nearest end.
func Integer[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64]() Number[T] {
	low, high := T(0), ^T(0)
	if high < 0 {
		size := 8 * unsafe.Sizeof(low)
		low = T(1) << (size - 1)
		high = ^low
	}
	return Number[T]{func(x T) float64 { return float64(x) }, func(f float64) T {
		switch {
		case f != f:
			return 0
		case f <= float64(low):
			return low
		case f >= float64(high):
			return high
		}
		return T(f)
	}}
}

// Small is the number of a float8 format; it saturates.
func Small(f *tensor.Small) Number[uint8] {
	return Number[uint8]{func(c uint8) float64 { return float64(f.Value(c)) }, func(x float64) uint8 { return f.Round(x, true) }}
}

// Parts returns how many real numbers an element consists of.
func Parts(d tensor.DType) int {
	if d == tensor.C64 || d == tensor.C128 {
		return 2
	}
	return 1
}

// Load reads a tensor of each type of number into float64s, Parts of them for
// each element; nil for other types.
var Load = [tensor.NumDTypes]func(dst []float64, v *tensor.View){
	tensor.F32: load(Single), tensor.F64: load(Double), tensor.F16: load(Half), tensor.BF16: load(Brain),
	tensor.F8E4M3FN: load(Small(tensor.E4M3FN)), tensor.F8E4M3UZ: load(Small(tensor.E4M3UZ)),
	tensor.F8E5M2: load(Small(tensor.E5M2)), tensor.F8E5M2UZ: load(Small(tensor.E5M2UZ)),
	tensor.I8: load(Integer[int8]()), tensor.I16: load(Integer[int16]()), tensor.I32: load(Integer[int32]()), tensor.I64: load(Integer[int64]()),
	tensor.U8: load(Integer[uint8]()), tensor.U16: load(Integer[uint16]()), tensor.U32: load(Integer[uint32]()), tensor.U64: load(Integer[uint64]()),
	tensor.Bool: load(Truth),
	tensor.C64: func(dst []float64, v *tensor.View) {
		for i, x := range tensor.Elems[complex64](v) {
			dst[2*i], dst[2*i+1] = float64(real(x)), float64(imag(x))
		}
	},
	tensor.C128: func(dst []float64, v *tensor.View) {
		for i, x := range tensor.Elems[complex128](v) {
			dst[2*i], dst[2*i+1] = real(x), imag(x)
		}
	},
}

func load[T any](n Number[T]) func(dst []float64, v *tensor.View) {
	return func(dst []float64, v *tensor.View) {
		for i, x := range tensor.Elems[T](v) {
			dst[i] = n.Widen(x)
		}
	}
}

// Store writes float64s to a tensor of each type of number; nil for other types.
var Store = [tensor.NumDTypes]func(v *tensor.View, src []float64){
	tensor.F32: store(Single), tensor.F64: store(Double), tensor.F16: store(Half), tensor.BF16: store(Brain),
	tensor.I8: store(Integer[int8]()), tensor.I16: store(Integer[int16]()), tensor.I32: store(Integer[int32]()), tensor.I64: store(Integer[int64]()),
	tensor.U8: store(Integer[uint8]()), tensor.U16: store(Integer[uint16]()), tensor.U32: store(Integer[uint32]()), tensor.U64: store(Integer[uint64]()),
	tensor.Bool: store(Truth),
	tensor.C64: func(v *tensor.View, src []float64) {
		for i := range tensor.Elems[complex64](v) {
			tensor.Elems[complex64](v)[i] = complex64(complex(src[2*i], src[2*i+1]))
		}
	},
	tensor.C128: func(v *tensor.View, src []float64) {
		for i := range tensor.Elems[complex128](v) {
			tensor.Elems[complex128](v)[i] = complex(src[2*i], src[2*i+1])
		}
	},
}

func store[T any](n Number[T]) func(v *tensor.View, src []float64) {
	return func(v *tensor.View, src []float64) {
		out := tensor.Elems[T](v)
		for i := range out {
			out[i] = n.Narrow(src[i])
		}
	}
}
