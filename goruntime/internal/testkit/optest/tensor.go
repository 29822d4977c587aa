package optest

import (
	"fmt"
	"math"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Dims is a shape: Dims(2, 3); Dims() is that of a scalar.
func Dims(d ...int) tensor.Shape { return tensor.Shape(d) }

// F32 is a tensor of f32. Like all of its kind it panics where the number of
// values does not fit the shape.
func F32(shape tensor.Shape, values ...float32) *tensor.View { return Make(tensor.F32, shape, values) }

// F64 is a tensor of f64.
func F64(shape tensor.Shape, values ...float64) *tensor.View { return Make(tensor.F64, shape, values) }

// I64 is a tensor of i64.
func I64(shape tensor.Shape, values ...int64) *tensor.View { return Make(tensor.I64, shape, values) }

// I32 is a tensor of i32.
func I32(shape tensor.Shape, values ...int32) *tensor.View { return Make(tensor.I32, shape, values) }

// U8 is a tensor of u8.
func U8(shape tensor.Shape, values ...uint8) *tensor.View { return Make(tensor.U8, shape, values) }

// Bool is a tensor of bool.
func Bool(shape tensor.Shape, values ...bool) *tensor.View {
	return Make(tensor.Bool, shape, values)
}

// Str is a tensor of strings.
func Str(shape tensor.Shape, values ...string) *tensor.View {
	return Make(tensor.Str, shape, values)
}

// Ints is an i64 vector: axes, pads, shapes.
func Ints(values ...int64) *tensor.View { return I64(Dims(len(values)), values...) }

// Make is a tensor of any dtype over elements of its size, packed for the types
// below a byte.
func Make[T any](dtype tensor.DType, shape tensor.Shape, elems []T) *tensor.View {
	v, err := tensor.ViewOf(dtype, shape, elems)
	if err != nil {
		//lint:allow panic a test is written wrong
		panic(fmt.Sprintf("optest.Make: %v", err))
	}
	return &v
}

// Like stands in Want for an output of which only dtype and shape are fixed.
func Like(dtype tensor.DType, shape ...int) *tensor.View {
	return &tensor.View{DType: dtype, Shape: shape}
}

// Filled is a tensor of any dtype with the given numbers, rounded to it:
// integers wrap, bool is x != 0, a string is the number in text, a complex
// number is x-xi. One test so covers every row of a table.
func Filled(dtype tensor.DType, shape tensor.Shape, values ...float64) *tensor.View {
	f := fillers[dtype]
	if f == nil {
		//lint:allow panic a test is written wrong
		panic("optest.Filled: no such dtype")
	}
	return f(dtype, shape, values)
}

type filler func(tensor.DType, tensor.Shape, []float64) *tensor.View

var fillers = [tensor.NumDTypes]filler{
	tensor.F32: filled(func(x float64) float32 { return float32(x) }),
	tensor.F64: filled(func(x float64) float64 { return x }),
	tensor.F16: filled(tensor.HalfOf64), tensor.BF16: filled(tensor.BFloat16Of64),
	tensor.I8: filled(wrap[int8]), tensor.I16: filled(wrap[int16]), tensor.I32: filled(wrap[int32]), tensor.I64: filled(wrap[int64]),
	tensor.U8: filled(wrap[uint8]), tensor.U16: filled(wrap[uint16]), tensor.U32: filled(wrap[uint32]), tensor.U64: filled(wrap[uint64]),
	tensor.Bool:     filled(func(x float64) bool { return x != 0 }),
	tensor.Str:      filled(func(x float64) string { return fmt.Sprint(x) }),
	tensor.C64:      filled(func(x float64) complex64 { return complex64(complex(x, -x)) }),
	tensor.C128:     filled(func(x float64) complex128 { return complex(x, -x) }),
	tensor.F8E4M3FN: small(tensor.E4M3FN), tensor.F8E4M3UZ: small(tensor.E4M3UZ),
	tensor.F8E5M2: small(tensor.E5M2), tensor.F8E5M2UZ: small(tensor.E5M2UZ),
	tensor.F8E8M0: filled(wrap[uint8]), // the codes: most numbers are none of its values
	tensor.F4E2M1: packed(func(x float64) byte { return tensor.E2M1.Round(x, true) }),
	tensor.F6E2M3: packed(func(x float64) byte { return tensor.E2M3.Round(x, true) }), tensor.F6E3M2: packed(func(x float64) byte { return tensor.E3M2.Round(x, true) }),
	tensor.U4: packed(wrap[byte]), tensor.I4: packed(wrap[byte]), tensor.U2: packed(wrap[byte]), tensor.I2: packed(wrap[byte]),
}

func wrap[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](x float64) T {
	return T(int64(math.Trunc(x)))
}

func filled[T any](f func(float64) T) filler {
	return func(d tensor.DType, s tensor.Shape, values []float64) *tensor.View {
		elems := make([]T, len(values))
		for i, x := range values {
			elems[i] = f(x)
		}
		return Make(d, s, elems)
	}
}

func small(format *tensor.Small) filler {
	return filled(func(x float64) uint8 { return format.Round(x, true) })
}

func packed(f func(float64) byte) filler {
	return func(d tensor.DType, s tensor.Shape, values []float64) *tensor.View {
		codes := make([]byte, len(values))
		for i, x := range values {
			codes[i] = f(x)
		}
		elems := make([]byte, d.Bytes(len(values)))
		tensor.Pack(elems, codes, d.Bits())
		return Make(d, s, elems)
	}
}

// Counting is the numbers 0, 1, 2, ... n-1.
func Counting(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i)
	}
	return list
}
