package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// number is every element type that Go computes with.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// integer is the whole numbers among them.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// rowOf makes a row kernel of a function of two elements.
func rowOf[A, B, Out any](f func(a A, b B) Out) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		dst := tensor.Elems[Out](out)[o : o+n]
		x, y := tensor.Elems[A](a), tensor.Elems[B](b)
		for k := range dst {
			dst[k] = f(x[i], y[j])
			i += sa
			j += sb
		}
	}
}

// halfRow makes a row kernel of a function of two float32s.
func halfRow[H cast.Half](f func(a, b float32) float32, narrow func(float32) H) row {
	return rowOf(func(a, b H) H { return narrow(f(a.Float32(), b.Float32())) })
}

// rows is a table for all numbers: those that Go computes with by kernels of their own,
// the 16-bit floats through float32.
func rows(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 row, wide vec.Operation) op.Table {
	return op.ByType(map[tensor.DType]row{
		tensor.I8: i8, tensor.I16: i16, tensor.I32: i32, tensor.I64: i64,
		tensor.U8: u8, tensor.U16: u16, tensor.U32: u32, tensor.U64: u64,
		tensor.F32: f32, tensor.F64: f64,
		tensor.F16: rowHalf[tensor.Half](wide), tensor.BF16: rowHalf[tensor.BFloat16](wide),
	})
}
