package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// bandFloats is how many numbers of a band of rows lie on the stack at a time.
const bandFloats = 4096

// band is a number of rows of output pixels of an image that are pooled at once:
// first along the height, which leaves a padded row for each row of pixels, then
// along the width, for which the columns are split into phases, every stride-th.
type band struct {
	pixels int // rows of pixels
	full   int // numbers of a padded row
	width  int // of a phase of it
	lo, hi int // the columns of a padded row that lie on the image
}

// band returns as many rows as fit, none where one does not fit or the pooling is
// of another kind: of images without dilation, of which no indices are wanted.
func (p *pooling) band() band {
	w := p.win
	if p.indices != nil || len(w.in) != 2 || w.in[0]*w.in[1] == 0 || w.dilation[0] != 1 || w.dilation[1] != 1 {
		return band{}
	}
	b := band{width: w.out[1] + (w.kernel[1]-1)/w.stride[1]}
	b.full = b.width * w.stride[1]
	b.lo = min(b.full, w.begin[1])
	b.hi = min(b.full, w.begin[1]+w.in[1])
	b.pixels = min(w.out[0], bandFloats/max(1, b.full)-w.above())
	return b
}

// banded pools the planes [lo, hi) of images with f, whose neutral number is
// nothing. Between the ends of rows are numbers that nobody reads.
func (p *pooling) banded(b band, lo, hi int, f vec.Operation, nothing float32) {
	var rows, phases, sums [bandFloats]float32
	w, join := p.win, vec.OperationLoop(f, vec.Both)
	out, in := tensor.Elems[float32](p.out), tensor.Elems[float32](p.in)
	set(rows[:b.pixels*b.full], nothing)
	set(phases[:(b.pixels+w.above())*b.full], nothing)
	for i := lo; i < hi; i++ {
		dst, src := out[i*p.pixels:(i+1)*p.pixels], in[i*p.plane:(i+1)*p.plane]
		for y := 0; y < w.out[0]; y += b.pixels {
			n := min(b.pixels, w.out[0]-y)
			if w.dense() {
				w.lay(&b, phases[:], src, y, n, nothing)
				slide(f, rows[:n*b.full], phases[:], w.kernel[0], 1, 0, b.full)
			} else {
				for r := range n {
					w.down(rows[r*b.full+b.lo:r*b.full+b.hi], src, y+r, &join, nothing)
				}
			}
			pixels, at := rows[:n*b.full], n*b.width
			if w.stride[1] > 1 {
				for k := range min(w.kernel[1], w.stride[1]) {
					vec.Every(phases[k*at:(k+1)*at], pixels[k:], w.stride[1])
				}
				pixels = phases[:]
			}
			to := dst[y*w.out[1] : (y+n)*w.out[1]]
			if b.width == w.out[1] {
				slide(f, to, pixels, w.kernel[1], w.stride[1], at, 1)
				continue
			}
			slide(f, sums[:at-b.width+w.out[1]], pixels, w.kernel[1], w.stride[1], at, 1)
			for r := range n {
				copy(to[r*w.out[1]:(r+1)*w.out[1]], sums[r*b.width:])
			}
		}
	}
}

// dense reports whether neighbouring windows overlap but for one row and column: the
// rows under a band are then laid out once, and joined all at a time.
func (w *window) dense() bool { return w.stride[0] == 1 && w.stride[1] == 1 }

// above is how many more rows than its own a band of pixels reads at once.
func (w *window) above() int {
	if w.dense() {
		return w.kernel[0] - 1
	}
	return 0
}

// lay copies the rows of an image under n rows of pixels from y on, which overlap, to
// padded ones.
func (w *window) lay(b *band, dst, src []float32, y, n int, nothing float32) {
	for r := range n + w.above() {
		row := dst[r*b.full+b.lo : r*b.full+b.hi]
		if at := y + r - w.begin[0]; at < 0 || at >= w.in[0] {
			set(row, nothing)
		} else {
			copy(row, src[at*w.in[1]:])
		}
	}
}

// down joins the rows of an image under output row y, of which row has the columns
// that lie under windows.
func (w *window) down(row, src []float32, y int, join *vec.Loop, nothing float32) {
	at := y*w.stride[0] - w.begin[0]
	from, to := max(0, at), min(w.in[0], at+w.kernel[0])
	switch n := w.in[1]; {
	case from >= to:
		set(row, nothing)
	case from+1 == to:
		copy(row, src[from*n:])
	default:
		join.Over(row, src[from*n:], src[(from+1)*n:])
		for k := from + 2; k < to; k++ {
			join.Over(row, row, src[k*n:])
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
