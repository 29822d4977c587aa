package conv

import (
	"runtime"
	"unsafe"
)

// Bounds of the convolutions of single channels: pixels of a tile, strides that have
// tiles, bytes of the padded planes of a block of channels, and of those of a band.
const (
	deepPixels  = 8
	deepStrides = 2
	fewestDeep  = 8 // channels
	deepBytes   = 1 << 20
	deepBand    = 96 << 10
)

// depth is what a plan has for filters of one channel each: a vector holds one pixel
// of as many channels as it has lanes. The planes of a block of channels, a band of rows
// of them at a time, are turned to a padded image of such vectors, and its pixels back
// to planes.
type depth struct {
	g      padded
	lanes  int
	blocks int   // of channels
	bands  int   // of rows of pixels
	width  int   // of the padded image, in pixels
	high   int   // rows of it under a band, at most
	pixels int   // of a band, at most
	step   int   // bytes between the padded rows under neighbouring rows of pixels
	at     []int // where each input pixel of a band goes, in bytes; a vector more than it has
	taps   []int // where the taps lie, in bytes from the first
	order  []int // where pixels and taps lie that are one behind the other
}

// deepTile is what a kernel reads; convgen has the offsets.
type deepTile struct {
	x      unsafe.Pointer // 0
	w      unsafe.Pointer // 8, a vector for each tap
	offset unsafe.Pointer // 16, of each tap
	y      unsafe.Pointer // 24
	bias   unsafe.Pointer // 32, a vector
	taps   int            // 40
	rows   int            // 48
	stepX  int            // 56, bytes from row to row
	stepY  int            // 64
	relu   int            // 72, 0 or 1
	pixels int            // for the portable kernel, which serves every size
	stride int
}

// newDepth returns nil where the convolution is of another kind, its planes are large
// or its rows long: there the lanes of other kernels are full.
func (p *Plan) newDepth(threads int) *depth {
	s := &p.s
	if s.Group != s.C || s.M != s.C || s.C < fewestDeep || len(s.In) > 2 || p.pixels == 0 || p.plane == 0 || p.taps == 0 || p.scattered() {
		return nil
	}
	g := p.padded()
	d := &depth{g: g, lanes: chosen().lanes, bands: 1}
	d.blocks = (s.C + d.lanes - 1) / d.lanes
	d.width = (g.outWidth-1)*g.across + (g.taps-1)*g.wide + 1
	vector := 4 * d.lanes
	if high := d.under(g.outRows); g.across > deepStrides || max(high, d.width) > deepBytes || (high*d.width+1)*vector > deepBytes {
		return nil
	}
	d.cut(s.N, threads)
	rows := (g.outRows + d.bands - 1) / d.bands
	d.high, d.pixels, d.step = d.under(rows), rows*g.outWidth, g.down*d.width*vector
	for i := range whole(d.high*g.inWidth, d.lanes) + d.lanes {
		y, x := i/g.inWidth, i%g.inWidth+g.left
		if y >= d.high || x >= d.width || x < 0 {
			y, x = d.high, 0
		}
		d.at = append(d.at, (y*d.width+x)*vector)
	}
	for t := range p.taps {
		d.taps = append(d.taps, (t/g.taps*g.tall*d.width+t%g.taps*g.wide)*vector)
	}
	d.order = behind(max(p.taps, d.pixels), d.lanes, vector)
	return d
}

// under returns how many padded rows lie under some rows of pixels.
func (d *depth) under(rows int) int { return (rows-1)*d.g.down + (d.g.tapRows-1)*d.g.tall + 1 }

// cut settles the bands: what the cache holds, and as many as threads share alike, as
// long as few rows lie under two of them.
func (d *depth) cut(images, threads int) {
	g := &d.g
	for d.bands < g.outRows && 4*d.lanes*d.width*d.under((g.outRows+d.bands-1)/d.bands) > deepBand {
		d.bands++
	}
	twice := max(0, d.under(1)-g.down)
	if most, all := g.outRows*g.down/(1+4*twice), images*d.blocks; all < 4*threads && all*d.bands%threads != 0 {
		d.bands = alike(all, min(d.bands+1, max(d.bands, most)), most, threads)
	}
}

// image returns how many pixels the padded image of a band has, and one where what no
// window sees goes.
func (d *depth) image() int { return d.high*d.width + 1 }

// floats returns how much scratch a band needs: the padded image, its pixels, the taps
// and the bias.
func (d *depth) floats(p *Plan) int {
	return d.lanes * (d.image() + whole(d.pixels, d.lanes) + whole(p.taps, d.lanes) + 1)
}

