package gemm

import "unsafe"

// portable is the definition of a tile: each element summed over k ascending.
// It works on rows of columns, so that the loop over k reads B in order.
func portable[T Number](t *tile) {
	for r := range t.rows {
		// SAFETY: the tile's rows and columns are inside the matrices.
		a := unsafe.Slice((*T)(unsafe.Add(t.a, r*t.lda)), t.k)
		c := unsafe.Slice((*T)(unsafe.Add(t.c, r*t.ldc)), t.cols)
		begin(t, c, r)
		for k, x := range a {
			b := unsafe.Slice((*T)(unsafe.Add(t.b, k*t.ldb)), t.cols)
			if t.far {
				for j := range c {
					d := x - b[j]
					c[j] += d * d
				}
				continue
			}
			for j := range c {
				c[j] += x * b[j]
			}
		}
		if t.relu != 0 {
			for j, x := range c {
				if x < 0 {
					c[j] = 0
				}
			}
		}
	}
}

// begin sets a row of C to what its sums start from.
func begin[T Number](t *tile, c []T, r int) {
	switch Start(t.from) {
	case Zero:
		clear(c)
	case Columns:
		// SAFETY: the bias has as many numbers as the tile has columns.
		copy(c, unsafe.Slice((*T)(t.bias), t.cols))
	case Rows:
		// SAFETY: the bias has as many numbers as the tile has rows.
		b := unsafe.Slice((*T)(t.bias), t.rows)[r]
		for j := range c {
			c[j] = b
		}
	}
}
