package vec

import (
	"bytes"
	"unsafe"
)

// indexBlock is how many numbers Index looks at before it looks whether one was there.
const indexBlock = 256

// Index returns the index of the first number of s that equals x, or -1.
func Index(s []float32, x float32) int {
	var found [indexBlock]bool
	with := [1]float32{x}
	for from := 0; from < len(s); from += indexBlock {
		part := s[from:min(len(s), from+indexBlock)]
		Relate(Equal, found[:len(part)], part, with[:])
		if i := bytes.IndexByte(truths(found[:len(part)]), 1); i >= 0 {
			return from + i
		}
	}
	return -1
}

// truths returns truth values as bytes.
func truths(s []bool) []byte {
	// SAFETY: a bool is a byte, 0 or 1.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// First writes i to each element of at that is below zero and whose number of s equals the
// one of x beside it.
func First(at []int64, s, x []float32, i int) {
	var found [indexBlock]bool
	for len(at) > 0 {
		n := min(indexBlock, len(at))
		Relate(Equal, found[:n], s[:n], x[:n])
		for k := 0; k < n; {
			next := bytes.IndexByte(truths(found[k:n]), 1)
			if next < 0 {
				break
			}
			k += next
			if at[k] < 0 {
				at[k] = int64(i)
			}
			k++
		}
		at, s, x = at[n:], s[n:], x[n:]
	}
}
