package igemm

import "math"

// Saturate cuts f to a range of whole numbers of at most 16 bits, then rounds it
// half to even; NaN becomes the lower end.
func Saturate(f, low, high float32) float32 {
	if !(f > low) {
		f = low
	}
	if f > high {
		f = high
	}
	// Added and taken off again, this leaves no bits for a fraction.
	const magic = 1.5 * (1 << 23)
	return math.Float32frombits(math.Float32bits(f+magic)) - magic
}

// Range is what a type of a byte can hold.
type Range struct{ Low, High float32 }

// The ranges of bytes.
var (
	Unsigned = Range{0, 255}
	Signed   = Range{-128, 127}
)

// Requantize writes sums[i*step] * scale, rounded half to even, plus zero to
// dst, within the range r of its type.
func Requantize[T uint8 | int8](dst []T, sums []int32, step int, scale, zero float32, r Range) {
	low, high := r.Low-zero, r.High-zero
	at := 0
	for i := range dst {
		dst[i] = T(int32(Saturate(float32(sums[at])*scale, low, high) + zero))
		at += step
	}
}
