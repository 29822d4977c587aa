package nn

import (
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

// loaders read a tensor of each floating-point type into float64s.
var loaders = [tensor.NumDTypes]func(dst []float64, v *tensor.View){
	tensor.F32: load(single), tensor.F64: load(double), tensor.F16: load(half), tensor.BF16: load(brain),
	tensor.F8E4M3FN: load(small(tensor.E4M3FN)), tensor.F8E4M3UZ: load(small(tensor.E4M3UZ)),
	tensor.F8E5M2: load(small(tensor.E5M2)), tensor.F8E5M2UZ: load(small(tensor.E5M2UZ)),
}

func load[T any](n number[T]) func(dst []float64, v *tensor.View) {
	return func(dst []float64, v *tensor.View) {
		for i, x := range tensor.Elems[T](v) {
			dst[i] = n.widen(x)
		}
	}
}

// storers write float64s to a tensor of each floating-point type.
var storers = [tensor.NumDTypes]func(v *tensor.View, src []float64){
	tensor.F32: store(single), tensor.F64: store(double), tensor.F16: store(half), tensor.BF16: store(brain),
}

func store[T any](n number[T]) func(v *tensor.View, src []float64) {
	return func(v *tensor.View, src []float64) {
		for i := range tensor.Elems[T](v) {
			tensor.Elems[T](v)[i] = n.narrow(src[i])
		}
	}
}
