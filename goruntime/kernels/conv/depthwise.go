package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// isDepthwise reports whether each group has one input plane and its pixels lie
// side by side: then a padded plane is the panel, read once for each row of the
// window, whose rows of B overlap, one dilation apart.
func (p *Plan) isDepthwise() bool {
	if p.s.C != p.s.Group || len(p.s.In) > 2 || p.direct || p.few {
		return false
	}
	for _, stride := range p.s.Stride {
		if stride != 1 {
			return false
		}
	}
	return true
}

// padded is the geometry of a padded plane; a signal is an image of one row.
type padded struct {
	rows, width           int
	inRows, inWidth       int
	top, left             int
	outRows, outWidth     int
	taps, tapRows         int // in a row of the window, rows of the window
	dilation, rowsBetween int
}

func (p *Plan) padded() padded {
	s := &p.s
	last := len(s.In) - 1
	d := padded{
		inRows: 1, inWidth: s.In[last], left: s.Begin[last], outRows: 1, outWidth: s.Out[last],
		taps: s.Kernel[last], tapRows: 1, dilation: s.Dilation[last], rowsBetween: 1,
	}
	if last == 1 {
		d.inRows, d.top, d.outRows, d.tapRows, d.rowsBetween = s.In[0], s.Begin[0], s.Out[0], s.Kernel[0], s.Dilation[0]
	}
	d.rows = d.outRows + (d.tapRows-1)*d.rowsBetween
	d.width = d.outWidth + (d.taps-1)*d.dilation
	return d
}

// pixels is how many sums the flat product has: those between the ends of rows
// are not used.
func (d *padded) pixels() int { return (d.outRows-1)*d.width + d.outWidth }

// fill copies a plane into the middle of zeros.
func (d *padded) fill(dst, src []float32) {
	lo := min(max(0, d.left), d.width)
	hi := max(lo, min(d.width, d.left+d.inWidth))
	for y := range d.rows {
		row := dst[y*d.width : (y+1)*d.width]
		in := y - d.top
		if in < 0 || in >= d.inRows {
			clear(row)
			continue
		}
		clear(row[:lo])
		if hi > lo {
			copy(row[lo:hi], src[in*d.inWidth+lo-d.left:])
		}
		clear(row[hi:])
	}
}

// depthwise computes the filters of one input plane.
func (p *Plan) depthwise(image, group int, scratch unsafe.Pointer) {
	d := p.padded()
	// SAFETY: the plane, the scratch and the output have these sizes.
	src := unsafe.Slice((*float32)(p.x(image, group)), p.plane)
	plane := unsafe.Slice((*float32)(scratch), d.rows*d.width)
	sums := unsafe.Slice((*float32)(unsafe.Add(scratch, 4*len(plane))), d.pixels())
	d.fill(plane, src)
	for m := group * p.perM; m < (group+1)*p.perM; m++ {
		p.overlap(&d, m, plane, sums)
		// SAFETY: output plane m has this size.
		y := unsafe.Slice((*float32)(unsafe.Add(p.a.Y, 4*(image*p.s.M+m)*p.pixels)), p.pixels)
		for r := range d.outRows {
			copy(y[r*d.outWidth:(r+1)*d.outWidth], sums[r*d.width:])
		}
	}
}

// overlap sums the rows of the window one after the other.
func (p *Plan) overlap(d *padded, m int, plane, sums []float32) {
	g := gemm.Args{
		M: 1, N: len(sums), K: d.taps, LDA: d.taps, LDB: d.dilation,
		C: unsafe.Pointer(unsafe.SliceData(sums)), LDC: len(sums),
	}
	if p.a.Bias != nil {
		// SAFETY: the bias has a number for each filter.
		g.Start, g.Bias = gemm.Rows, unsafe.Add(p.a.Bias, 4*m)
	}
	for r := range d.tapRows {
		// SAFETY: a filter has tapRows rows; the last pixel's window ends with the plane.
		g.A = unsafe.Add(p.a.W, 4*(m*p.k+r*d.taps))
		g.B = unsafe.Pointer(&plane[r*d.rowsBetween*d.width])
		g.Relu = p.a.Relu && r == d.tapRows-1
		gemm.Run(&g, 0, 1, 0, len(sums))
		g.Start = gemm.Add
	}
}
