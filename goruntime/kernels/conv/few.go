package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// pixelRows is what a plan has where rows of the product are pixels. The planes under a
// band of them are turned to input pixels, a vector of channels at a time; a row has the
// channels under one tap after the other. Few channels are not turned: there a row has the
// taps of one channel after the other.
type pixelRows struct {
	turned bool
	bands  []pixelBand
	length int     // of an input pixel: channels, up to whole vectors
	at     []int   // where each input pixel of a band lies, in bytes
	from   []int   // where the sums of each pixel lie
	taps   []int32 // of each pixel and tap, the input pixel; -1 in the padding
	rows   int     // floats of the input pixels, behind which lie the rows
	sums   int     // and of both, behind which lie the sums
}

// pixelBand is a band of pixels, from the first one on, and the input pixels under it.
type pixelBand struct{ pixel, first, count int }

// whole reports whether one band has all pixels.
func (r *pixelRows) whole() bool { return r == nil || len(r.bands) == 2 }

// edge returns the first pixel of a band.
func (r *pixelRows) edge(band int) int { return r.bands[band].pixel }

// rowsOfPixels prepares a product whose rows are pixels and returns how many float32s of
// scratch a chunk needs.
func (p *Plan) rowsOfPixels(threads int) int {
	p.share(threads)
	lanes, channels := chosen().lanes, p.s.C/p.s.Group
	r := &pixelRows{turned: p.direct || channels >= fewestDeep}
	p.turn = r
	for i := range p.pixels * p.taps {
		if !p.direct {
			r.taps = append(r.taps, int32(p.offset(len(p.s.In), i/p.taps, i%p.taps)))
		}
	}
	pixels, inputs := 0, 0
	for i := range p.blocks {
		b := p.bandOf(i)
		r.bands = append(r.bands, b)
		pixels, inputs = max(pixels, p.bandOf(i+1).pixel-b.pixel), max(inputs, b.count)
	}
	r.bands = append(r.bands, pixelBand{pixel: p.pixels})
	r.from = behind(pixels, lanes, 4*p.perM)
	if r.turned {
		r.length = whole(channels, lanes)
		r.at = behind(inputs, lanes, 4*r.length)
		r.rows = len(r.at) * r.length
	}
	r.sums = r.rows
	if !p.direct {
		r.sums += pixels * p.k
	}
	// Filters that change from run to run are not packed: then a panel is needed.
	return max(r.sums+len(r.from)*p.perM+widest, p.k*gemm.Panel)
}

// bandOf returns band i of the pixels; the one behind the last begins where all end.
func (p *Plan) bandOf(i int) pixelBand {
	tiles := (p.pixels + tileRows - 1) / tileRows
	b := pixelBand{pixel: min(p.pixels, tiles*i/p.blocks*tileRows), count: p.plane}
	if p.direct || i == p.blocks {
		return b
	}
	low, high := p.plane, 0
	for _, at := range p.turn.taps[b.pixel*p.taps : p.bandOf(i+1).pixel*p.taps] {
		if at >= 0 {
			low, high = min(low, int(at)), max(high, int(at)+1)
		}
	}
	b.first, b.count = min(low, high), max(0, high-low)
	return b
}

// packRows writes the filters as panels, whose rows go in the order of pixelRows.
func (p *Plan) packRows(dst, w []float32) {
	channels := p.k / p.taps
	if !p.turn.turned {
		size := gemm.PackedSize(p.k, p.perM)
		for g := range p.s.Group {
			gemm.PackB(dst[g*size:(g+1)*size], w[g*p.perM*p.k:(g+1)*p.perM*p.k], p.k, p.perM, 1, p.k)
		}
		return
	}
	for m := 0; m < p.s.M; {
		n := min(gemm.Panel, p.perM-m%p.perM)
		for t := range p.taps {
			if channels > 0 {
				gemm.PackB(dst[:channels*gemm.Panel], w[m*p.k+t:], channels, n, p.taps, p.k)
			}
			dst = dst[channels*gemm.Panel:]
		}
		m += n
	}
}

