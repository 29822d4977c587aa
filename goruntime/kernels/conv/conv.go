// Package conv convolves float32 images in NCHW with any kernel, stride,
// dilation, padding and group, in one, two or three spatial dimensions.
//
// Constant filters of 3x3 over many channels are applied in tiles of 4x4 pixels,
// by Winograd's algorithm. Other windows slide over a band of padded rows, where
// the values under one tap of neighbouring pixels are neighbours: a tile of
// filters and pixels reads them through a table of offsets, one for each tap. With
// a stride the rows are split into phases first, of which those are laid out that a
// window sees. Windows of one pixel are a matrix product with the image in place. Where
// there are few pixels, or rows of them would leave vectors empty, the product is turned
// round: rows are pixels, columns are filters in packed panels. Filters of one channel each, of 3x3 or 5x5, read
// the lines of their planes where they lie; where rows are short, or windows are others, and
// planes small, they work on channels that lie side by side, a vector for each pixel. What is left, volumes among it, is an
// implicit matrix product: for a block of 64 output pixels the values under the
// window are laid out as a panel [K][64], K = C/group * taps. Shape and filters settle
// the order in which an output is summed over the taps, so that a split changes no bit.
package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// Shape is the geometry of a convolution; lists have one entry for each spatial
// dimension.
type Shape struct {
	N, C, M, Group                           int
	In, Out, Kernel, Stride, Dilation, Begin []int
	Plain                                    bool // sums of products alone: no Winograd
	Kept                                     bool // the filters are packed, once for all runs
}

// Args are the memory of one run.
type Args struct {
	X, W, Y unsafe.Pointer // [N, C, In...], [M, C/Group, Kernel...], [N, M, Out...]
	Bias    unsafe.Pointer // [M] or nil
	Packed  unsafe.Pointer // what PackFilters made, or nil
	Scratch []byte         // Workspace bytes
	Relu    bool
	Tail    *chain.Bound // what is applied to Y part by part, or nil
}

// widest is how many lanes the widest vector has.
const widest = 16

// An image of up to fewPixels pixels has its filters in the columns of the product, as
// has one of up to mostPixels that leaves an eighth of its vectors empty.
const (
	fewPixels  = 24
	mostPixels = 52
)

// Plan is a convolution prepared for one geometry. It implements the task of a
// parallel loop over its parts.
//
// Concurrency: one run at a time; the chunks of a run work side by side.
type Plan struct {
	s       Shape
	pixels  int // of an output image
	plane   int // of an input image
	taps    int
	k       int // length of a sum: channels of a group times taps
	perM    int // filters of a group
	direct  bool
	few     bool       // rows of the product are pixels
	grid    gemm.Grid  // direct or few: how threads share the product
	turn    *pixelRows // few
	wino    *winograd  // nil where it does not pay
	slide   *slide     // nil where windows do not slide over padded rows
	depth   *depth     // nil where filters are of several channels, or planes large
	lines   *lines     // nil where filters are of several channels, or lines short
	pieces  []piece    // of all blocks, what unfold lays out
	first   []int32    // where the pieces of each block begin; one more at the end
	blocks  int        // of pixels: bands of rows, or some panels
	cuts    int        // of the filters of a group, where there are few blocks
	perPart int        // bytes of scratch of one thread's chunk
	ends    int        // of them, where the scratch of the tail starts
	slots   int
	free    chan int
	a       *Args
}

// NewPlan prepares a convolution for runs on up to threads threads, each of which ends
// with a tail like this one, or with none.
func NewPlan(s Shape, threads int, tail *chain.Bound) *Plan {
	threads = max(1, threads)
	p := &Plan{s: s, pixels: product(s.Out), plane: product(s.In), taps: product(s.Kernel), perM: s.M / s.Group}
	p.k = s.C / s.Group * p.taps
	p.direct = p.isDirect()
	p.few = p.fewPixels()
	p.blocks = (p.pixels + gemm.Panel - 1) / gemm.Panel
	p.cuts = 1
	switch {
	case p.few:
		p.perPart = 4 * p.rowsOfPixels(threads)
	case p.direct:
		p.shareDirect(threads, tail)
	default:
		p.perPart = 4 * p.windows(threads)
		if !p.few {
			p.cuts = p.cut(threads, 2*tileRows)
		}
	}
	p.ends = (p.perPart + 63) &^ 63
	p.perPart = p.ends
	if tail != nil {
		p.perPart = (p.ends + 4*tail.Scratch() + 63) &^ 63
	}
	p.slots = threads
	p.free = make(chan int, p.slots)
	for i := range p.slots {
		p.free <- i
	}
	if !p.direct && p.slide == nil && p.depth == nil && p.lines == nil && p.turn.whole() {
		p.list()
	}
	return p
}

