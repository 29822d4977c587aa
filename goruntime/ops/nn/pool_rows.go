package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// bandFloats is how many numbers of padded rows, and of rows that are pooled
// along the width, lie on the stack at a time.
const bandFloats = 8192

// band is a number of rows of output pixels of an image that are pooled at once.
// The padded input rows under their windows are split into phases: every
// stride-th row and column. The sizes are those of a phase.
type band struct{ rows, width, pixels int }

// band returns as many rows as fit, none where one does not fit or the pooling is
// of another kind: of images without dilation, of which no indices are wanted.
func (p *pooling) band() band {
	w := p.win
	if p.indices != nil || len(w.in) != 2 || w.in[0]*w.in[1] == 0 || w.dilation[0] != 1 || w.dilation[1] != 1 {
		return band{}
	}
	over := (w.kernel[0] - 1) / w.stride[0] // phase rows below the last pixel's
	b := band{width: w.out[1] + (w.kernel[1]-1)/w.stride[1]}
	b.pixels = min(w.out[0], bandFloats/max(1, w.stride[0]*w.stride[1]*b.width)-over)
	b.rows = b.pixels + over
	return b
}

// banded pools the planes [lo, hi) of images with f, whose neutral number is
// nothing: along the width of all rows of a band in one go, then along their
// height. Between the ends of rows are numbers that nobody reads.
func (p *pooling) banded(b band, lo, hi int, f vec.Operation, nothing float32) {
	var padded, pooled [bandFloats]float32
	w := p.win
	out, in := tensor.Elems[float32](p.out), tensor.Elems[float32](p.in)
	plane := b.rows * b.width // of a phase
	for i := lo; i < hi; i++ {
		dst, src := out[i*p.pixels:(i+1)*p.pixels], in[i*p.plane:(i+1)*p.plane]
		for y := 0; y < w.out[0]; y += b.pixels {
			w.fill(&b, padded[:], src, y, nothing)
			for down := range w.stride[0] {
				across := padded[down*w.stride[1]*plane:][:w.stride[1]*plane]
				slide(f, pooled[down*plane:(down+1)*plane], across, w.kernel[1], w.stride[1], plane, 1)
			}
			n := min(b.pixels, w.out[0]-y)
			sums := padded[:(n-1)*b.width+w.out[1]]
			slide(f, sums, pooled[:w.stride[0]*plane], w.kernel[0], w.stride[0], plane, b.width)
			for r := range n {
				copy(dst[(y+r)*w.out[1]:(y+r+1)*w.out[1]], sums[r*b.width:])
			}
		}
	}
}

// slide combines, for each place, kernel elements of src from there on: of each
// phase, which lie plane apart, every stride-th, which lie step apart.
func slide(f vec.Operation, dst, src []float32, kernel, stride, plane, step int) {
	if kernel == 1 {
		copy(dst, src)
		return
	}
	so := src
	for k := 1; k < kernel; k++ {
		from := src[k%stride*plane+k/stride*step:]
		n := min(len(dst), len(from)) // what is cut belongs to no window
		vec.Combine(f, dst[:n], so[:n], from[:n])
		so = dst
	}
}

// fill writes the padded rows under the band that begins at output row y.
func (w *window) fill(b *band, dst, src []float32, y int, nothing float32) {
	for phase := range w.stride[0] * w.stride[1] {
		down, across := phase/w.stride[1], phase%w.stride[1]
		// Column i of the phase is input column i*stride + shift.
		shift := across - w.begin[1]
		lo := min(b.width, max(0, (-shift+w.stride[1]-1)/w.stride[1]))
		hi := max(lo, min(b.width, (w.in[1]-shift+w.stride[1]-1)/w.stride[1]))
		for r := range b.rows {
			row := dst[(phase*b.rows+r)*b.width:][:b.width]
			at := (y+r)*w.stride[0] + down - w.begin[0]
			if at < 0 || at >= w.in[0] || lo == hi {
				set(row, nothing)
				continue
			}
			set(row[:lo], nothing)
			set(row[hi:], nothing)
			at = at*w.in[1] + lo*w.stride[1] + shift
			if w.stride[1] == 1 {
				copy(row[lo:hi], src[at:])
				continue
			}
			vec.Every(row[lo:hi], src[at:], w.stride[1])
		}
	}
}

func set(s []float32, x float32) {
	for i := range s {
		s[i] = x
	}
}

// lowest32 is what a window in the padding alone gives.
var lowest32 = float32(math.Inf(-1))

var slowMaxPool32 = maxPool(lowest32, func(v float32) float64 { return float64(v) })

// maxPool32 pools images by bands of rows, others tap by tap.
func maxPool32(p *pooling, lo, hi int) {
	if b := p.band(); b.pixels > 0 {
		p.banded(b, lo, hi, vec.Larger, lowest32)
		return
	}
	slowMaxPool32(p, lo, hi)
}

var slowAveragePool32 = averagePool(single)

// averagePool32 pools images by bands of rows, others tap by tap.
func averagePool32(p *pooling, lo, hi int) {
	b := p.band()
	if b.pixels < 1 {
		slowAveragePool32(p, lo, hi)
		return
	}
	p.banded(b, lo, hi, vec.Plus, 0)
	out := tensor.Elems[float32](p.out)
	for i := lo; i < hi; i++ {
		dst := out[i*p.pixels : (i+1)*p.pixels]
		vec.Combine(vec.Over, dst, dst, p.counts)
	}
}
