package conv

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// Winograd's convolution F(4x4, 3x3): windows of 3x3 that lie side by side are
// computed in tiles of 4x4 pixels from 6x6 inputs. Input and filters are
// evaluated at 36 points, where their product is one number each: 36 matrix
// products with a quarter of the multiplications. The points are 0, ±√½, ±√2 and
// infinity, which keeps the rounding errors about twice those of plain sums.

// points is how many numbers a tile has at the points.
const points = 36

// Bounds of what a band of tiles takes: bytes of its inputs at the points, and
// filters that are computed at a time.
const (
	tileBytes   = 1 << 20
	tileFilters = 48
)

// winograd is what a plan has for tiles. A band of rows of tiles is one run of tiles.
// In the padded planes one lies between the rows that is not used; short rows leave it
// out when they are evaluated.
type winograd struct {
	d       padded // in phases of every fourth row and column
	rows    int    // of tiles of the image
	bands   int
	cuts    int
	run     int // tiles of a band, up to a multiple of 16
	wide    int // tiles from row to row among them
	used    []bool
	base    []int      // where each vector of tiles begins that lie close, in bytes, or nil
	lanes   []laneList // and which of the numbers from there on it takes
	offsets []int      // of the 36 inputs, in bytes
}

// newWinograd returns nil where the convolution is of another kind or too small.
func (p *Plan) newWinograd() *winograd {
	s := &p.s
	if s.Plain || len(s.In) != 2 || s.Group != 1 || s.C < 16 || s.M < 16 || s.C*s.M < 1024 {
		return nil
	}
	for i := range s.In {
		if s.Kernel[i] != 3 || s.Stride[i] != 1 || s.Dilation[i] != 1 {
			return nil
		}
	}
	d := p.padded()
	d.across, d.down, d.taps, d.tapRows = 4, 4, 6, 6
	w := &winograd{rows: (d.outRows + 3) / 4}
	d.outWidth = (d.outWidth + 3) / 4
	d.width = d.outWidth + 1
	if d.width > 256 || p.pixels < 96 {
		return nil
	}
	most := min(128, max(32, tileBytes/(4*points*s.C)))
	apart := func(rows int) int { return run(rows, d.width) }
	closely := func(rows int) int { return whole(rows*d.outWidth, 16) }
	d.outRows, w.wide = w.height(d.width, most, apart), d.width
	w.run = apart(d.outRows)
	if rows := w.height(d.outWidth, most, closely); d.outWidth > 1 && 8*w.all(rows, closely) <= 7*w.all(d.outRows, apart) {
		d.outRows, w.wide = rows, d.outWidth
		w.run = closely(rows)
	}
	d.rows = d.outRows + 1
	w.d, w.used = d, d.used()
	if w.wide < d.width {
		w.close(chosen().lanes)
	}
	w.bands = (w.rows + d.outRows - 1) / d.outRows
	w.cuts = p.cut(w.bands, tileFilters)
	if w.bands*s.N > 1 { // threads that share a band both evaluate its input
		w.cuts = p.cut(w.bands, 2*tileFilters)
	}
	for t := range points {
		w.offsets = append(w.offsets, 4*d.offset(t))
	}
	return w
}

// run returns how many tiles the vectors of a band of rows hold.
func run(rows, width int) int { return (rows*width + 14) / 16 * 16 }

// height returns how many rows of up to most tiles, each of width, leave the least of
// the vectors of all bands empty.
func (w *winograd) height(width, most int, run func(rows int) int) int {
	best, least := 1, 0
	for h := 1; h <= w.rows && (h == 1 || h*width <= most+1); h++ {
		if all := w.all(h, run); least == 0 || all <= least {
			best, least = h, all
		}
	}
	return best
}

// all returns how many tiles the vectors of all bands of so many rows hold.
func (w *winograd) all(rows int, run func(rows int) int) int {
	return (w.rows + rows - 1) / rows * run(rows)
}