// windows settles how windows of several pixels are read, and returns the float32s of
// scratch of a chunk.
func (p *Plan) windows(threads int) int {
	if p.lines = p.newLines(threads); p.lines != nil {
		return 0
	}
	if p.depth = p.newDepth(threads); p.depth != nil {
		return p.depth.floats(p)
	}
	if p.slide = p.newSlide(threads); p.slide == nil {
		return p.k * gemm.Panel
	}
	p.blocks = p.slide.bands
	if p.wino = p.newWinograd(threads); p.wino != nil {
		return max(p.slide.floats(), p.wino.floats())
	}
	if p.few = p.s.Kept && p.rowsPay(); p.few {
		p.slide = nil
		return p.rowsOfPixels(threads)
	}
	return p.slide.floats()
}

// fewPixels reports whether rows of the product are pixels.
func (p *Plan) fewPixels() bool {
	if p.perM < widest || p.tileable() {
		return false
	}
	empty := whole(p.pixels, widest) - p.pixels
	return p.pixels <= fewPixels || p.pixels <= mostPixels && p.perM >= gemm.Panel && 8*empty >= p.pixels
}

func product(list []int) int {
	n := 1
	for _, d := range list {
		n *= d
	}
	return n
}

// isDirect reports whether an input plane is the panel already: windows of one
// pixel that lie side by side.
func (p *Plan) isDirect() bool {
	for i := range p.s.In {
		if p.s.Kernel[i] != 1 || p.s.Stride[i] != 1 || p.s.Begin[i] != 0 || p.s.Out[i] != p.s.In[i] {
			return false
		}
	}
	return true
}

// offset returns where in an input plane, seen in its first n dimensions alone,
// tap t of output pixel i lies, -1 in the padding.
func (p *Plan) offset(n, i, t int) int {
	at, step := 0, 1
	for d := n - 1; d >= 0; d-- {
		x := i%p.s.Out[d]*p.s.Stride[d] - p.s.Begin[d] + t%p.s.Kernel[d]*p.s.Dilation[d]
		if x < 0 || x >= p.s.In[d] {
			return -1
		}
		at += x * step
		step *= p.s.In[d]
		i /= p.s.Out[d]
		t /= p.s.Kernel[d]
	}
	return at
}

// Workspace returns the bytes of scratch that a run needs.
func (p *Plan) Workspace() int { return p.perPart * p.slots }

// PackedFilters returns how many float32s PackFilters writes, 0 where the
// filters are read as they are.
func (p *Plan) PackedFilters() int {
	if p.wino != nil {
		return points * whole(p.s.M, gemm.Panel) * p.s.C
	}
	if !p.few {
		return 0
	}
	return p.s.Group * gemm.PackedSize(p.k, p.perM)
}

// PackFilters writes the filters w [M, C/Group, Kernel...] as panels.
func (p *Plan) PackFilters(dst, w []float32) {
	if p.wino != nil {
		packPoints(dst, w, p.s.M, p.s.C)
		return
	}
	p.packRows(dst, w)
}

// Bind sets the memory of the next run.
func (p *Plan) Bind(a *Args) { p.a = a }

// Parts returns the number of iterations of the loop: image, group and block.
func (p *Plan) Parts() int {
	if p.pixels == 0 {
		return 0
	}
	switch {
	case p.lines != nil:
		return p.s.N * p.lines.blocks * p.lines.bands
	case p.depth != nil:
		return p.s.N * p.depth.blocks * p.depth.bands
	}
	blocks, cuts := p.split()
	return p.s.N * p.s.Group * blocks * cuts
}

// winograd reports whether this run has the filters that it needs.
func (p *Plan) winograd() bool { return p.wino != nil && p.a != nil && p.a.Packed != nil }

