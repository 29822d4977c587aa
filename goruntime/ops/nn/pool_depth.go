package nn

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// lifted returns a window over lines as one over images of one row.
func (w *window) lifted() *window {
	if len(w.in) != 1 {
		return w
	}
	before := func(x int, list []int) []int { return []int{x, list[0]} }
	return &window{
		in: before(1, w.in), out: before(1, w.out), kernel: before(1, w.kernel), stride: before(1, w.stride), dilation: before(1, w.dilation), begin: before(0, w.begin),
	}
}

// slices returns the pooling of the images that volumes consist of, nil where X has none.
func (p *pooling) slices() *pooling {
	w := p.win
	if len(w.in) != 3 || w.in[0] == 0 || w.out[0] == 0 {
		return nil
	}
	flat := &window{in: w.in[1:], out: w.out[1:], kernel: w.kernel[1:], stride: w.stride[1:], dilation: w.dilation[1:], begin: w.begin[1:]}
	return &pooling{win: flat, plane: p.plane / w.in[0], pixels: p.pixels / w.out[0]}
}

// deep pools the volumes [lo, hi) with f, a band of rows of each image under a window after
// another.
func (p *pooling) deep(lo, hi int, f vec.Join, nothing float32) {
	var rows, more [bandFloats]float32
	flat, w := p.flat, p.flat.win
	b := flat.band()
	b.planes = 1
	joined := vec.Plus
	if f == vec.Largest {
		joined = vec.Larger
	}
	out, in := tensor.Elems[float32](p.out), tensor.Elems[float32](p.in)
	for step := true; step; step = b.beside(w) {
		for i := lo; i < hi; i++ {
			dst, src := out[i*p.pixels:(i+1)*p.pixels], in[i*p.plane:(i+1)*p.plane]
			for z := range p.win.out[0] {
				first, taps := p.win.seen(0, z)
				for y := 0; y < w.out[0]; y += b.pixels {
					high := min(b.pixels, w.out[0]-y)
					set(rows[:high*b.full], nothing)
					for k := range taps {
						part, at := more[:high*b.full], first+k*p.win.dilation[0]
						set(part, nothing)
						flat.down(&b, f, part, src[at*flat.plane:(at+1)*flat.plane], y, high, 1, nothing)
						vec.Combine(joined, rows[:len(part)], rows[:len(part)], part)
					}
					flat.along(&b, f, dst[z*flat.pixels+y*w.out[1]+b.first:(z+1)*flat.pixels], rows[:], high, 1)
				}
			}
		}
	}
}
