package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// piece is a run of pixels of a block whose values under one tap lie step() apart
// in an input plane, from at on, or are all in the padding: at is -1.
type piece struct{ tap, lo, hi, at int32 }

// list lists the pieces of each block: of each row of pixels what lies before, on
// and behind the image.
func (p *Plan) list() {
	last := len(p.s.In) - 1
	wide, across := p.s.Out[last], p.s.Kernel[last]
	for n0 := 0; n0 < p.pixels; n0 += gemm.Panel {
		p.first = append(p.first, int32(len(p.pieces)))
		n1 := min(p.pixels, n0+gemm.Panel)
		for t := range p.taps {
			from := len(p.pieces)
			// Pixel x of a row lies on column x*stride + shift.
			shift := t%across*p.s.Dilation[last] - p.s.Begin[last]
			lo, hi := p.inside(shift)
			for row := n0 / wide * wide; row < n1; row += wide {
				begin, end := max(row, n0), min(row+wide, n1)
				a, b := begin, begin
				at := p.offset(last, row/wide, t/across)
				if at >= 0 {
					a = min(max(row+lo, begin), end)
					b = min(max(row+hi, a), end)
				}
				p.add(from, t, begin-n0, a-n0, -1)
				p.add(from, t, a-n0, b-n0, at*p.s.In[last]+(a-row)*p.step()+shift)
				p.add(from, t, b-n0, end-n0, -1)
			}
		}
	}
	p.first = append(p.first, int32(len(p.pieces)))
}

// inside returns the pixels [lo, hi) of a row that lie on the image.
func (p *Plan) inside(shift int) (lo, hi int) {
	last, step := len(p.s.In)-1, p.step()
	if shift < 0 {
		lo = (-shift + step - 1) / step
	}
	if room := p.s.In[last] - 1 - shift; room >= 0 {
		hi = min(p.s.Out[last], room/step+1)
	}
	return lo, max(lo, hi)
}

// add appends a piece, or makes that before it longer; from is the first of the
// same tap and block.
func (p *Plan) add(from, tap, lo, hi, at int) {
	if lo >= hi {
		return
	}
	c := piece{tap: int32(tap), lo: int32(lo), hi: int32(hi), at: int32(at)}
	if last := len(p.pieces) - 1; last >= from && p.pieces[last].continues(c.at, p.step()) {
		p.pieces[last].hi = c.hi
		return
	}
	p.pieces = append(p.pieces, c)
}

// continues reports whether a value at at follows those of the piece.
func (c *piece) continues(at int32, step int) bool {
	if c.at < 0 || at < 0 {
		return c.at < 0 && at < 0
	}
	return at == c.at+(c.hi-c.lo)*int32(step)
}

// unfold lays out the values under the windows of a block of pixels as [K][64].
func (p *Plan) unfold(x, panel unsafe.Pointer, block int) {
	channels, step := p.s.C/p.s.Group, p.step()
	// SAFETY: the planes and the panel have these sizes.
	dst := unsafe.Slice((*float32)(panel), p.k*gemm.Panel)
	src := unsafe.Slice((*float32)(x), channels*p.plane)
	for _, c := range p.pieces[p.first[block]:p.first[block+1]] {
		to := int(c.tap)*gemm.Panel + int(c.lo)
		n := int(c.hi - c.lo)
		for ch := range channels {
			row := dst[to+ch*p.taps*gemm.Panel:][:n]
			from := ch*p.plane + int(c.at)
			switch {
			case c.at < 0:
				clear(row)
			case step == 1:
				copy(row, src[from:from+n])
			default:
				vec.Every(row, src[from:], step)
			}
		}
	}
}

// step returns how far apart neighbouring pixels' taps lie in the last
// dimension.
func (p *Plan) step() int { return p.s.Stride[len(p.s.Stride)-1] }
