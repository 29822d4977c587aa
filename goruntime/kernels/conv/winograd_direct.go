package conv

import "unsafe"

// notFinite reports whether x is an infinity or NaN.
func notFinite(x float32) bool { return x-x != 0 }

// remake sums the pixels of tiles anew that have an infinity or NaN: the transforms
// spread it over all that a tile has, and go beyond the greatest number where plain sums
// do not. What is finite took part in none. Pixels are those of n filters from m on of a block,
// which are rectified afterwards.
func (p *Plan) remake(image int, b rectangle, m, n int, pixels unsafe.Pointer) {
	w := p.wino
	// SAFETY: the pixels of a block lie in rows of vectors.
	list := unsafe.Slice((*float32)(pixels), 16*b.rows*b.columns*w.lanes)
	for tile := range b.rows * b.columns {
		row, column := tile/b.columns, tile%b.columns
		place := func(i int) int { return ((4*row+i/4)*4*b.columns + 4*column + i%4) * w.lanes }
		for f := range n {
			bad := false
			for i := range 16 {
				bad = bad || notFinite(list[place(i)+f])
			}
			for i := 0; bad && i < 16; i++ {
				if at := [2]int{4*(b.y+row) + i/4, 4*(b.x+column) + i%4}; at[0] < p.s.Out[0] && at[1] < p.s.Out[1] {
					list[place(i)+f] = p.pixel(image, m+f, at)
				}
			}
		}
	}
	for i, x := range list {
		if p.a.Relu && x < 0 {
			list[i] = 0
		}
	}
}

// pixel sums one pixel over what its window sees of the image.
func (p *Plan) pixel(image, m int, at [2]int) float32 {
	// SAFETY: the image, the filter and the bias have these sizes.
	x := unsafe.Slice((*float32)(p.x(image, 0)), p.s.C*p.plane)
	f, sum := unsafe.Slice((*float32)(unsafe.Add(p.a.W, 4*m*p.k)), p.k), float32(0)
	if p.a.Bias != nil {
		// SAFETY: as above.
		sum = unsafe.Slice((*float32)(p.a.Bias), p.s.M)[m]
	}
	for k, weight := range f {
		row, column := at[0]-p.s.Begin[0]+k%9/3, at[1]-p.s.Begin[1]+k%3
		if row < 0 || row >= p.s.In[0] || column < 0 || column >= p.s.In[1] {
			continue
		}
		if sum += weight * x[k/9*p.plane+row*p.s.In[1]+column]; sum != sum {
			break // as it stays
		}
	}
	return sum
}
