package conv

import "unsafe"

// portableLanes is how many lanes the vectors of the portable kernels have.
const portableLanes = 16

// portableDeep is the definition of a tile of single channels.
func portableDeep(t *deepTile) {
	const vector = 4 * portableLanes
	// SAFETY: there is an offset for each tap.
	offsets := unsafe.Slice((*int)(t.offset), t.taps)
	at := func(p unsafe.Pointer, bytes int) *[portableLanes]float32 {
		// SAFETY: pixels, taps and bias are vectors inside the scratch.
		return (*[portableLanes]float32)(unsafe.Add(p, bytes))
	}
	for r := range t.rows {
		for i := range t.pixels {
			y := at(t.y, r*t.stepY+i*vector)
			*y = *at(t.bias, 0)
			for k, offset := range offsets {
				x, w := at(t.x, r*t.stepX+i*t.stride*vector+offset), at(t.w, k*vector)
				for c := range y {
					y[c] += w[c] * x[c]
				}
			}
			for c, sum := range y {
				if t.relu != 0 && sum < 0 {
					y[c] = 0
				}
			}
		}
	}
}

// portableToChannels is the definition of the transpose of planes to vectors.
func portableToChannels(t *turn) {
	// SAFETY: there is an offset for each plane and each pixel.
	planes, at := unsafe.Slice((*int)(t.planes), portableLanes), unsafe.Slice((*int)(t.at), t.n)
	for c, plane := range planes {
		for i, to := range at {
			// SAFETY: the planes have n pixels, the vectors have a lane for each.
			*(*float32)(unsafe.Add(t.dst, to+4*c)) = *(*float32)(unsafe.Add(t.src, plane+4*i))
		}
	}
}

// portableToPlanes is the definition of the transpose of vectors to planes.
func portableToPlanes(t *turn) {
	// SAFETY: there is an offset for each plane and each pixel.
	planes, at := unsafe.Slice((*int)(t.planes), portableLanes), unsafe.Slice((*int)(t.at), t.n)
	for c := portableLanes - 1; c >= 0; c-- {
		for i, from := range at {
			// SAFETY: as in portableToChannels.
			*(*float32)(unsafe.Add(t.dst, planes[c]+4*i)) = *(*float32)(unsafe.Add(t.src, from+4*c))
		}
	}
}
