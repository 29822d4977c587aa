package picture

import "image"

// colour is how a file format has colours that it stores as luma and chroma.
type colour struct {
	// between gives a row of chroma samples of the full width where there is one for
	// two pixels of a row, a column, or both. near is the stored row that the pixels
	// lie in, far the one that they are next to. A nil between is never called.
	between func(dst, near, far []byte, across, down, odd bool)
	// rgb turns a row of samples into red, green and blue in turn.
	rgb func(rgb, y, cb, cr []byte)
}

// pixels returns the rows of an image.
func (c *colour) pixels(img *image.YCbCr) pixels {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	across, down := steps(img.SubsampleRatio)
	stored := func(plane []byte, y int) []byte {
		y = min(max(y, 0), (h+down-1)/down-1)
		return plane[y*img.CStride:][:(w+across-1)/across]
	}
	return func(y int, rgb []byte) {
		row := make([]byte, 2*w) // beside what decoding allocates it is nothing
		full := func(dst, plane []byte) []byte {
			near, odd := stored(plane, y/down), y%2 == 1
			switch {
			case across == 1 && down == 1:
				return near
			case across > 2 || down > 2:
				for x := range dst {
					dst[x] = near[x/across]
				}
			case odd:
				c.between(dst, near, stored(plane, y/down+1), across == 2, down == 2, odd)
			default:
				c.between(dst, near, stored(plane, y/down-1), across == 2, down == 2, odd)
			}
			return dst
		}
		c.rgb(rgb, img.Y[y*img.YStride:][:w], full(row[:w], img.Cb), full(row[w:], img.Cr))
	}
}

// steps returns how many pixels of a row and of a column have one chroma sample.
func steps(r image.YCbCrSubsampleRatio) (across, down int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

func clamp(x int32) byte { return byte(min(max(x, 0), 255)) }
