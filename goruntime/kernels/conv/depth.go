package conv

import (
	"runtime"
	"unsafe"
)

// Bounds of the convolutions of single channels: pixels of a tile, strides that have
// tiles, and bytes of the padded planes of a block of channels.
const (
	deepPixels  = 8
	deepStrides = 2
	fewestDeep  = 8 // channels
	deepBytes   = 1 << 20
)

// depth is what a plan has for filters of one channel each: a vector holds one pixel
// of as many channels as it has lanes. The planes of a block of channels are turned to
// a padded image of such vectors, and its pixels back to planes.
type depth struct {
	lanes         int
	blocks        int // of channels
	width         int // of the padded image, in pixels
	size          int // pixels of it, and one where what no window sees goes
	rows, columns int // of the output
	step          int // bytes between the padded rows under neighbouring rows of pixels
	stride        int
	at            []int // where each input pixel goes, in bytes; up to whole vectors
	taps          []int // where the taps lie, in bytes from the first
	order         []int // where pixels and taps lie that are one behind the other
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
func (p *Plan) newDepth() *depth {
	s := &p.s
	if s.Group != s.C || s.M != s.C || s.C < fewestDeep || len(s.In) > 2 || p.pixels == 0 || p.plane == 0 || p.taps == 0 {
		return nil
	}
	g := p.padded()
	v := chosen()
	d := &depth{lanes: v.lanes, rows: g.outRows, columns: g.outWidth, stride: g.across}
	d.blocks = (s.C + d.lanes - 1) / d.lanes
	d.width = (g.outWidth-1)*g.across + (g.taps-1)*g.wide + 1
	high := (g.outRows-1)*g.down + (g.tapRows-1)*g.tall + 1
	d.size = high*d.width + 1
	vector := 4 * d.lanes
	if g.across > deepStrides || d.size*vector > deepBytes {
		return nil
	}
	d.step = g.down * d.width * vector
	for i := range whole(p.plane, d.lanes) {
		y, x := i/g.inWidth+g.top, i%g.inWidth+g.left
		if i >= p.plane || y >= high || x >= d.width || y < 0 || x < 0 {
			y, x = high, 0
		}
		d.at = append(d.at, (y*d.width+x)*vector)
	}
	for t := range p.taps {
		d.taps = append(d.taps, (t/g.taps*g.tall*d.width+t%g.taps*g.wide)*vector)
	}
	d.order = behind(max(p.taps, p.pixels), d.lanes, vector)
	return d
}

// floats returns how much scratch a block of channels needs: the padded image, its
// pixels, the taps and the bias.
func (d *depth) floats(p *Plan) int {
	return d.lanes * (d.size + whole(p.pixels, d.lanes) + whole(p.taps, d.lanes) + 1)
}

// channels computes the blocks of channels [lo, hi) of all images.
func (p *Plan) channels(lo, hi int, scratch unsafe.Pointer, end *ending) {
	d, v := p.depth, chosen()
	vector := 4 * d.lanes
	// SAFETY: the scratch has room for these, one behind the other.
	pixels := unsafe.Add(scratch, d.size*vector)
	taps := unsafe.Add(pixels, whole(p.pixels, d.lanes)*vector)
	bias := unsafe.Add(taps, whole(p.taps, d.lanes)*vector)
	clear(unsafe.Slice((*float32)(scratch), d.lanes*d.size))
	t := deepTile{w: taps, offset: unsafe.Pointer(unsafe.SliceData(d.taps)), bias: bias, taps: p.taps, rows: d.rows, stepX: d.step, stepY: d.columns * vector, stride: d.stride}
	if p.a.Relu {
		t.relu = 1
	}
	for i := lo; i < hi; i++ {
		image, c := i/d.blocks, i%d.blocks*d.lanes
		n := min(d.lanes, p.s.C-c)
		// SAFETY: channel c is one of the image, its filter and its output plane.
		v.spread(scratch, p.x(image, c), p.plane, n, p.plane, d.at)
		v.spread(taps, unsafe.Add(p.a.W, 4*c*p.taps), p.taps, n, p.taps, d.order)
		d.setBias(bias, p.a.Bias, c, n)
		for x := 0; x < d.columns; x += t.pixels {
			t.pixels = d.tile(d.columns - x)
			// SAFETY: column x lies in the image and among the pixels.
			t.x, t.y = unsafe.Add(scratch, x*d.stride*vector), unsafe.Add(pixels, x*vector)
			v.deep(borrow(&t))
			runtime.KeepAlive(&t)
		}
		// SAFETY: as above.
		v.gather(unsafe.Add(p.a.Y, 4*(image*p.s.M+c)*p.pixels), pixels, p.pixels, n, p.pixels, d.order)
		end.add(p, image, c, c+n, 0, p.pixels)
	}
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
