package conv

import (
	"runtime"
	"unsafe"
)

// Of the convolutions of single channels in lines: rows of pixels of a block, numbers of the
// outputs of a part, and what it costs to turn planes beside the taps of a pixel.
const (
	lineRows   = 4
	linesOfOne = 4 << 10
	turnedTaps = 10
)

// lineKind is a square window and its strides.
type lineKind struct{ window, down, across int }

// lines is what a plan has for filters of one channel each that read the lines of their
// planes where they lie: neighbouring pixels fill a vector, and masks leave out what a
// window sees beside a line. Rows of pixels are computed a few at a time, which see most
// of their lines together.
type lines struct {
	g      padded
	run    [lineRows]func(*lineTile)
	blocks int   // of channels
	each   int   // channels of a block
	bands  int   // of rows of pixels
	at     []int // where each line that the rows see begins in a plane, in bytes; -1 in the padding
	masks  []uint64
	vecs   int       // of a row
	zero   []float32 // what lies above and below a plane
	none   float32   // the bias where there is none
}

// lineTile is what a kernel reads, and where it counts; convgen has the offsets.
type lineTile struct {
	x      unsafe.Pointer // 0, of a plane
	w      unsafe.Pointer // 8
	bias   unsafe.Pointer // 16
	y      unsafe.Pointer // 24
	zero   unsafe.Pointer // 32, a line of zeros
	at     unsafe.Pointer // 40, where each line that the rows see begins, in bytes; -1 in the padding
	masks  unsafe.Pointer // 48, of each vector of pixels: those of its loads and of its store
	planes int            // 56
	blocks int            // 64, of rows
	vecs   int            // 72, of a row
	stepX  int            // 80, bytes from plane to plane
	stepY  int            // 88
	line   int            // 96, bytes of a row of pixels
	biases int            // 104, bytes from bias to bias
	relu   int            // 112, 0 or 1
	left   int            // 120, bytes from the start of a line to what the first pixel sees first
	picks  unsafe.Pointer // 128
}

// picks are the lanes of two vectors of 16 in which what lies under each of three columns of
// the window is, where pixels are two numbers apart; the last of all lies behind them.
var picks = func() (list [3][16]int32) {
	for x := range list {
		for i := range list[x] {
			list[x][i] = int32(2*i + x)
		}
	}
	return list
}()

// newLines returns nil where the convolution is of another kind, has no kernel, or rows that
// leave so much of their vectors empty that turned planes are faster.
func (p *Plan) newLines(threads int) *lines {
	s, v := &p.s, chosen()
	if s.Group != s.C || s.M != s.C || len(s.In) != 2 || p.pixels == 0 || p.plane == 0 || v.lines == nil {
		return nil
	}
	kind := lineKind{s.Kernel[1], s.Stride[0], s.Stride[1]}
	run, ok := v.lines[kind]
	if !ok || s.Kernel[0] != kind.window || s.Dilation[0] != 1 || s.Dilation[1] != 1 ||
		whole(s.Out[1], v.lanes)*p.taps >= s.Out[1]*(p.taps+turnedTaps) {
		return nil
	}
	g := p.padded()
	l := &lines{g: g, run: run}
	l.each = max(1, min(linesOfOne/p.pixels, (s.C+threads-1)/threads))
	l.blocks = (s.C + l.each - 1) / l.each
	l.bands = 1
	if all := s.N * l.blocks; all < 4*threads {
		l.bands = alike(all, 1, max(1, g.outRows/lineRows), threads)
	}
	for i := range (g.outRows-1)*g.down + g.taps {
		at := -1
		if y := i - g.top; y >= 0 && y < g.inRows {
			at = 4 * y * g.inWidth
		}
		l.at = append(l.at, at)
	}
	l.mask(v.lanes)
	l.vecs = (g.outWidth + v.lanes - 1) / v.lanes
	l.zero = make([]float32, g.inWidth)
	return l
}

// mask lists the masks of each vector of pixels: those of what is loaded for it, then that
// of the pixels. A load has the numbers under a column of the window or, where pixels are two
// numbers apart, the first vector of those under all, the second, and the one behind them as
// the last lane.
func (l *lines) mask(lanes int) {
	bits := func(first, size int) (m uint64) {
		for i := range lanes {
			if at := first + i; at >= 0 && at < size {
				m |= 1 << i
			}
		}
		return m
	}
	for j := 0; j < l.g.outWidth; j += lanes {
		first, size := j*l.g.across-l.g.left, l.g.inWidth
		if l.g.across == 2 {
			l.masks = append(l.masks, bits(first, size), bits(first+lanes, size), bits(first+2*lanes, size)&1<<(lanes-1))
		} else {
			for x := range l.g.taps {
				l.masks = append(l.masks, bits(first+x, size))
			}
		}
		l.masks = append(l.masks, bits(j, l.g.outWidth))
	}
}

// straight computes the bands [lo, hi) of all blocks of channels of all images.
func (p *Plan) straight(lo, hi int, end *ending) {
	l := p.lines
	g := &l.g
	for i := lo; i < hi; i++ {
		at, band := i/l.bands, i%l.bands
		image, c := at/l.blocks, at%l.blocks*l.each
		n := min(l.each, p.s.C-c)
		y0, y1 := g.outRows*band/l.bands, g.outRows*(band+1)/l.bands
		// Blocks of about one size, the larger ones first.
		blocks := (y1 - y0 + lineRows - 1) / lineRows
		size, more := (y1-y0)/blocks, (y1-y0)%blocks
		l.rows(p, image, c, n, y0, size+1, more)
		l.rows(p, image, c, n, y0+more*(size+1), size, blocks-more)
		end.add(p, image, c, c+n, y0*g.outWidth, y1*g.outWidth)
	}
}

// rows computes some blocks of rows from row y on, of n channels from c on.
func (l *lines) rows(p *Plan, image, c, n, y, size, blocks int) {
	if blocks == 0 {
		return
	}
	g := &l.g
	t := lineTile{
		zero: unsafe.Pointer(unsafe.SliceData(l.zero)), masks: unsafe.Pointer(unsafe.SliceData(l.masks)), picks: unsafe.Pointer(&picks),
		at: unsafe.Pointer(&l.at[y*g.down]), bias: unsafe.Pointer(&l.none),
		planes: n, blocks: blocks, vecs: l.vecs, stepX: 4 * p.plane, stepY: 4 * p.pixels, line: 4 * g.outWidth, left: -4 * g.left,
	}
	// SAFETY: channel c has a filter, a plane, and pixels from row y on.
	t.w = unsafe.Add(p.a.W, 4*c*p.taps)
	// SAFETY: as above.
	t.x = unsafe.Add(p.a.X, 4*(image*p.s.C+c)*p.plane)
	// SAFETY: as above.
	t.y = unsafe.Add(p.a.Y, 4*((image*p.s.M+c)*p.pixels+y*g.outWidth))
	if p.a.Bias != nil {
		// SAFETY: the bias has a number for each channel.
		t.bias, t.biases = unsafe.Add(p.a.Bias, 4*c), 4
	}
	if p.a.Relu {
		t.relu = 1
	}
	l.run[size-1](borrow(&t))
	runtime.KeepAlive(&t)
}