// turned computes the filters [m0, m1) and a band of pixels of a group of an image: rows
// are pixels, columns are filters, and the result is transposed into place.
// Fresh says that the scratch does not hold the rows yet.
func (p *Plan) turned(image, group, band, m0, m1 int, scratch unsafe.Pointer, fresh bool) {
	r := p.turn
	n0, n1 := r.edge(band), r.edge(band+1)
	if fresh {
		p.layRows(p.x(image, group), scratch, band)
	}
	rows, length := scratch, r.length
	if !p.direct {
		// SAFETY: the rows lie behind the input pixels.
		rows, length = unsafe.Add(scratch, 4*r.rows), p.k
	}
	// SAFETY: the sums lie behind the rows.
	sums := unsafe.Add(scratch, 4*r.sums)
	g := gemm.Args{M: n1 - n0, N: p.perM, K: p.k, A: rows, LDA: length, C: sums, LDC: p.perM, Relu: p.a.Relu}
	// SAFETY: the packed filters of a group lie behind those of the groups before.
	g.B = unsafe.Add(p.a.Packed, 4*group*gemm.PackedSize(p.k, p.perM))
	if p.a.Bias != nil {
		g.Start, g.Bias = gemm.Columns, unsafe.Add(p.a.Bias, 4*group*p.perM)
	}
	gemm.Run(&g, 0, g.M, m0, m1)
	// SAFETY: the group's output planes have this size.
	y := unsafe.Add(p.a.Y, 4*((image*p.s.M+group*p.perM)*p.pixels+n0))
	v := chosen()
	for m := m0; m < m1; m += v.lanes {
		// SAFETY: filter m has a column and a plane; a vector is read beyond the last sum.
		v.gather(unsafe.Add(y, 4*m*p.pixels), unsafe.Add(sums, 4*m), p.pixels, min(v.lanes, m1-m), g.M, r.from)
	}
}

// layRows writes what the window of each pixel of a band covers to a row.
func (p *Plan) layRows(x, scratch unsafe.Pointer, band int) {
	channels, r, v := p.s.C/p.s.Group, p.turn, chosen()
	b, n0, n1 := r.bands[band], r.edge(band), r.edge(band+1)
	// SAFETY: the scratch and the planes of a group have these sizes.
	all, src := unsafe.Slice((*float32)(scratch), r.sums), unsafe.Slice((*float32)(x), channels*p.plane)
	pixels, rows := all[:r.rows], all[r.rows:]
	if !r.turned {
		p.layTaps(rows, src, n0, n1)
		return
	}
	for c := 0; c < channels; c += v.lanes {
		// SAFETY: channel c has a plane and a place in each input pixel.
		v.spread(unsafe.Add(scratch, 4*c), unsafe.Add(x, 4*(c*p.plane+b.first)), p.plane, min(v.lanes, channels-c), b.count, r.at)
	}
	if p.direct {
		return
	}
	for i, at := range r.taps[n0*p.taps : n1*p.taps] {
		row := rows[i*channels : (i+1)*channels]
		if at < 0 {
			clear(row)
		} else {
			copy(row, pixels[(int(at)-b.first)*r.length:])
		}
	}
}

// layTaps is layRows for few channels.
func (p *Plan) layTaps(rows, src []float32, n0, n1 int) {
	for i := n0; i < n1; i++ {
		taps := p.turn.taps[i*p.taps : (i+1)*p.taps]
		row := rows[(i-n0)*p.k : (i-n0+1)*p.k]
		for ch := range p.s.C / p.s.Group {
			plane := src[ch*p.plane : (ch+1)*p.plane]
			for t, at := range taps {
				if at < 0 {
					row[ch*p.taps+t] = 0
				} else {
					row[ch*p.taps+t] = plane[at]
				}
			}
		}
	}
}
