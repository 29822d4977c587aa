package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// bandFloats is how many numbers of a band of rows lie on the stack at a time.
const bandFloats = 4096

// band is a number of rows of output pixels that are pooled at once, of one image or of
// several: first along the height, which leaves a padded row for each row of pixels,
// then along the width. Rows that are too wide are cut.
type band struct {
	planes int // images
	pixels int // rows of pixels of each
	wide   int // pixels of a row
	first  int // the first of them
	full   int // numbers of a padded row
	lo, hi int // the columns of a padded row that lie on the image
	at     int // the column of the image that the first of them is
}

// band returns the first band of as many pixels as fit, none where not one does or the
// pooling is of another kind: of images, of which no indices are wanted.
func (p *pooling) band() band {
	w := p.win
	if p.indices != nil || len(w.in) != 2 || w.in[0]*w.in[1] == 0 || p.pixels == 0 || w.reach() > bandFloats {
		return band{}
	}
	b := w.columns(0, min(w.out[1], (bandFloats-w.reach())/w.stride[1]+1))
	b.pixels = min(w.out[0], bandFloats/b.full)
	if b.pixels == w.out[0] && b.wide == w.out[1] {
		b.planes = bandFloats / (b.pixels * b.full)
	}
	b.planes = max(1, b.planes)
	return b
}

// reach is how many columns lie between the first and the last of a window, with both.
func (w *window) reach() int { return (w.kernel[1]-1)*w.dilation[1] + 1 }

// columns returns a band of some pixels of each row.
func (w *window) columns(first, wide int) band {
	b := band{first: first, wide: wide, full: (wide-1)*w.stride[1] + w.reach()}
	from := first*w.stride[1] - w.begin[1]
	b.lo, b.hi, b.at = max(0, min(b.full, -from)), max(0, min(b.full, w.in[1]-from)), max(0, from)
	return b
}

// beside moves a band on along the rows; it reports whether there is more.
func (b *band) beside(w *window) bool {
	first := b.first + b.wide
	next := w.columns(first, min(b.wide, w.out[1]-first))
	next.planes, next.pixels = b.planes, b.pixels
	*b = next
	return b.wide > 0
}

// bandsOfSlices reports whether volumes are pooled by bands of their images.
func (p *pooling) bandsOfSlices() bool {
	return p.flat != nil && p.indices == nil && p.flat.band().pixels > 0
}

// banded pools the planes [lo, hi) of images with f, whose neutral number is
// nothing.
func (p *pooling) banded(b band, lo, hi int, f vec.Join, nothing float32) {
	var rows [bandFloats]float32
	w := p.win
	out, in := tensor.Elems[float32](p.out), tensor.Elems[float32](p.in)
	for more := true; more; more = b.beside(w) {
		if b.lo > 0 || b.hi < b.full {
			set(rows[:], nothing)
		}
		for i := lo; i < hi; i += b.planes {
			n := min(b.planes, hi-i)
			dst, src := out[i*p.pixels:(i+n)*p.pixels], in[i*p.plane:(i+n)*p.plane]
			for y := 0; y < w.out[0]; y += b.pixels {
				high := min(b.pixels, w.out[0]-y)
				p.down(&b, f, rows[:], src, y, high, n, nothing)
				p.along(&b, f, dst[y*w.out[1]+b.first:], rows[:], high, n)
			}
		}
	}
}

// down joins the rows of n images under the high rows of pixels from y on.
func (p *pooling) down(b *band, f vec.Join, rows, src []float32, y, high, n int, nothing float32) {
	w := p.win
	wide, last := w.in[1], (w.kernel[0]-1)*w.dilation[0]
	for r := 0; r < high; {
		from, taps := w.seen(0, y+r)
		same := 1 // rows of pixels whose windows see as many rows
		if taps == w.kernel[0] {
			for r+same < high && w.in[0]-1-last >= (y+r+same)*w.stride[0]-w.begin[0] {
				same++
			}
		}
		if b.lo < b.hi && taps > 0 {
			v := vec.Windows{
				N: b.hi - b.lo, Stride: 1, Taps: taps, Tap: w.dilation[0] * wide, Rows: same, From: w.stride[0] * wide, To: b.full,
				Planes: n, Out: p.plane, Into: high * b.full,
			}
			v.Run(f, rows[r*b.full+b.lo:], src[from*wide+b.at:])
		} else {
			for i := range n {
				set(rows[(i*high+r)*b.full:][:b.full], nothing)
			}
		}
		r += same
	}
}

// along joins the columns under the high rows of pixels of n images.
func (p *pooling) along(b *band, f vec.Join, dst, rows []float32, high, n int) {
	w := p.win
	v := vec.Windows{
		N: b.wide, Stride: w.stride[1], Taps: w.kernel[1], Tap: w.dilation[1], Rows: high, From: b.full, To: w.out[1],
		Planes: n, Out: high * b.full, Into: p.pixels,
	}
	if v.Stride <= 2 {
		v.Run(f, dst, rows)
		return
	}
	// Windows that lie far apart are computed one by one: a row of one, turned.
	v.N, v.Stride, v.Rows, v.From, v.To, v.Planes, v.Out, v.Into = 1, 1, b.wide, w.stride[1], 1, high, b.full, w.out[1]
	for i := range n {
		v.Run(f, dst[i*p.pixels:], rows[i*high*b.full:])
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
		p.banded(b, lo, hi, vec.Largest, lowest32)
		return
	}
	if p.bandsOfSlices() {
		p.deep(lo, hi, vec.Largest, lowest32)
		return
	}
	slowMaxPool32(p, lo, hi)
}

var slowAveragePool32 = averagePool(single)

// averagePool32 pools images by bands of rows, others tap by tap.
func averagePool32(p *pooling, lo, hi int) {
	b := p.band()
	switch {
	case b.pixels > 0:
		p.banded(b, lo, hi, vec.Total, 0)
	case p.bandsOfSlices():
		p.deep(lo, hi, vec.Total, 0)
	default:
		slowAveragePool32(p, lo, hi)
		return
	}
	out := tensor.Elems[float32](p.out)
	for i := lo; i < hi; i++ {
		dst := out[i*p.pixels : (i+1)*p.pixels]
		vec.Combine(vec.Over, dst, dst, p.counts)
	}
}