// laneList names the lanes of a vector: from 0 on those of the first of two vectors,
// then those of the second. With eight lanes the last eight are set for the second.
type laneList [16]int32

// close lists where the tiles lie that the vectors of a band hold.
func (w *winograd) close(lanes int) {
	last := w.d.outRows*w.wide - 1
	at := func(i int) int {
		i = min(i, last) // vectors end with the last tile again
		return i/w.wide*w.d.width + i%w.wide
	}
	for i := 0; i < w.run; i += lanes {
		var list laneList
		for k := range lanes {
			n := at(i+k) - at(i)
			list[k] = int32(n)
			if lanes == 8 && n >= 8 {
				list[k], list[8+k] = int32(n-8), -1
			}
		}
		w.base, w.lanes = append(w.base, 4*at(i)), append(w.lanes, list)
	}
}

// Winograd reports whether the packed filters are those at the points.
func (p *Plan) Winograd() bool { return p.wino != nil }

// plane is how many floats a padded plane takes: vectors are read beyond its end.
func (w *winograd) plane() int { return w.d.size() + w.run + 32 }

// apart is how many floats lie between the matrices of two points. One vector more
// than they have keeps the 36 from sharing a set of the cache.
func (w *winograd) apart(rows int) int { return rows*w.run + 16 }

// floats returns how much scratch a band needs.
func (w *winograd) floats(p *Plan) int {
	return w.plane() + points*(w.apart(p.s.C)+w.apart(tileFilters)) + max(16*w.run, w.d.stage())
}

// transform is what the kernels read; convgen has the offsets.
type transform struct {
	dst    unsafe.Pointer // 0
	src    unsafe.Pointer // 8
	offset unsafe.Pointer // 16, of the 36 inputs in src
	step   int            // 24, bytes between the points
	n      int            // 32, vectors
	row    int            // 40, bytes between the rows of pixels
	bias   float32        // 48
	base   unsafe.Pointer // 56, where each vector of tiles begins in src that lie close
	lanes  unsafe.Pointer // 64, and its laneList
	tiles  int            // for the portable kernels
}

// tiles computes the filters [m0, m1) of a band of tiles. Fresh says that the
// scratch does not hold the inputs of this band yet.
func (p *Plan) tiles(image, band, m0, m1 int, scratch unsafe.Pointer, fresh bool, end *ending) {
	w, v := p.wino, chosen()
	// SAFETY: the scratch has room for these, one behind the other.
	inputs := unsafe.Add(scratch, 4*w.plane())
	sums := unsafe.Add(inputs, 4*points*w.apart(p.s.C))
	pixels := unsafe.Add(sums, 4*points*w.apart(tileFilters))
	if fresh {
		p.toPoints(v, image, band*w.d.outRows, scratch, inputs, pixels)
	}
	sound := true
	for m := m0; m < m1; m += tileFilters {
		some := min(tileFilters, m1-m)
		g := gemm.Args{M: some, N: w.run, K: p.s.C, LDA: p.s.C, LDB: w.run, LDC: w.run}
		for i := range points {
			// SAFETY: filters, inputs and sums have a matrix for each point.
			g.A, g.B, g.C = unsafe.Add(p.a.Packed, 4*(i*p.s.M+m)*p.s.C), unsafe.Add(inputs, 4*i*w.apart(p.s.C)), unsafe.Add(sums, 4*i*w.apart(tileFilters))
			gemm.Run(&g, 0, some, 0, w.run)
		}
		if m == m0 {
			sound = w.sound(sums)
		}
		for i := range some {
			// SAFETY: filter i has a row in the matrices of sums.
			p.toPixels(v, image, band*w.d.outRows, m+i, unsafe.Add(sums, 4*i*w.run), pixels, sound)
			first := 4 * band * w.d.outRows * p.s.Out[1]
			end.add(p, image, m+i, m+i+1, first, min(p.pixels, first+4*w.d.outRows*p.s.Out[1]))
		}
	}
}

