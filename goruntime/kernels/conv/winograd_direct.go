package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// finite reports whether x is neither an infinity nor NaN.
func finite(x float32) bool { return x-x == 0 }

// sound reports whether the sums of one filter are finite. An infinity or NaN of the
// input is in those of every filter, at one of four points: those at zero and infinity
// see each second row and column.
func (w *winograd) sound(sums unsafe.Pointer) bool {
	for _, i := range [...]int{0, 5, 30, 35} {
		// SAFETY: there is a row of sums at each point.
		if !finite(vec.Sum(unsafe.Slice((*float32)(unsafe.Add(sums, 4*i*w.apart(tileFilters))), w.run))) {
			return false
		}
	}
	return true
}

// remake sums the pixels of tiles anew that have an infinity or NaN: the transforms
// spread it over all that a tile has. Pixels are those of filter m, in rows of the tiles
// of a band that begins at row y of them.
func (p *Plan) remake(image, y, m int, pixels []float32) {
	w := p.wino
	for tile := range min(w.d.outRows, w.rows-y) * w.d.outWidth {
		row, column := tile/w.d.outWidth, tile%w.d.outWidth
		first := 4 * (row*w.wide + column)
		if w.finite(pixels, first) {
			continue
		}
		for i := range 16 {
			if at := [2]int{4*(y+row) + i/4, 4*column + i%4}; at[0] < p.s.Out[0] && at[1] < p.s.Out[1] {
				pixels[i/4*4*w.run+first+i%4] = p.pixel(image, m, at)
			}
		}
	}
}

// finite reports whether the pixels of a tile are.
func (w *winograd) finite(pixels []float32, first int) bool {
	for r := range 4 {
		for _, x := range pixels[r*4*w.run+first:][:4] {
			if !finite(x) {
				return false
			}
		}
	}
	return true
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
