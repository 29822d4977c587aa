package tensor

import "unsafe"

// Text is a string element as it lies in memory: address and length. Operators
// that make strings store Text rather than string: the memory of tensors is not
// the collector's, and a store of a string would make it look there.
type Text [2]uint64

// TextOf returns the element for the bytes of b, which must be off-heap and live
// as long as the tensor.
func TextOf(b []byte) Text {
	// SAFETY: the address is only stored; the caller keeps b alive.
	return Text{uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint64(len(b))}
}

// Len returns the number of bytes of the string.
func (t Text) Len() int { return int(t[1]) }

// bytes returns the string's bytes.
func (t Text) bytes() []byte {
	address := t[0]
	// SAFETY: the element holds the address of as many bytes that live as long as its
	// tensor.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), t[1])
}

// CopyTexts writes the elements of from, then their bytes, to dst, which has room
// for both: the copy stands alone.
func CopyTexts(dst []byte, from []Text) {
	rest := dst[len(from)*int(unsafe.Sizeof(Text{})):]
	// SAFETY: dst is as long as the elements and their bytes together.
	to := unsafe.Slice((*Text)(unsafe.Pointer(unsafe.SliceData(dst))), len(from))
	for i, t := range from {
		n := copy(rest, t.bytes())
		to[i] = TextOf(rest[:n])
		rest = rest[n:]
	}
}