// toPoints evaluates the input of a band of tiles that begins at row y of them;
// room is for the rows before their columns are picked.
func (p *Plan) toPoints(v *variant, image, y int, scratch, inputs, room unsafe.Pointer) {
	w := p.wino
	// SAFETY: the scratch and the planes of an image have these sizes.
	plane := unsafe.Slice((*float32)(scratch), w.plane())
	src := unsafe.Slice((*float32)(p.x(image, 0)), p.s.C*p.plane)
	stage := unsafe.Slice((*float32)(room), w.d.stage())
	clear(plane[w.d.size():])
	clear(stage)
	t := transform{src: scratch, offset: unsafe.Pointer(unsafe.SliceData(w.offsets)), step: 4 * w.apart(p.s.C), n: w.run / v.lanes, tiles: w.run, base: unsafe.Pointer(unsafe.SliceData(w.base)), lanes: unsafe.Pointer(unsafe.SliceData(w.lanes))}
	for c := range p.s.C {
		w.d.fill(plane[:w.d.size()], stage, src[c*p.plane:(c+1)*p.plane], y, w.used)
		// SAFETY: channel c has a row in the matrices of inputs.
		t.dst = unsafe.Add(inputs, 4*c*w.run)
		if w.base == nil {
			v.input(borrow(&t))
		} else {
			v.inputClosely(borrow(&t))
		}
		runtime.KeepAlive(&t)
	}
}

// toPixels makes the pixels of a filter from the sums at the points, which are sound
// where all of them are numbers.
func (p *Plan) toPixels(v *variant, image, y, m int, sums, pixels unsafe.Pointer, sound bool) {
	w := p.wino
	t := transform{dst: pixels, src: sums, step: 4 * w.apart(tileFilters), n: w.run / v.lanes, row: 16 * w.run, tiles: w.run}
	if p.a.Bias != nil {
		// SAFETY: the bias has a number for each filter.
		t.bias = unsafe.Slice((*float32)(p.a.Bias), p.s.M)[m]
	}
	v.output(borrow(&t))
	runtime.KeepAlive(&t)
	// SAFETY: the scratch and the output plane have these sizes.
	from := unsafe.Slice((*float32)(pixels), 16*w.run)
	out := unsafe.Slice((*float32)(unsafe.Add(p.a.Y, 4*(image*p.s.M+m)*p.pixels)), p.pixels)
	if !sound {
		p.remake(image, y, m, from)
	}
	if p.a.Relu {
		vec.Apply(vec.Rectifier, from, from)
	}
	high, wide := p.s.Out[0], p.s.Out[1]
	for r := range min(4*w.d.outRows, high-4*y) {
		copy(out[(4*y+r)*wide:][:wide], from[r%4*4*w.run+r/4*4*w.wide:])
	}
}

// packPoints writes the filters [M, C, 3, 3] at the points, [36, M, C].
func packPoints(dst, w []float32, filters, channels int) {
	var g [6][3]float64
	for i, p := range []float64{0, math.Sqrt2 / 2, -math.Sqrt2 / 2, math.Sqrt2, -math.Sqrt2} {
		n := []float64{1, -1.5, -1.5, 6, 6}[i]
		g[i] = [3]float64{1 / n, p / n, p * p / n}
	}
	g[5] = [3]float64{0, 0, 1}
	for f := range filters * channels {
		k := w[9*f : 9*f+9]
		for i := range 6 {
			var row [3]float64
			for x := range row {
				row[x] = g[i][0]*float64(k[x]) + g[i][1]*float64(k[3+x]) + g[i][2]*float64(k[6+x])
			}
			for j := range 6 {
				dst[(i*6+j)*filters*channels+f] = float32(row[0]*g[j][0] + row[1]*g[j][1] + row[2]*g[j][2])
			}
		}
	}
}
