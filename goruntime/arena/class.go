package arena

import "math/bits"

// Size classes: 64 bytes, then eight steps to every doubling, each rounded up
// to 64 bytes, so that a block is at most an eighth larger than was asked for
// (and 64 bytes at the small end).

const (
	minBlock   = 64
	steps      = 8
	numClasses = 42 * steps
)

// classOf returns the smallest class whose blocks hold n bytes.
func classOf(n int) int {
	if n <= minBlock {
		return 0
	}
	if n <= minBlock*steps { // where steps are below 64 bytes, a size has one class: the last that rounds to it
		n = (n + minBlock - 1) &^ (minBlock - 1)
	}
	exp := bits.Len(uint(n-1)) - 1 // 2^exp < n <= 2^(exp+1)
	step := (n - 1) >> (exp - 3) & (steps - 1)
	c := (exp-6)*steps + step + 1
	return c
}

// classSize returns the bytes of a block of class c.
func classSize(c int) int {
	exp, step := 6+c/steps, c%steps
	n := 1<<exp + step<<(exp-3)
	return (n + minBlock - 1) &^ (minBlock - 1)
}
