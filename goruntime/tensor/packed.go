package tensor

// Element types narrower than a byte are packed as one stream of bits, the first
// element in the low bits of the first byte (onnx.proto, TensorProto.raw_data): of six
// bits, four elements lie in three bytes.

// Unpack spreads the packed elements of src, of fewer than 8 bits, over the bytes of
// dst.
func Unpack(dst, src []byte, bits int) {
	mask := uint(1)<<bits - 1
	var stream uint
	have, at := 0, 0
	for k := range dst {
		if have < bits {
			stream |= uint(src[at]) << have
			at++
			have += 8
		}
		dst[k] = byte(stream & mask)
		stream >>= bits
		have -= bits
	}
}

// Pack is the inverse of Unpack: it takes the low bits of each byte of src. The bits of
// dst beyond the last element are 0.
func Pack(dst, src []byte, bits int) {
	mask := uint(1)<<bits - 1
	var stream uint
	have, at := 0, 0
	for _, x := range src {
		stream |= uint(x) & mask << have
		if have += bits; have >= 8 {
			dst[at] = byte(stream)
			at++
			stream >>= 8
			have -= 8
		}
	}
	if have > 0 {
		dst[at] = byte(stream)
	}
}

// Code returns the bits of element i of packed elements, or of elements of a byte.
func Code(packed []byte, i, bits int) byte {
	at, shift := i*bits/8, i*bits%8
	x := uint(packed[at])
	if shift+bits > 8 {
		x |= uint(packed[at+1]) << 8
	}
	return byte(x >> shift & (1<<bits - 1))
}

// SetCode sets the bits of element i of packed elements to the low bits of code.
func SetCode(packed []byte, i, bits int, code byte) {
	at, shift := i*bits/8, i*bits%8
	mask, x := uint(1<<bits-1)<<shift, uint(code)<<shift
	packed[at] = byte(uint(packed[at])&^mask | x&mask)
	if shift+bits > 8 {
		packed[at+1] = byte(uint(packed[at+1])&^(mask>>8) | x&mask>>8)
	}
}
