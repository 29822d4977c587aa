package conv

import "unsafe"

// bandBytes is how many bytes of padded rows lie in the cache at a time, lineBytes
// how many one row of pixels may need at most.
const (
	bandBytes = 192 << 10
	lineBytes = 1 << 20
)

// slide is what a plan has for windows that slide over padded rows: the values
// under a tap of pixels that lie side by side are side by side too, so that each
// tap is an offset and nothing is laid out for each window.
type slide struct {
	d       padded
	bare    bool
	flat    bool  // tiles run over the ends of rows, whose sums are dropped
	high    int   // rows of pixels
	bands   int   // of them
	offsets []int // of each tap of each channel, in bytes
	room    int   // floats of padded planes
	sums    int   // floats behind them of the sums of a tile's filters, if flat
}

// newSlide returns nil where windows are not of this kind: in three dimensions, with
// strides far apart, or of rows too long to keep.
func (p *Plan) newSlide(threads int) *slide {
	if len(p.s.In) > 2 || p.pixels == 0 || p.plane == 0 || p.scattered() {
		return nil
	}
	d := p.padded()
	s := &slide{d: d, bare: d.bare()}
	channels := p.s.C / p.s.Group
	line := 4 * channels * d.kept * d.width
	if !s.bare && line*(1+d.below()) > lineBytes {
		return nil
	}
	s.high = d.outRows
	s.bands = alike(p.s.N*p.s.Group, (s.high+s.height(p, line)-1)/s.height(p, line), s.high, threads)
	s.d.outRows = (s.high + s.bands - 1) / s.bands
	if !s.bare {
		s.d.rows = s.d.outRows + d.below()
		s.room = channels * s.d.size()
	}
	// What a row leaves empty of its last vector against what lies between rows.
	lost := (d.outWidth+15)/16*16 - d.outWidth
	s.flat = d.width > d.outWidth && (d.width-d.outWidth < lost-lost/8 || p.perM == 1 && d.outWidth < 48)
	if s.flat {
		s.sums = tileRows * s.d.outRows * d.width
	}
	for ch := range channels {
		for t := range p.taps {
			s.offsets = append(s.offsets, 4*(ch*s.d.size()+s.d.offset(t)))
		}
	}
	return s
}

// height returns how many rows of pixels a band has: what the cache holds, and
// few enough to share one image between threads.
func (s *slide) height(p *Plan, line int) int {
	d := &s.d
	h := d.outRows
	if !s.bare {
		h = min(h, max(1, bandBytes/line-d.below()))
	}
	if p.s.N*p.s.Group < 4 {
		h = min(h, max(4, (d.outRows+7)/8))
	}
	return h
}

// edge returns the first row of pixels of a band.
func (s *slide) edge(band int) int { return s.high * band / s.bands }

// floats returns how much scratch a band needs.
func (s *slide) floats() int {
	if s.bare {
		return s.sums
	}
	return s.room + s.sums + s.d.stage()
}

// band computes a band of rows of pixels of the filters [m0, m1) of a group.
func (p *Plan) band(image, group, band, m0, m1 int, scratch unsafe.Pointer) {
	s := p.slide
	y := s.edge(band)
	rows := s.edge(band+1) - y
	x := scratch
	if s.bare {
		// SAFETY: row y is inside the plane.
		x = unsafe.Add(p.x(image, group), 4*y*s.d.width)
	}
	m := group*p.perM + m0
	// SAFETY: all offsets are inside the tensors.
	t := tile{
		w: unsafe.Add(p.a.W, 4*m*p.k), stepW: 4 * p.k, offset: unsafe.Pointer(unsafe.SliceData(s.offsets)), k: p.k,
		y: unsafe.Add(p.a.Y, 4*((image*p.s.M+m)*p.pixels+y*s.d.outWidth)), stepY: 4 * p.pixels,
	}
	if p.a.Bias != nil {
		// SAFETY: the bias has a number for each filter.
		t.bias = unsafe.Add(p.a.Bias, 4*m)
	}
	if p.a.Relu {
		t.relu = 1
	}
	v := chosen()
	if s.flat {
		// SAFETY: the sums lie behind the padded planes.
		p.overEnds(v, t, x, unsafe.Add(scratch, 4*s.room), m1-m0, rows)
		return
	}
	if s.d.width == s.d.outWidth { // nothing lies between the rows
		t.x = x
		v.row(t, m1-m0, rows*s.d.outWidth)
		return
	}
	first := t.y
	for r := range rows {
		// SAFETY: row r is inside the band and inside the output.
		t.x, t.y = unsafe.Add(x, 4*r*s.d.width), unsafe.Add(first, 4*r*s.d.outWidth)
		v.row(t, m1-m0, s.d.outWidth)
	}
}

// pad writes the padded planes of a band that begins at output row y. Fresh says
// that the scratch has no zeros where this band has its padding.
func (p *Plan) pad(x, scratch unsafe.Pointer, y int, fresh bool) {
	s := p.slide
	// SAFETY: the planes and the scratch have these sizes.
	room := unsafe.Slice((*float32)(scratch), s.room+s.sums+s.d.stage())
	room, stage := room[:s.room], room[s.room+s.sums:]
	size := s.d.size()
	src := unsafe.Slice((*float32)(x), len(room)/size*p.plane)
	if fresh {
		clear(room)
		clear(stage)
	}
	for ch := range len(room) / size {
		s.d.fill(room[ch*size:(ch+1)*size], stage, src[ch*p.plane:(ch+1)*p.plane], y)
	}
}

// overEnds computes the band as one run of pixels, a tile's filters at a time,
// and drops the sums between the rows.
func (p *Plan) overEnds(v *variant, t tile, x, scratch unsafe.Pointer, filters, rows int) {
	d := &p.slide.d
	n := (rows-1)*d.width + d.outWidth
	step := d.outRows * d.width
	// SAFETY: the scratch has this size.
	sums := unsafe.Slice((*float32)(scratch), p.slide.sums)
	y := t.y
	for m := 0; m < filters; m += tileRows {
		some := min(tileRows, filters-m)
		one := t
		one.x, one.y, one.stepY = x, scratch, 4*step
		// SAFETY: filter m is one of the group, as is its bias.
		one.w = unsafe.Add(t.w, m*t.stepW)
		if t.bias != nil {
			// SAFETY: as above.
			one.bias = unsafe.Add(t.bias, 4*m)
		}
		v.row(one, some, n)
		for i := range some {
			// SAFETY: the rows of pixels lie one behind the other in the plane of a filter.
			out := unsafe.Slice((*float32)(unsafe.Add(y, (m+i)*t.stepY)), rows*d.outWidth)
			for r := range rows {
				copy(out[r*d.outWidth:(r+1)*d.outWidth], sums[i*step+r*d.width:])
			}
		}
	}
}