// Chunk computes the parts [lo, hi).
func (p *Plan) Chunk(lo, hi int) {
	slot := <-p.free
	defer func() { p.free <- slot }()
	var scratch unsafe.Pointer
	if p.perPart > 0 {
		scratch = unsafe.Pointer(&p.a.Scratch[slot*p.perPart])
	}
	end := p.ending(scratch)
	switch {
	case p.lines != nil:
		p.straight(lo, hi, &end)
	case p.depth != nil:
		p.channels(lo, hi, scratch, &end)
	case p.direct && !p.few:
		p.products(lo, hi, &end)
	default:
		p.sliding(lo, hi, scratch, &end)
	}
	end.flush()
}

// products computes the parts [lo, hi) of direct convolutions.
func (p *Plan) products(lo, hi int, end *ending) {
	parts := p.grid.Parts()
	for lo < hi {
		at, first := lo/parts, lo%parts
		image, group := at/p.s.Group, at%p.s.Group
		m0, m1, n0, n1, next := p.grid.Cover(first, min(parts, first+hi-lo))
		p.block(image, group, m0, m1, n0, n1, nil)
		end.add(p, image, group*p.perM+m0, group*p.perM+m1, n0, n1)
		lo += next - first
	}
}

// sliding computes the parts [lo, hi) of the other convolutions.
func (p *Plan) sliding(lo, hi int, scratch unsafe.Pointer, end *ending) {
	blocks, cuts := p.split()
	filled, band := -1, -1 // the block and the band that the scratch holds
	for i, some := lo, 0; i < hi; i += some {
		at, cut := i/cuts, i%cuts
		some = min(cuts-cut, hi-i)
		block := at % blocks
		group := at / blocks % p.s.Group
		image := at / blocks / p.s.Group
		m0, m1 := p.filters(cut, cuts), p.filters(cut+some, cuts)
		switch {
		case p.few && p.a.Packed != nil:
			p.turned(image, group, block, m0, m1, scratch, filled != at)
			end.add(p, image, group*p.perM+m0, group*p.perM+m1, p.turn.edge(block), p.turn.edge(block+1))
		case p.winograd():
			p.tiles(image, block, m0, m1, scratch, filled != at, end)
		case p.slide != nil:
			if filled != at && !p.slide.bare {
				p.pad(p.x(image, group), scratch, p.slide.edge(block), band != block)
			}
			p.band(image, group, block, m0, m1, scratch)
			wide := p.slide.d.outWidth
			end.add(p, image, group*p.perM+m0, group*p.perM+m1, p.slide.edge(block)*wide, p.slide.edge(block+1)*wide)
		default:
			if filled != at && !p.direct {
				p.unfold(p.x(image, group), scratch, block)
			}
			n0, n1 := p.edge(block), p.edge(block+1)
			p.block(image, group, m0, m1, n0, n1, scratch)
			end.add(p, image, group*p.perM+m0, group*p.perM+m1, n0, n1)
		}
		filled, band = at, block
	}
}

// x returns the first input plane of a group of an image.
func (p *Plan) x(image, group int) unsafe.Pointer {
	// SAFETY: image and group are inside the tensor.
	return unsafe.Add(p.a.X, 4*(image*p.s.C+group*p.s.C/p.s.Group)*p.plane)
}

// block computes the filters [m0, m1) of the pixels [n0, n1) of a group: rows are
// filters. Scratch has the values under the windows where these are more than a pixel.
func (p *Plan) block(image, group, m0, m1, n0, n1 int, scratch unsafe.Pointer) {
	n := n1 - n0
	g := gemm.Args{M: p.perM, N: n, K: p.k, LDA: p.k, LDC: p.pixels, Relu: p.a.Relu}
	// SAFETY: all offsets are inside the tensors.
	g.A = unsafe.Add(p.a.W, 4*group*p.perM*p.k)
	g.C = unsafe.Add(p.a.Y, 4*((image*p.s.M+group*p.perM)*p.pixels+n0))
	if p.a.Bias != nil {
		g.Start, g.Bias = gemm.Rows, unsafe.Add(p.a.Bias, 4*group*p.perM)
	}
	if p.direct {
		g.B, g.LDB = unsafe.Add(p.x(image, group), 4*n0), p.plane
	} else {
		g.B, g.LDB = scratch, gemm.Panel
	}
	gemm.Run(&g, m0, m1, 0, n)
}
