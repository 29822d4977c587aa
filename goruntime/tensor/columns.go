package tensor

import "unsafe"

// Column returns column k of a matrix [N, K] that lies as columns. T must have the
// size of v's element type.
func Column[T any](v *View, k int) []T {
	// SAFETY: each column of such a View covers its N elements by contract.
	return unsafe.Slice((*T)(v.Columns[k]), v.Shape[0])
}

// Rows returns the rows [lo, hi) of a dense matrix [N, K].
func Rows[T any](v *View, lo, hi int) []T { return Elems[T](v)[lo*v.Shape[1] : hi*v.Shape[1]] }
