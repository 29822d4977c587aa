package quant

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// reader returns element i of v, exactly.
type reader func(v *tensor.View, i int) float64

type integer interface {
	int8 | int16 | int32 | uint8 | uint16
}

func readInt[T integer](v *tensor.View, i int) float64 { return float64(tensor.Elems[T](v)[i]) }

func readHalf[T interface{ Float32() float32 }](v *tensor.View, i int) float64 {
	return float64(tensor.Elems[T](v)[i].Float32())
}

// readCode reads a type of at most 8 bits, one code a byte (see op.Unpacked).
func readCode(value func(code uint8) float64) reader {
	return func(v *tensor.View, i int) float64 { return value(tensor.Elems[uint8](v)[i]) }
}

func readSmall(f *tensor.Small) reader {
	return readCode(func(code uint8) float64 { return float64(f.Table()[code]) })
}

// signed is the value of a code of so many bits in two's complement.
func signed(bits int) func(uint8) float64 {
	return func(code uint8) float64 { return float64(int8(code<<(8-bits)) >> (8 - bits)) }
}

func unsigned(code uint8) float64 { return float64(code) }

// readers are those of the types that are quantized from and to, and of scales.
var readers = [tensor.NumDTypes]reader{
	tensor.F32: func(v *tensor.View, i int) float64 { return float64(tensor.Elems[float32](v)[i]) },
	tensor.F16: readHalf[tensor.Half], tensor.BF16: readHalf[tensor.BFloat16],
	tensor.I8: readInt[int8], tensor.I16: readInt[int16], tensor.I32: readInt[int32], tensor.U8: readInt[uint8], tensor.U16: readInt[uint16],
	tensor.I4: readCode(signed(4)), tensor.I2: readCode(signed(2)), tensor.U4: readCode(unsigned), tensor.U2: readCode(unsigned),
	tensor.F8E4M3FN: readSmall(tensor.E4M3FN), tensor.F8E4M3UZ: readSmall(tensor.E4M3UZ),
	tensor.F8E5M2: readSmall(tensor.E5M2), tensor.F8E5M2UZ: readSmall(tensor.E5M2UZ),
	tensor.F4E2M1: readSmall(tensor.E2M1), tensor.F6E2M3: readSmall(tensor.E2M3), tensor.F6E3M2: readSmall(tensor.E3M2), tensor.F8E8M0: readSmall(tensor.E8M0),
}

// quotient divides in the precision of a type.
type quotient func(x, s float64) float64

func single(f float64) float32 { return float32(f) }

var quotients = [tensor.NumDTypes]quotient{
	tensor.F32: func(x, s float64) float64 { return float64(single(x) / single(s)) },
	tensor.F16: func(x, s float64) float64 {
		return float64(tensor.HalfOf(tensor.HalfOf64(x).Float32() / tensor.HalfOf64(s).Float32()).Float32())
	},
	tensor.BF16: func(x, s float64) float64 {
		return float64(tensor.BFloat16Of(tensor.BFloat16Of64(x).Float32() / tensor.BFloat16Of64(s).Float32()).Float32())
	},
	tensor.F64: func(x, s float64) float64 { return x / s },
	tensor.I32: func(x, s float64) float64 { return x / s },
}

// writer stores the quantized form of q = x / scale as element i.
type writer func(v *tensor.View, i int, q, zero float64, saturate bool)

// clamp rounds q half to even, adds the zero point and stays within the range;
// NaN becomes the least number.
func clamp(q, zero, low, high float64) float64 {
	if q = math.RoundToEven(q) + zero; q >= high {
		return high
	} else if q > low {
		return q
	}
	return low
}

func writeInt[T integer](low, high float64) writer {
	return func(v *tensor.View, i int, q, zero float64, _ bool) {
		tensor.Elems[T](v)[i] = T(int32(clamp(q, zero, low, high)))
	}
}

// writeCode stores a whole number of fewer than 8 bits as one code a byte.
func writeCode(low, high float64) writer {
	mask := uint8(high - low)
	return func(v *tensor.View, i int, q, zero float64, _ bool) {
		tensor.Elems[uint8](v)[i] = uint8(int32(clamp(q, zero, low, high))) & mask
	}
}

func writeSmall(f *tensor.Small) writer {
	return func(v *tensor.View, i int, q, zero float64, saturate bool) {
		if zero != 0 {
			q += zero
		}
		tensor.Elems[uint8](v)[i] = f.Round(q, saturate)
	}
}

// writers are those of the types that are quantized to.
var writers = [tensor.NumDTypes]writer{
	tensor.I8: writeInt[int8](-128, 127), tensor.I16: writeInt[int16](-32768, 32767),
	tensor.U8: writeInt[uint8](0, 255), tensor.U16: writeInt[uint16](0, 65535),
	tensor.I4: writeCode(-8, 7), tensor.U4: writeCode(0, 15), tensor.I2: writeCode(-2, 1), tensor.U2: writeCode(0, 3),
	tensor.F8E4M3FN: writeSmall(tensor.E4M3FN), tensor.F8E4M3UZ: writeSmall(tensor.E4M3UZ),
	tensor.F8E5M2: writeSmall(tensor.E5M2), tensor.F8E5M2UZ: writeSmall(tensor.E5M2UZ), tensor.F4E2M1: writeSmall(tensor.E2M1),
	tensor.F6E2M3: writeSmall(tensor.E2M3), tensor.F6E3M2: writeSmall(tensor.E3M2),
}

// quantizedTypes are the types that have a writer.
var quantizedTypes = typesOf(func(d tensor.DType) bool { return writers[d] != nil })

func typesOf(in func(tensor.DType) bool) []tensor.DType {
	var list []tensor.DType
	for d := tensor.F32; d < tensor.NumDTypes; d++ {
		if in(d) {
			list = append(list, d)
		}
	}
	return list
}
