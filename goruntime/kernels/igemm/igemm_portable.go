package igemm

import "unsafe"

// portable is the definition of a tile.
func portable(t *tile) {
	for r := range t.rows {
		// SAFETY: the tile's rows and columns are inside the matrices.
		a := unsafe.Slice((*byte)(unsafe.Add(t.a, r*t.lda)), t.k*Depth)
		c := unsafe.Slice((*int32)(unsafe.Add(t.c, r*t.ldc)), t.cols)
		clear(c)
		if t.init != nil {
			// SAFETY: as many numbers as the tile has columns.
			copy(c, unsafe.Slice((*int32)(t.init), t.cols))
		}
		for k := range t.k {
			x := a[k*Depth : (k+1)*Depth]
			x0, x1, x2, x3 := int32(x[0]), int32(x[1]), int32(x[2]), int32(x[3])
			// SAFETY: a block of the panel holds Depth numbers of each column.
			b := unsafe.Slice((*int8)(unsafe.Add(t.b, k*Panel*Depth)), t.cols*Depth)
			for j := range c {
				y := b[j*Depth : (j+1)*Depth]
				c[j] += x0*int32(y[0]) + x1*int32(y[1]) + x2*int32(y[2]) + x3*int32(y[3])
			}
		}
	}
}
