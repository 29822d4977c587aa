//go:build !portable && !race

package columns

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// turn8x4 turns squares of eight by eight elements of 4 bytes.
//
//go:noescape
func turn8x4(dst unsafe.Pointer, from *unsafe.Pointer, offset, stride, rows int)

// turn4x8 turns squares of four by four elements of 8 bytes.
//
//go:noescape
func turn4x8(dst unsafe.Pointer, from *unsafe.Pointer, offset, stride, rows int)

// zip8x4 turns two columns of blocks of eight elements of 4 bytes.
//
//go:noescape
func zip8x4(dst, a, b unsafe.Pointer, blocks int)

// zip turns the first of n elements of 4 bytes of two columns and returns how many.
func zip(dst, a, b unsafe.Pointer, n int) int {
	if cpu.Best() < cpu.AVX2 || n < 8 {
		return 0
	}
	zip8x4(dst, a, b, n/8)
	return n / 8 * 8
}

var words, longs = variant{8, turn8x4}, variant{4, turn4x8}

// variantOf returns what serves elements of a width, nil for the portable loop.
func variantOf(width int) *variant {
	switch {
	case cpu.Best() < cpu.AVX2:
		return nil
	case width == 4:
		return &words
	case width == 8:
		return &longs
	}
	return nil
}
