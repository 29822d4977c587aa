package quant

import (
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// parametersOf returns the parameters of n elements from s on: n of them, or one.
func parametersOf(list []float64, s, n, step int) []float64 {
	if step == 0 {
		return list[s : s+1]
	}
	return list[s : s+n]
}

// fastQuantizers are the loops from f32 in the precision of f32.
var fastQuantizers = [tensor.NumDTypes]func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int){
	tensor.U8: quantizeBytes[uint8](0, 255), tensor.I8: quantizeBytes[int8](-128, 127),
	tensor.U16: quantize[uint16](0, 65535), tensor.I16: quantize[int16](-32768, 32767),
}

// quantizeBytes is quantize with a vector loop where one scale serves all.
func quantizeBytes[T uint8 | int8](low, high float32) func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int) {
	general := quantize[T](low, high)
	return func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int) {
		if step != 0 {
			general(dst, src, at, n, scales, zeros, step)
			return
		}
		igemm.Quantize(tensor.Elems[T](dst)[at:at+n], tensor.Elems[float32](src)[at:at+n], float32(scales[0]), T(zeros[0]))
	}
}

func quantize[T uint8 | int8 | uint16 | int16](low, high float32) func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int) {
	return func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int) {
		out, x := tensor.Elems[T](dst)[at:at+n], tensor.Elems[float32](src)[at:at+n]
		if step == 0 {
			scale, zero := float32(scales[0]), float32(zeros[0])
			for i, f := range x {
				out[i] = T(int32(igemm.Saturate(f/scale, low-zero, high-zero) + zero))
			}
			return
		}
		for i, f := range x {
			zero := float32(zeros[i])
			out[i] = T(int32(igemm.Saturate(f/float32(scales[i]), low-zero, high-zero) + zero))
		}
	}
}

// fastDequantizers are the loops to f32.
var fastDequantizers = [tensor.NumDTypes]func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int){
	tensor.U8: dequantizeBytes[uint8], tensor.I8: dequantizeBytes[int8], tensor.U16: dequantize[uint16], tensor.I16: dequantize[int16], tensor.I32: dequantize[int32],
}

// dequantizeBytes is dequantize with a vector loop where one scale serves all.
func dequantizeBytes[T uint8 | int8](dst, src *tensor.View, at, n int, scales, zeros []float64, step int) {
	if step != 0 {
		dequantize[T](dst, src, at, n, scales, zeros, step)
		return
	}
	igemm.Dequantize(tensor.Elems[float32](dst)[at:at+n], tensor.Elems[T](src)[at:at+n], float32(scales[0]), T(zeros[0]))
}

func dequantize[T integer](dst, src *tensor.View, at, n int, scales, zeros []float64, step int) {
	out, x := tensor.Elems[float32](dst)[at:at+n], tensor.Elems[T](src)[at:at+n]
	if step == 0 {
		zero, scale := int64(zeros[0]), float32(scales[0])
		for i, q := range x {
			out[i] = float32(int64(q)-zero) * scale
		}
		return
	}
	for i, q := range x {
		out[i] = float32(int64(q)-int64(zeros[i])) * float32(scales[i])
	}
}
