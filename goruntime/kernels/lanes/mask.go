// Package lanes has the masks by which assembly reads and writes the first lanes of a
// vector alone.
package lanes

import "unsafe"

// masks holds, for n lanes of a vector of 16 bits or 8 words, the first n set.
var masks = func() (m struct {
	bits  [17]uint64
	words [9][8]int32
},
) {
	for n := range m.bits {
		m.bits[n] = 1<<n - 1
	}
	for n := range m.words {
		for i := range n {
			m.words[n][i] = -1
		}
	}
	return m
}()

// Mask returns the address of the mask of the first n of 16 or 8 lanes of 32 bits.
//
// Ownership: the table's, which is as long as the process and never written.
func Mask(lanes, n int) unsafe.Pointer {
	if lanes == 16 {
		return unsafe.Pointer(&masks.bits[n]) // SAFETY: of a variable of the package
	}
	return unsafe.Pointer(&masks.words[n]) // SAFETY: as above
}
