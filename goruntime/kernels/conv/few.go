package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// pixelRows is what a plan has for few pixels, whose windows are rows of a product. Planes
// are turned to input pixels, a vector of channels at a time; a row has the channels
// under one tap after the other. Few channels are not turned: there a row has the taps of
// one channel after the other.
type pixelRows struct {
	turned bool
	length int     // of an input pixel: channels, up to whole vectors
	at     []int   // where each input pixel lies, in bytes; behind them one for no pixel
	from   []int   // where the sums of each pixel lie
	taps   []int32 // of each pixel and tap, the input pixel; -1 in the padding
	rows   int     // floats of the input pixels, behind which lie the rows
	floats int     // and of all
}

func (p *Plan) newPixelRows() *pixelRows {
	lanes, channels := chosen().lanes, p.s.C/p.s.Group
	r := &pixelRows{turned: p.direct || channels >= fewestDeep, from: behind(p.pixels, lanes, 4*p.perM)}
	for i := p.pixels; i < len(r.from); i++ {
		r.from[i] = 0
	}
	if r.turned {
		r.length = whole(channels, lanes)
		r.at = behind(p.plane, lanes, 4*r.length)
		for i := p.plane; i < len(r.at); i++ {
			r.at[i] = 4 * p.plane * r.length
		}
		r.rows = (p.plane + 1) * r.length
	}
	r.floats = r.rows
	if !p.direct {
		r.floats += p.pixels * p.k
		for i := range p.pixels * p.taps {
			r.taps = append(r.taps, int32(p.offset(len(p.s.In), i/p.taps, i%p.taps)))
		}
	}
	return r
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

// turned computes the filters [m0, m1) of a group of an image with few pixels: rows are
// pixels, columns are filters, and the result is transposed into place. Fresh says that
// the scratch does not hold the rows yet.
func (p *Plan) turned(image, group, m0, m1 int, scratch unsafe.Pointer, fresh bool) {
	r := p.turn
	if fresh {
		p.layRows(p.x(image, group), scratch)
	}
	rows, length := scratch, r.length
	if !p.direct {
		// SAFETY: the rows lie behind the input pixels.
		rows, length = unsafe.Add(scratch, 4*r.rows), p.k
	}
	// SAFETY: the sums lie behind the rows.
	sums := unsafe.Add(scratch, 4*r.floats)
	g := gemm.Args{M: p.pixels, N: p.perM, K: p.k, A: rows, LDA: length, C: sums, LDC: p.perM, Relu: p.a.Relu}
	// SAFETY: the packed filters of a group lie behind those of the groups before.
	g.B = unsafe.Add(p.a.Packed, 4*group*gemm.PackedSize(p.k, p.perM))
	if p.a.Bias != nil {
		g.Start, g.Bias = gemm.Columns, unsafe.Add(p.a.Bias, 4*group*p.perM)
	}
	gemm.Run(&g, 0, p.pixels, m0, m1)
	// SAFETY: the group's output planes have this size.
	y := unsafe.Add(p.a.Y, 4*(image*p.s.M+group*p.perM)*p.pixels)
	v := chosen()
	for m := m0; m < m1; m += v.lanes {
		// SAFETY: filter m has a column and a plane; a vector is read beyond the last sum.
		v.gather(unsafe.Add(y, 4*m*p.pixels), unsafe.Add(sums, 4*m), p.pixels, min(v.lanes, m1-m), p.pixels, r.from)
	}
}

// layRows writes what the window of each pixel covers to a row.
func (p *Plan) layRows(x, scratch unsafe.Pointer) {
	channels, r, v := p.s.C/p.s.Group, p.turn, chosen()
	// SAFETY: the scratch and the planes of a group have these sizes.
	all, src := unsafe.Slice((*float32)(scratch), r.floats), unsafe.Slice((*float32)(x), channels*p.plane)
	pixels, rows := all[:r.rows], all[r.rows:]
	if !r.turned {
		p.layTaps(rows, src)
		return
	}
	for c := 0; c < channels; c += v.lanes {
		// SAFETY: channel c has a plane and a place in each input pixel.
		v.spread(unsafe.Add(scratch, 4*c), unsafe.Add(x, 4*c*p.plane), p.plane, min(v.lanes, channels-c), p.plane, r.at)
	}
	for i, at := range r.taps {
		row := rows[i*channels : (i+1)*channels]
		if at < 0 {
			clear(row)
		} else {
			copy(row, pixels[int(at)*r.length:])
		}
	}
}

// layTaps is layRows for few channels.
func (p *Plan) layTaps(rows, src []float32) {
	for i := range p.pixels {
		taps := p.turn.taps[i*p.taps : (i+1)*p.taps]
		row := rows[i*p.k : (i+1)*p.k]
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
