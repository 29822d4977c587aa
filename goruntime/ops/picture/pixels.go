package picture

import (
	"image"
	"image/color"
)

// pixels writes row y of an image, red, green and blue in turn. Rows may be asked for
// at the same time. Transparency is left out: a pixel has the colour that it has where
// it is opaque.
type pixels func(y int, rgb []byte)

// pixelsOf returns the rows of a decoded image.
func pixelsOf(img image.Image, c *colour) pixels {
	switch img := img.(type) {
	case *image.YCbCr:
		return c.pixels(img)
	case *image.NYCbCrA:
		return c.pixels(&img.YCbCr)
	case *image.Gray:
		return stored(img.Pix, img.Stride, 1, 0, 0)
	case *image.NRGBA:
		return stored(img.Pix, img.Stride, 4, 1, 2)
	case *image.NRGBA64: // the upper byte of each number comes first
		return stored(img.Pix, img.Stride, 8, 2, 4)
	case *image.Gray16:
		return stored(img.Pix, img.Stride, 2, 0, 0)
	case *image.RGBA:
		if img.Opaque() {
			return stored(img.Pix, img.Stride, 4, 1, 2)
		}
	}
	from := img.Bounds().Min
	return func(y int, rgb []byte) {
		for x := range len(rgb) / 3 {
			c := color.NRGBAModel.Convert(img.At(from.X+x, from.Y+y)).(color.NRGBA)
			rgb[3*x], rgb[3*x+1], rgb[3*x+2] = c.R, c.G, c.B
		}
	}
}

// stored has pixels of n bytes, red at the first of them, green and blue at some.
func stored(pix []byte, stride, n, g, b int) pixels {
	return func(y int, rgb []byte) { spread(rgb, pix[y*stride:], n, 0, g, b) }
}

// spread takes red, green and blue out of pixels of n bytes.
func spread(rgb, pix []byte, n, r, g, b int) {
	for x := range len(rgb) / 3 {
		p := pix[n*x : n*x+n]
		rgb[3*x], rgb[3*x+1], rgb[3*x+2] = p[r], p[g], p[b]
	}
}
