package index

import "math"

// What follows gives an element a key: keys as unsigned numbers are in the order of the
// elements, those that are equal have the same, and NaN the greatest.

func orderSigned[T int8 | int16 | int32 | int64](x T) uint64 { return uint64(int64(x)) ^ 1<<63 }

func orderUnsigned[T uint8 | uint16 | uint32 | uint64](x T) uint64 { return uint64(x) }

// orderFloat64 makes -0 and 0 equal, and all NaNs.
func orderFloat64(x float64) uint64 {
	b := math.Float64bits(x)
	switch {
	case x != x:
		return math.MaxUint64
	case x < 0:
		return ^b
	default:
		return b | 1<<63
	}
}

func orderFloat32(x float32) uint64 {
	b := uint64(math.Float32bits(x))
	switch {
	case x != x:
		return math.MaxUint64
	case x < 0:
		return ^b & math.MaxUint32
	default:
		return b | 1<<31
	}
}

func orderHalf[H interface{ Float32() float32 }](x H) uint64 { return orderFloat32(x.Float32()) }
