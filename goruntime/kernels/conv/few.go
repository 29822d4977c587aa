package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// turned computes a group of an image with few pixels: rows are pixels, columns
// are filters, and the result is transposed into place.
func (p *Plan) turned(image, group int, scratch unsafe.Pointer) {
	channels := p.s.C / p.s.Group
	// SAFETY: the planes and the scratch have these sizes.
	src := unsafe.Slice((*float32)(p.x(image, group)), channels*p.plane)
	rows := unsafe.Slice((*float32)(scratch), p.pixels*p.k)
	sums := unsafe.Slice((*float32)(unsafe.Add(scratch, 4*p.pixels*p.k)), p.pixels*p.perM)
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
	g := gemm.Args{M: p.pixels, N: p.perM, K: p.k, A: scratch, LDA: p.k, C: unsafe.Pointer(unsafe.SliceData(sums)), LDC: p.perM, Relu: p.a.Relu}
	// SAFETY: the packed filters of a group lie behind those of the groups before.
	g.B = unsafe.Add(p.a.Packed, 4*group*gemm.PackedSize(p.k, p.perM))
	if p.a.Bias != nil {
		g.Start, g.Bias = gemm.Columns, unsafe.Add(p.a.Bias, 4*group*p.perM)
	}
	gemm.Run(&g, 0, p.pixels, 0, p.perM)
	// SAFETY: the group's output planes have this size.
	y := unsafe.Slice((*float32)(unsafe.Add(p.a.Y, 4*(image*p.s.M+group*p.perM)*p.pixels)), p.perM*p.pixels)
	for i := range p.pixels {
		for m, v := range sums[i*p.perM : (i+1)*p.perM] {
			y[m*p.pixels+i] = v
		}
	}
}
