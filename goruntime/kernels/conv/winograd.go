package conv

import (
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// Winograd's convolution F(4x4, 3x3): windows of 3x3 that lie side by side are
// computed in tiles of 4x4 pixels from 6x6 inputs. Input and filters are
// evaluated at 36 points, where their product is one number each: 36 matrix
// products with a quarter of the multiplications. The points are 0, ±√½, ±√2 and
// infinity, which keeps the rounding errors about twice those of plain sums.
//
// A vector holds a number of as many channels, or filters, as it has lanes: planes
// are turned to a padded image of such vectors, whatever their width, and pixels back
// to planes. Rows of the products are tiles, columns are filters.

// points is how many numbers a tile has at the points.
const points = 36

// Bounds of what a block of tiles takes: bytes of its inputs and sums at the points, the
// tiles that are enough, and those below which a block is not worth splitting.
const (
	tileBytes   = 1 << 20
	mostTiles   = 48
	fewestTiles = 12
)

// What tiles are worth while for: channels and filters that fill a vector, and some pixels.
// Below manyPixels the filters at the points, four times as many numbers, take longer to
// read than to be multiplied where there are many pairs of channels and filters.
const (
	fewestChannels = widest
	fewestPixels   = 36
	manyPixels     = 96
	pairsOfPixel   = 768
)

// filterCut is how many filters are computed together at least.
const filterCut = 32

// winograd is what a plan has for tiles. A block of them is a rectangle.
type winograd struct {
	lanes         int
	wide, tall    int   // tiles of the image
	columns, rows int   // of tiles of a block, at most
	across, down  int   // blocks side by side, and one above the other
	cuts          int   // of the filters
	length        int   // numbers of a tile at a point: channels, up to whole vectors
	offsets       []int // in bytes, of the 36 inputs of a tile
	line          []int // in bytes, of pixels side by side; up to whole vectors
}

// tileable reports whether tiles are worth while.
func (p *Plan) tileable() bool {
	s := &p.s
	if s.Plain || s.N == 0 || len(s.In) != 2 || s.Group != 1 || min(s.C, s.M) < fewestChannels || p.pixels < fewestPixels {
		return false
	}
	for i := range s.In {
		if s.Kernel[i] != 3 || s.Stride[i] != 1 || s.Dilation[i] != 1 {
			return false
		}
	}
	return p.pixels >= manyPixels || s.C*s.M <= pairsOfPixel*p.pixels
}

// newWinograd returns nil where the convolution is of another kind or too small.
func (p *Plan) newWinograd(threads int) *winograd {
	if !p.tileable() {
		return nil
	}
	s := &p.s
	v := chosen()
	w := &winograd{lanes: v.lanes, tall: (s.Out[0] + 3) / 4, wide: (s.Out[1] + 3) / 4, length: whole(s.C, v.lanes), cuts: 1}
	w.split(s.N, threads)
	if blocks := s.N * w.across * w.down; blocks < threads { // who shares a block evaluates its input too
		w.cuts = max(1, min((s.M+filterCut-1)/filterCut, (threads+blocks-1)/blocks))
	}
	for t := range points {
		w.offsets = append(w.offsets, (t/6*w.width()+t%6)*w.vector())
	}
	w.line = behind(max(4*w.columns, w.width()), v.lanes, w.vector())
	return w
}

// Winograd reports whether the packed filters are those at the points.
func (p *Plan) Winograd() bool { return p.wino != nil }

// transform is what the kernels read; convgen has the offsets.
type transform struct {
	dst    unsafe.Pointer // 0
	src    unsafe.Pointer // 8
	offset unsafe.Pointer // 16, of the 36 inputs in src
	step   int            // 24, bytes between the points
	n      int            // 32, tiles side by side
	row    int            // 40, bytes between the rows of pixels
	next   int            // 48, bytes between the tiles at a point
	bias   unsafe.Pointer // 56, a vector
	low    float32        // 64, what pixels are at least
	seen   unsafe.Pointer // 72, a vector: NaN where a pixel was not finite before
}

// tiles computes the filters [m0, m1) of a block of tiles. Fresh says that the
// scratch does not hold the inputs of this block yet.
func (p *Plan) tiles(image, block, m0, m1 int, scratch unsafe.Pointer, fresh bool, end *ending) {
	w, b := p.wino, p.wino.block(block)
	// SAFETY: the scratch has room for these, one behind the other.
	inputs := unsafe.Add(scratch, 4*w.image())
	sums := unsafe.Add(inputs, 4*points*w.apart(w.length))
	pixels := unsafe.Add(sums, 4*points*w.apart(gemm.Panel))
	if fresh {
		p.toPoints(image, b, scratch, inputs)
	}
	for m, some := m0, 0; m < m1; m += some {
		some = min(gemm.Panel-m%gemm.Panel, m1-m)
		g := gemm.Args{M: b.rows * b.columns, N: some, K: p.s.C, LDA: w.length, LDC: gemm.Panel}
		for i := range points {
			// SAFETY: filters, inputs and sums have a matrix for each point.
			g.A, g.B, g.C = unsafe.Add(inputs, 4*i*w.apart(w.length)), p.panel(m, i), unsafe.Add(sums, 4*i*w.apart(gemm.Panel))
			gemm.Run(&g, 0, g.M, 0, some)
		}
		p.toPixels(image, b, m, some, sums, pixels)
		high, wide := p.s.Out[0], p.s.Out[1]
		if first := 4*b.y*wide + 4*b.x; b.columns == w.wide {
			end.add(p, image, m, m+some, first, min(p.pixels, first+4*b.rows*wide))
		} else {
			for r := range min(4*b.rows, high-4*b.y) {
				end.add(p, image, m, m+some, first+r*wide, first+r*wide+min(4*b.columns, wide-4*b.x))
			}
		}
	}
}

// panel returns where the filters from m on lie at a point.
func (p *Plan) panel(m, point int) unsafe.Pointer {
	in := m % gemm.Panel
	// SAFETY: a panel has a matrix for each point.
	return unsafe.Add(p.a.Packed, 4*(((m-in)*points+point*gemm.Panel)*p.s.C+in))
}

// toPoints evaluates the input of a block of tiles, a vector of channels at a time.
func (p *Plan) toPoints(image int, b rectangle, scratch, inputs unsafe.Pointer) {
	w, v := p.wino, chosen()
	// SAFETY: the scratch has this size.
	clear(unsafe.Slice((*float32)(scratch), w.image()))
	pitch := w.width() * w.vector()
	t := transform{offset: unsafe.Pointer(unsafe.SliceData(w.offsets)), step: 4 * w.apart(w.length), n: b.columns, next: 4 * w.length}
	top, left := 4*b.y-p.s.Begin[0], 4*b.x-p.s.Begin[1]
	y0, y1 := max(0, -top), min(4*b.rows+2, p.s.In[0]-top)
	x0, x1 := max(0, -left), min(4*b.columns+2, p.s.In[1]-left)
	for c := 0; c < p.s.C; c += w.lanes {
		for y := y0; y < y1 && x0 < x1; y++ {
			// SAFETY: channel c has a plane, of which row top+y has the columns from left+x0
			// on; vectors that go beyond a row of the block are zero, as is what is there.
			v.spread(unsafe.Add(scratch, y*pitch+x0*w.vector()), unsafe.Add(p.x(image, 0), 4*(c*p.plane+(top+y)*p.s.In[1]+left+x0)), p.plane, min(w.lanes, p.s.C-c), x1-x0, w.line)
		}
		for r := range b.rows {
			// SAFETY: row r of tiles lies in the padded image; each tile has a row in the
			// matrices of inputs.
			t.src, t.dst = unsafe.Add(scratch, 4*r*pitch), unsafe.Add(inputs, 4*(r*b.columns*w.length+c))
			v.input(borrow(&t))
			runtime.KeepAlive(&t)
		}
	}
}

// toPixels makes the pixels of some filters from m on from the sums at the points. Tiles
// with a pixel that is not finite are summed anew.
func (p *Plan) toPixels(image int, b rectangle, m, some int, sums, pixels unsafe.Pointer) {
	w, v := p.wino, chosen()
	// SAFETY: the numbers of a panel, and a vector, lie behind the pixels.
	bias := unsafe.Slice((*float32)(unsafe.Add(pixels, 4*w.pixels())), gemm.Panel+widest)
	bias, seen := bias[:gemm.Panel], bias[gemm.Panel:]
	clear(bias)
	if p.a.Bias != nil {
		// SAFETY: the bias has a number for each filter.
		copy(bias, unsafe.Slice((*float32)(unsafe.Add(p.a.Bias, 4*m)), some))
	}
	pitch, low := 4*b.columns*w.vector(), float32(math.Inf(-1))
	if p.a.Relu {
		low = 0
	}
	t := transform{step: 4 * w.apart(gemm.Panel), n: b.columns, row: pitch, next: 4 * gemm.Panel, seen: unsafe.Pointer(&seen[0])}
	high, wide := min(4*b.rows, p.s.Out[0]-4*b.y), min(4*b.columns, p.s.Out[1]-4*b.x)
	for f := 0; f < some; f += w.lanes {
		n := min(w.lanes, some-f)
		clear(seen)
		t.low, t.bias = low, unsafe.Pointer(&bias[f])
		// SAFETY: the sums of filter f follow those of the first.
		t.rows(v.output, b, unsafe.Add(sums, 4*f), pixels)
		if slices.ContainsFunc(seen[:n], notFinite) {
			t.low = float32(math.Inf(-1)) // what is rectified does not show what it was
			// SAFETY: as above.
			t.rows(v.output, b, unsafe.Add(sums, 4*f), pixels)
			p.remake(image, b, m+f, n, pixels)
		}
		for r := range high {
			// SAFETY: filter m+f has a plane, of which row 4*b.y+r has the columns from 4*b.x on.
			v.gather(unsafe.Add(p.a.Y, 4*((image*p.s.M+m+f)*p.pixels+(4*b.y+r)*p.s.Out[1]+4*b.x)), unsafe.Add(pixels, r*pitch), p.pixels, n, wide, w.line)
		}
	}
}

// rows makes the pixels of all rows of a block of tiles.
func (t *transform) rows(output func(*transform), b rectangle, sums, pixels unsafe.Pointer) {
	for r := range b.rows {
		// SAFETY: row r of tiles has rows in the matrices of sums and rows of pixels.
		t.src, t.dst = unsafe.Add(sums, r*b.columns*t.next), unsafe.Add(pixels, 4*r*t.row)
		output(borrow(t))
	}
	runtime.KeepAlive(t)
}

// packPoints writes the filters [M, C, 3, 3] at the points, as panels of them:
// [ceil(M/64), 36, C, 64], padded with zeros.
func packPoints(dst, w []float32, filters, channels int) {
	var g [6][3]float64
	for i, p := range []float64{0, math.Sqrt2 / 2, -math.Sqrt2 / 2, math.Sqrt2, -math.Sqrt2} {
		n := []float64{1, -1.5, -1.5, 6, 6}[i]
		g[i] = [3]float64{1 / n, p / n, p * p / n}
	}
	g[5] = [3]float64{0, 0, 1}
	for m := 0; m < filters; m += gemm.Panel {
		panel := dst[m*points*channels:][:points*channels*gemm.Panel]
		some := min(gemm.Panel, filters-m)
		if some < gemm.Panel {
			clear(panel)
		}
		for c := range channels {
			for f := range some {
				k := w[9*((m+f)*channels+c):][:9]
				for i := range 6 {
					var row [3]float64
					for x := range row {
						row[x] = g[i][0]*float64(k[x]) + g[i][1]*float64(k[3+x]) + g[i][2]*float64(k[6+x])
					}
					for j := range 6 {
						panel[((i*6+j)*channels+c)*gemm.Panel+f] = float32(row[0]*g[j][0] + row[1]*g[j][1] + row[2]*g[j][2])
					}
				}
			}
		}
	}
}
