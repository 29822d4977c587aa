package conv

import "github.com/goruntime/goruntime/goruntime/kernels/vec"

// padded is the geometry of a band of padded rows under some rows of pixels; a
// signal is an image of one row. The sizes are those of a phase: every down-th row
// and across-th column.
type padded struct {
	rows, width       int
	inRows, inWidth   int
	top, left         int
	outRows, outWidth int
	taps, tapRows     int   // in a row of the window, rows of the window
	across, down      int   // the strides
	wide, tall        int   // the dilations
	place             []int // of each phase that a window reads, its place among those; -1 of others
	lines             []int // of each phase of the rows, itself if a window reads it, or -1
	kept              int   // phases that a window reads
}

// mostPhases is how many phases are worth a look at each.
const mostPhases = 1 << 12

// scattered reports whether strides make more phases than that.
func (p *Plan) scattered() bool {
	phases := 1
	for _, n := range p.s.Stride {
		if phases *= min(n, 2*mostPhases); phases > mostPhases {
			return true
		}
	}
	return false
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
	d.width = d.outWidth + (d.taps-1)*d.wide/d.across
	d.rows = d.outRows + d.below()
	d.settle()
	return d
}

// settle finds the phases that a window reads.
func (d *padded) settle() {
	d.place, d.lines = make([]int, d.down*d.across), make([]int, d.down)
	read := make([]bool, len(d.place))
	for t := range d.taps * d.tapRows {
		read[d.phase(t)] = true
	}
	for i := range d.lines {
		d.lines[i] = -1
	}
	for i, is := range read {
		if d.place[i] = -1; is {
			d.place[i] = d.kept
			d.kept++
			d.lines[i/d.across] = i / d.across
		}
	}
}

// phase returns the phase that tap t of the window reads.
func (d *padded) phase(t int) int {
	return t/d.taps*d.tall%d.down*d.across + t%d.taps*d.wide%d.across
}

// below is how many rows of a phase a band has under its last row of pixels.
func (d *padded) below() int { return (d.tapRows - 1) * d.tall / d.down }

// bare reports whether the input is its own padded form.
func (d *padded) bare() bool {
	return d.across == 1 && d.down == 1 && d.left == 0 && d.top == 0 && d.width == d.inWidth && d.rows == d.inRows
}

// size returns how many elements the phases have that are read.
func (d *padded) size() int { return d.kept * d.rows * d.width }

// offset returns where tap t of the window lies in a padded plane.
func (d *padded) offset(t int) int {
	y, x := t/d.taps*d.tall, t%d.taps*d.wide
	return (d.place[d.phase(t)]*d.rows+y/d.down)*d.width + x/d.across
}

// stage is how many elements fill needs to lay out rows whose columns it picks.
func (d *padded) stage() int {
	if d.across == 1 {
		return 0
	}
	return d.down * d.across * d.rows * d.width
}

// fill spreads what lies on the image of the band from output row y on over the
// phases of dst. It leaves the padding, which is zero, in dst or, where columns are
// picked, in stage: there rows lie behind each other, and a phase is picked at once.
func (d *padded) fill(dst, stage, src []float32, y int) {
	if d.across == 1 {
		d.lay(dst, src, y)
		return
	}
	whole := *d
	whole.across, whole.width, whole.place = 1, d.across*d.width, d.lines
	whole.lay(stage, src, y)
	n := d.rows * d.width
	for phase, to := range d.place {
		if to >= 0 {
			from := stage[phase/d.across*d.across*n+phase%d.across : (phase/d.across+1)*d.across*n]
			vec.Every(dst[to*n:(to+1)*n], from, d.across)
		}
	}
}

// lay copies the rows of each phase; all columns are of one.
func (d *padded) lay(dst, src []float32, y int) {
	lo, hi := on(d.width, d.inWidth, -d.left, 1)
	if lo == hi {
		return
	}
	for phase, to := range d.place {
		if to < 0 {
			continue
		}
		// Row r of the phase is input row r*down + drop.
		drop := y*d.down + phase - d.top
		first, last := on(d.rows, d.inRows, drop, d.down)
		for r := first; r < last; r++ {
			copy(dst[(to*d.rows+r)*d.width:][lo:hi], src[(r*d.down+drop)*d.inWidth+lo-d.left:])
		}
	}
}

// on returns which of n places i have i*step + shift inside of size.
func on(n, size, shift, step int) (lo, hi int) {
	lo = min(n, max(0, (-shift+step-1)/step))
	if shift < size {
		hi = min(n, (size-shift+step-1)/step)
	}
	return lo, max(lo, hi)
}
