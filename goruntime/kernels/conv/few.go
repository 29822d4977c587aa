package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// pixelRows is what a plan has for the few pixels of windows of one pixel: planes are
// turned to rows, a block of channels at a time.
type pixelRows struct {
	pixels, length int   // rows, and how far they lie apart
	at             []int // where each row lies, in bytes; behind them one for no pixel
	from           []int // where the sums of each pixel lie
}

func (p *Plan) newPixelRows() *pixelRows {
	lanes := chosen().lanes
	r := &pixelRows{pixels: p.pixels, length: whole(p.k, lanes)}
	r.at, r.from = behind(p.pixels, lanes, 4*r.length), behind(p.pixels, lanes, 4*p.perM)
	for i := p.pixels; i < len(r.at); i++ {
		r.at[i], r.from[i] = 4*p.pixels*r.length, 0
	}
	return r
}

func (r *pixelRows) floats() int { return (r.pixels + 1) * r.length }

// turned computes the filters [m0, m1) of a group of an image with few pixels: rows are
// pixels, columns are filters, and the result is transposed into place. Fresh says that
// the scratch does not hold the rows yet.
func (p *Plan) turned(image, group, m0, m1 int, scratch unsafe.Pointer, fresh bool) {
	length, rows := p.k, p.pixels*p.k
	if p.turn != nil {
		length, rows = p.turn.length, p.turn.floats()
	}
	if fresh {
		p.layRows(p.x(image, group), scratch)
	}
	// SAFETY: the sums lie behind the rows.
	sums := unsafe.Add(scratch, 4*rows)
	g := gemm.Args{M: p.pixels, N: p.perM, K: p.k, A: scratch, LDA: length, C: sums, LDC: p.perM, Relu: p.a.Relu}
	// SAFETY: the packed filters of a group lie behind those of the groups before.
	g.B = unsafe.Add(p.a.Packed, 4*group*gemm.PackedSize(p.k, p.perM))
	if p.a.Bias != nil {
		g.Start, g.Bias = gemm.Columns, unsafe.Add(p.a.Bias, 4*group*p.perM)
	}
	gemm.Run(&g, 0, p.pixels, m0, m1)
	// SAFETY: the group's output planes have this size.
	y := unsafe.Add(p.a.Y, 4*(image*p.s.M+group*p.perM)*p.pixels)
	if p.turn == nil {
		p.transpose(unsafe.Slice((*float32)(y), p.perM*p.pixels), unsafe.Slice((*float32)(sums), p.pixels*p.perM), m0, m1)
		return
	}
	v := chosen()
	for m := m0; m < m1; m += v.lanes {
		// SAFETY: filter m has a column and a plane; a vector is read beyond the last sum.
		v.gather(unsafe.Add(y, 4*m*p.pixels), unsafe.Add(sums, 4*m), p.pixels, min(v.lanes, m1-m), p.turn.from)
	}
}

// transpose writes the columns [m0, m1) of the sums to planes.
func (p *Plan) transpose(y, sums []float32, m0, m1 int) {
	for i := range p.pixels {
		for m, v := range sums[i*p.perM+m0 : i*p.perM+m1] {
			y[(m0+m)*p.pixels+i] = v
		}
	}
}

// layRows writes what the window of each pixel covers to a row.
func (p *Plan) layRows(x, scratch unsafe.Pointer) {
	channels := p.s.C / p.s.Group
	if p.turn != nil {
		v := chosen()
		for c := 0; c < channels; c += v.lanes {
			// SAFETY: channel c has a plane and a place in each row.
			v.spread(unsafe.Add(scratch, 4*c), unsafe.Add(x, 4*c*p.plane), p.plane, min(v.lanes, channels-c), p.pixels, p.turn.at)
		}
		return
	}
	// SAFETY: the planes and the scratch have these sizes.
	src, rows := unsafe.Slice((*float32)(x), channels*p.plane), unsafe.Slice((*float32)(scratch), p.pixels*p.k)
	for i := range p.pixels {
		row := rows[i*p.k : (i+1)*p.k]
		taps := p.offsets[i*p.taps : (i+1)*p.taps]
		for ch := range channels {
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