// channels computes the bands [lo, hi) of all blocks of channels of all images.
func (p *Plan) channels(lo, hi int, scratch unsafe.Pointer, end *ending) {
	d, v := p.depth, chosen()
	g, vector := &d.g, 4*d.lanes
	// SAFETY: the scratch has room for these, one behind the other.
	pixels := unsafe.Add(scratch, d.image()*vector)
	taps := unsafe.Add(pixels, whole(d.pixels, d.lanes)*vector)
	bias := unsafe.Add(taps, whole(p.taps, d.lanes)*vector)
	t := deepTile{w: taps, offset: unsafe.Pointer(unsafe.SliceData(d.taps)), bias: bias, taps: p.taps, stepX: d.step, stepY: g.outWidth * vector, stride: g.across}
	if p.a.Relu {
		t.relu = 1
	}
	laid := -1 // the block of channels whose taps lie there
	for i := lo; i < hi; i++ {
		at, band := i/d.bands, i%d.bands
		image, c := at/d.blocks, at%d.blocks*d.lanes
		n := min(d.lanes, p.s.C-c)
		if at != laid {
			// SAFETY: channel c has a filter.
			v.spread(taps, unsafe.Add(p.a.W, 4*c*p.taps), p.taps, n, p.taps, d.order)
			d.setBias(bias, p.a.Bias, c, n)
		}
		y0, y1 := g.outRows*band/d.bands, g.outRows*(band+1)/d.bands
		d.lay(v, scratch, p.x(image, c), p.plane, n, y0*g.down-g.top, d.under(y1-y0), laid < 0)
		laid, t.rows = at, y1-y0
		for x := 0; x < g.outWidth; x += t.pixels {
			t.pixels = d.tile(g.outWidth - x)
			// SAFETY: column x lies in the image and among the pixels.
			t.x, t.y = unsafe.Add(scratch, x*g.across*vector), unsafe.Add(pixels, x*vector)
			v.deep(borrow(&t))
			runtime.KeepAlive(&t)
		}
		n0, n1 := y0*g.outWidth, y1*g.outWidth
		// SAFETY: channel c has an output plane with these pixels.
		v.gather(unsafe.Add(p.a.Y, 4*((image*p.s.M+c)*p.pixels+n0)), pixels, p.pixels, n, n1-n0, d.order)
		end.add(p, image, c, c+n, n0, n1)
	}
}

// lay turns the rows of n planes from row first on, which may lie in the padding, to an
// image of some rows. Fresh says that its sides have no zeros yet.
func (d *depth) lay(v *variant, image, x unsafe.Pointer, plane, n, first, rows int, fresh bool) {
	g, line := &d.g, d.lanes*d.width
	// SAFETY: the scratch has room for the image.
	all := unsafe.Slice((*float32)(image), d.lanes*d.image())
	from, to := min(rows, max(0, -first)), min(rows, max(0, g.inRows-first))
	clear(all[:from*line])
	if fresh {
		d.clearSides(all)
	}
	if from < to {
		// SAFETY: the planes have the rows [from, to) from row first on.
		v.spread(image, unsafe.Add(x, 4*(first+from)*g.inWidth), plane, n, (to-from)*g.inWidth, d.at[from*g.inWidth:])
	}
	clear(all[max(from, to)*line : rows*line]) // also what the last vector brought there
}

// clearSides writes zeros beside the planes: what lies right of a row and left of the next
// are neighbours.
func (d *depth) clearSides(image []float32) {
	g, line := &d.g, d.lanes*d.width
	left, right := d.lanes*min(g.left, d.width), d.lanes*max(0, d.width-g.left-g.inWidth)
	clear(image[:left])
	for r := 1; r < d.high; r++ {
		clear(image[r*line-right : r*line+left])
	}
	clear(image[d.high*line-right : d.high*line])
}

// tile returns how many of the columns left the next tile takes: all are of about one
// size.
func (d *depth) tile(left int) int {
	tiles := (left + deepPixels - 1) / deepPixels
	return (left + tiles - 1) / tiles
}

func (d *depth) setBias(dst, bias unsafe.Pointer, c, n int) {
	// SAFETY: there is room for a vector, and the bias has a number for each channel.
	to := unsafe.Slice((*float32)(dst), d.lanes)
	clear(to)
	if bias != nil {
		copy(to, unsafe.Slice((*float32)(unsafe.Add(bias, 4*c)), n))
	}
}
