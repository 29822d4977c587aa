package igemm

// Span returns the least and the greatest number of x and 0; a NaN is none.
func Span(x []float32) (low, high float32) {
	for _, f := range x {
		if f < low {
			low = f
		} else if f > high {
			high = f
		}
	}
	return low, high
}

// Parameters returns the scale and the zero point that quantize a range that
// holds 0 to uint8, as ONNX's DynamicQuantizeLinear has them; the scale for a
// range without extent is 1.
func Parameters(low, high float32) (scale float32, zero uint8) {
	scale = (high - low) / 255
	if scale == 0 {
		return 1, 0
	}
	return scale, uint8(int32(Saturate(-low/scale, 0, 255)))
}

// Quantize writes x / scale, rounded half to even, plus zero to dst.
func Quantize(dst []uint8, x []float32, scale float32, zero uint8) {
	z := float32(zero)
	for i, f := range x {
		dst[i] = uint8(int32(Saturate(f/scale, -z, 255-z) + z))
	}
}
