package goruntime

import "github.com/goruntime/goruntime/goruntime/tensor"

// Element is the Go types that stand for element types of tensors. Those without one,
// float8 and what is below a byte, are made with tensor.ViewOf and read with tensor.Elems.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool | string | complex64 | complex128 |
		tensor.Half | tensor.BFloat16
}

// dtypeOf returns the element type that T stands for.
func dtypeOf[T Element]() tensor.DType {
	return dtypes[any(*new(T))]
}

// dtypes is keyed by the zero value of each type.
var dtypes = map[any]tensor.DType{
	float32(0): tensor.F32, float64(0): tensor.F64, int8(0): tensor.I8, int16(0): tensor.I16, int32(0): tensor.I32,
	int64(0): tensor.I64, uint8(0): tensor.U8, uint16(0): tensor.U16, uint32(0): tensor.U32, uint64(0): tensor.U64,
	false: tensor.Bool, "": tensor.Str, complex64(0): tensor.C64, complex128(0): tensor.C128, tensor.Half(0): tensor.F16, tensor.BFloat16(0): tensor.BF16,
}
