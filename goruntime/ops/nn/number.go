package nn

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// number converts an element type to and from float64, in which the kernels of
// all types but f32 work.
type number[T any] struct {
	widen  func(T) float64
	narrow func(float64) T
}

var (
	single = number[float32]{func(f float32) float64 { return float64(f) }, func(f float64) float32 { return float32(f) }}
	double = number[float64]{func(f float64) float64 { return f }, func(f float64) float64 { return f }}
	half   = number[tensor.Half]{func(h tensor.Half) float64 { return float64(h.Float32()) }, tensor.HalfOf64}
	brain  = number[tensor.BFloat16]{func(h tensor.BFloat16) float64 { return float64(h.Float32()) }, tensor.BFloat16Of64}
)

// truth is the number of bool: what is not 0 is true.
var truth = number[bool]{func(b bool) float64 {
	if b {
		return 1
	}
	return 0
}, func(f float64) bool { return f != 0 }}

// integer is the number of an integer type: fractions are cut off, and what is
// beyond the type's range becomes its nearest end.
func integer[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64]() number[T] {
	low, high := T(0), ^T(0)
	if high < 0 {
		size := 8 * unsafe.Sizeof(low)
		low = T(1) << (size - 1)
		high = ^low
	}
	return number[T]{func(x T) float64 { return float64(x) }, func(f float64) T {
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

// small is the number of a float8 format; it saturates.
func small(f *tensor.Small) number[uint8] {
	return number[uint8]{func(c uint8) float64 { return float64(f.Value(c)) }, func(x float64) uint8 { return f.Round(x, true) }}
}

// floats is the table of an operator on the four floating-point types.
func floats[F any](f32, f64, f16, bf16 F) op.Table {
	return op.ByType(map[tensor.DType]F{tensor.F32: f32, tensor.F64: f64, tensor.F16: f16, tensor.BF16: bf16})
}

// floatTypes are the element types of floats.
var floatTypes = []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16}

// parts returns how many real numbers an element consists of.
func parts(d tensor.DType) int {
	if d == tensor.C64 || d == tensor.C128 {
		return 2
	}
	return 1
}

// loaders read a tensor of each type of number into float64s, parts of them for
// each element.
var loaders = [tensor.NumDTypes]func(dst []float64, v *tensor.View){
	tensor.F32: load(single), tensor.F64: load(double), tensor.F16: load(half), tensor.BF16: load(brain),
	tensor.F8E4M3FN: load(small(tensor.E4M3FN)), tensor.F8E4M3UZ: load(small(tensor.E4M3UZ)),
	tensor.F8E5M2: load(small(tensor.E5M2)), tensor.F8E5M2UZ: load(small(tensor.E5M2UZ)),
	tensor.I8: load(integer[int8]()), tensor.I16: load(integer[int16]()), tensor.I32: load(integer[int32]()), tensor.I64: load(integer[int64]()),
	tensor.U8: load(integer[uint8]()), tensor.U16: load(integer[uint16]()), tensor.U32: load(integer[uint32]()), tensor.U64: load(integer[uint64]()),
	tensor.Bool: load(truth),
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

func load[T any](n number[T]) func(dst []float64, v *tensor.View) {
	return func(dst []float64, v *tensor.View) {
		for i, x := range tensor.Elems[T](v) {
			dst[i] = n.widen(x)
		}
	}
}

// storers write float64s to a tensor of each type of number.
var storers = [tensor.NumDTypes]func(v *tensor.View, src []float64){
	tensor.F32: store(single), tensor.F64: store(double), tensor.F16: store(half), tensor.BF16: store(brain),
	tensor.I8: store(integer[int8]()), tensor.I16: store(integer[int16]()), tensor.I32: store(integer[int32]()), tensor.I64: store(integer[int64]()),
	tensor.U8: store(integer[uint8]()), tensor.U16: store(integer[uint16]()), tensor.U32: store(integer[uint32]()), tensor.U64: store(integer[uint64]()),
	tensor.Bool: store(truth),
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

func store[T any](n number[T]) func(v *tensor.View, src []float64) {
	return func(v *tensor.View, src []float64) {
		out := tensor.Elems[T](v)
		for i := range out {
			out[i] = n.narrow(src[i])
		}
	}
}
