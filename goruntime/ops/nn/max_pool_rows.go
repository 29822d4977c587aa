package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// widestRow is the longest image row whose maxima fit on the stack.
const widestRow = 2048

// byRows reports whether rowsMax32 serves the pooling: images without dilation,
// of which no indices are wanted.
func (p *pooling) byRows() bool {
	w := p.win
	return p.indices == nil && len(w.in) == 2 && w.in[1] <= widestRow && w.in[1] > 0 && w.dilation[0] == 1 && w.dilation[1] == 1
}

// maxPool32 pools float32: rows of an image first with vectors, then along the
// row. Other poolings go tap by tap.
func maxPool32(p *pooling, lo, hi int) {
	if !p.byRows() {
		slowMaxPool32(p, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](p.out), tensor.Elems[float32](p.in)
	for plane := lo; plane < hi; plane++ {
		rowsMax32(p.win, out[plane*p.pixels:(plane+1)*p.pixels], in[plane*p.plane:(plane+1)*p.plane])
	}
}

// lowest32 is what a window in the padding alone gives.
var lowest32 = float32(math.Inf(-1))

var slowMaxPool32 = maxPool(lowest32, func(v float32) float64 { return float64(v) })

func rowsMax32(w *window, out, in []float32) {
	var buffer [widestRow]float32
	width := w.in[1]
	tall := buffer[:width]
	for y := range w.out[0] {
		first := max(0, y*w.stride[0]-w.begin[0])
		last := min(w.in[0], y*w.stride[0]-w.begin[0]+w.kernel[0])
		if first >= last {
			for x := range out[y*w.out[1] : (y+1)*w.out[1]] {
				out[y*w.out[1]+x] = lowest32
			}
			continue
		}
		copy(tall, in[first*width:])
		for r := first + 1; r < last; r++ {
			vec.Combine(vec.Larger, tall, tall, in[r*width:(r+1)*width])
		}
		row := out[y*w.out[1] : (y+1)*w.out[1]]
		for x := range row {
			a := max(0, x*w.stride[1]-w.begin[1])
			b := min(width, x*w.stride[1]-w.begin[1]+w.kernel[1])
			if a >= b {
				row[x] = lowest32
				continue
			}
			m := tall[a]
			for _, v := range tall[a+1 : b] {
				m = max(m, v)
			}
			row[x] = m
		}
	}
}
