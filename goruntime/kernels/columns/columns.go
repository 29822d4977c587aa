// Package columns turns matrices that lie as columns into rows. It knows elements
// only by their width; every variant moves the same bytes to the same places.
package columns

import "unsafe"

// rowsAtOnce is how many rows are written before the next columns are read: both
// sides stay in the cache.
const rowsAtOnce = 64

// variant is one implementation of the squares of a width: side rows of side
// columns become side rows, which lie stride bytes apart, as often as rows/side says.
type variant struct {
	side int
	turn func(dst unsafe.Pointer, from *unsafe.Pointer, offset, stride, rows int)
}

// Gather writes the rows [lo, hi) of the matrix whose columns start at the addresses
// from to dst, one behind the other. Elements are width bytes wide: 1, 2, 4 or 8.
func Gather(dst unsafe.Pointer, from []unsafe.Pointer, lo, hi, width int) {
	for at := lo; at < hi; at += rowsAtOnce {
		// SAFETY: dst has room for all rows.
		block(unsafe.Add(dst, (at-lo)*len(from)*width), from, at, min(hi, at+rowsAtOnce), width)
	}
}

// block is Gather for rows that stay in the cache. What is no square at the end is
// covered by one that overlaps the last.
func block(dst unsafe.Pointer, from []unsafe.Pointer, lo, hi, width int) {
	v := variantOf(width)
	n, k, stride := hi-lo, len(from), len(from)*width
	if v == nil || n < v.side || k < v.side {
		portable(dst, from, lo, hi, width)
		return
	}
	for c := 0; c < k; c += v.side {
		c = min(c, k-v.side)
		// SAFETY: column c begins in the first row.
		to := unsafe.Add(dst, c*width)
		whole := n / v.side * v.side
		v.turn(to, &from[c], lo*width, stride, whole)
		if whole < n {
			// SAFETY: the last side rows of n lie in dst.
			v.turn(unsafe.Add(to, (n-v.side)*stride), &from[c], (hi-v.side)*width, stride, v.side)
		}
	}
}

// portable is the definition.
func portable(dst unsafe.Pointer, from []unsafe.Pointer, lo, hi, width int) {
	switch width {
	case 1:
		gather[uint8](dst, from, lo, hi)
	case 2:
		gather[uint16](dst, from, lo, hi)
	case 4:
		gather[uint32](dst, from, lo, hi)
	default:
		gather[uint64](dst, from, lo, hi)
	}
}

func gather[T any](dst unsafe.Pointer, from []unsafe.Pointer, lo, hi int) {
	k := len(from)
	// SAFETY: dst has room for the rows; every column has hi elements.
	to := unsafe.Slice((*T)(dst), (hi-lo)*k)
	for c, p := range from {
		at := c
		// SAFETY: as above.
		for _, x := range unsafe.Slice((*T)(p), hi)[lo:] {
			to[at] = x
			at += k
		}
	}
}
