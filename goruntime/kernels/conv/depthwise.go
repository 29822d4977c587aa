package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// isDepthwise reports whether each group has one input plane of an image or
// signal: then a padded plane is the panel, read once for each row of the window,
// whose rows of B overlap. With a stride the plane is split into phases first:
// every stride-th row and column.
func (p *Plan) isDepthwise() bool {
	return p.s.C == p.s.Group && len(p.s.In) <= 2 && !p.direct && !p.few
}

// padded is the geometry of a padded plane; a signal is an image of one row. The
// sizes are those of a phase, of which there are down * across.
type padded struct {
	rows, width       int
	inRows, inWidth   int
	top, left         int
	outRows, outWidth int
	taps, tapRows     int // in a row of the window, rows of the window
	across, down      int // the strides
	wide, tall        int // the dilations
}

func (p *Plan) padded() padded {
	s := &p.s
	last := len(s.In) - 1
	d := padded{
		inRows: 1, inWidth: s.In[last], left: s.Begin[last], outRows: 1, outWidth: s.Out[last],
		taps: s.Kernel[last], tapRows: 1, across: s.Stride[last], wide: s.Dilation[last], down: 1, tall: 1,
	}
	if last == 1 {
		d.inRows, d.top, d.outRows, d.tapRows, d.down, d.tall = s.In[0], s.Begin[0], s.Out[0], s.Kernel[0], s.Stride[0], s.Dilation[0]
	}
	d.rows = d.outRows + (d.tapRows-1)*d.tall/d.down
	d.width = d.outWidth + (d.taps-1)*d.wide/d.across
	return d
}

// phases returns how many phases a plane has, plane how many elements each.
func (d *padded) phases() int { return d.down * d.across }
func (d *padded) plane() int  { return d.rows * d.width }

// pixels is how many sums the flat product has: those between the ends of rows
// are not used.
func (d *padded) pixels() int { return (d.outRows-1)*d.width + d.outWidth }

// fill spreads a plane, in the middle of zeros, over the phases.
func (d *padded) fill(dst, src []float32) {
	for phase := range d.phases() {
		down, across := phase/d.across, phase%d.across
		// Column x of the phase is input column x*across + shift.
		shift := across - d.left
		lo := min(d.width, max(0, (-shift+d.across-1)/d.across))
		hi := max(lo, min(d.width, (d.inWidth-shift+d.across-1)/d.across))
		for y := range d.rows {
			row := dst[(phase*d.rows+y)*d.width:][:d.width]
			in := y*d.down + down - d.top
			if in < 0 || in >= d.inRows {
				clear(row)
				continue
			}
			clear(row[:lo])
			if hi > lo {
				from := src[in*d.inWidth+lo*d.across+shift : (in+1)*d.inWidth]
				if d.across == 1 {
					copy(row[lo:hi], from)
				} else {
					every(row[lo:hi], from, d.across)
				}
			}
			clear(row[hi:])
		}
	}
}

// depthwise computes the filters of one input plane.
func (p *Plan) depthwise(image, group int, scratch unsafe.Pointer) {
	d := p.padded()
	// SAFETY: the plane, the scratch and the output have these sizes.
	src := unsafe.Slice((*float32)(p.x(image, group)), p.plane)
	room := unsafe.Slice((*float32)(scratch), d.phases()*d.plane()+d.pixels()+p.taps)
	plane, sums, filter := room[:d.phases()*d.plane()], room[d.phases()*d.plane():len(room)-p.taps], room[len(room)-p.taps:]
	d.fill(plane, src)
	for m := group * p.perM; m < (group+1)*p.perM; m++ {
		p.overlap(&d, m, plane, sums, filter)
		// SAFETY: output plane m has this size.
		y := unsafe.Slice((*float32)(unsafe.Add(p.a.Y, 4*(image*p.s.M+m)*p.pixels)), p.pixels)
		for r := range d.outRows {
			copy(y[r*d.outWidth:(r+1)*d.outWidth], sums[r*d.width:])
		}
	}
}

// overlap sums the rows of the window one after the other; of each row the taps
// of one phase at a time, which lie apart in the filter where there are more.
func (p *Plan) overlap(d *padded, m int, plane, sums, filter []float32) {
	// SAFETY: a filter has as many taps.
	weights := unsafe.Slice((*float32)(unsafe.Add(p.a.W, 4*m*p.k)), p.taps)
	apart := d.across / divisor(d.across, d.wide) // taps of one phase
	g := gemm.Args{
		M: 1, N: len(sums), LDA: d.taps, LDB: apart * d.wide / d.across,
		C: unsafe.Pointer(unsafe.SliceData(sums)), LDC: len(sums),
	}
	if p.a.Bias != nil {
		// SAFETY: the bias has a number for each filter.
		g.Start, g.Bias = gemm.Rows, unsafe.Add(p.a.Bias, 4*m)
	}
	for r := range d.tapRows {
		for t := range min(apart, d.taps) {
			g.K = (d.taps - t + apart - 1) / apart
			g.A = unsafe.Pointer(&weights[r*d.taps])
			if apart > 1 {
				every(filter[:g.K], weights[r*d.taps+t:], apart)
				g.A = unsafe.Pointer(unsafe.SliceData(filter))
			}
			phase := r*d.tall%d.down*d.across + t*d.wide%d.across
			g.B = unsafe.Pointer(&plane[(phase*d.rows+r*d.tall/d.down)*d.width+t*d.wide/d.across])
			g.Relu = p.a.Relu && r == d.tapRows-1 && t == min(apart, d.taps)-1
			gemm.Run(&g, 0, 1, 0, len(sums))
			g.Start = gemm.Add
		}
	}
}

// divisor returns the greatest common divisor of two positive numbers.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
