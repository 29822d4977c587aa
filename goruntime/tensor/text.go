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
