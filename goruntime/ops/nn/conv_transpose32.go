package nn

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// convTranspose32 multiplies the filters of a block of output channels with the
// input and spreads the product over the output planes.
func convTranspose32(c *op.Context) error {
	s, work := c.State.(*spreading), op.WorkspaceOf[float32](c)
	s.x, s.y, s.bias = c.In(0), c.Out(0), optional[float32](c, 2)
	filters := s.filters
	if !c.Constant(1) {
		w := tensor.Elems[float32](c.In(1))
		turned := work[:len(w)]
		work = work[len(w):]
		s.turn(turned, w)
		s.filters = first(turned)
	}
	s.room = work
	if s.plane > 0 {
		c.For(s.images*s.group*s.blocks, max(1, (1<<20)/max(1, s.perBlock*s.taps*s.pixels*s.channels)), s)
	}
	s.filters = filters
	return nil
}

// Chunk implements op.Task over images, groups and blocks of output channels.
func (s *spreading) Chunk(lo, hi int) {
	slot := <-s.free
	defer func() { s.free <- slot }()
	size := s.perBlock * s.taps * s.pixels
	room := s.room[slot*size : (slot+1)*size]
	x, y := tensor.Elems[float32](s.x), tensor.Elems[float32](s.y)
	for r := lo; r < hi; r++ {
		block, g, image := r%s.blocks, r/s.blocks%s.group, r/s.blocks/s.group
		m0 := block * s.perBlock
		m1 := min(s.m, m0+s.perBlock)
		rows := (m1 - m0) * s.taps
		if s.pixels > 0 {
			a := gemm.Args{M: rows, N: s.pixels, K: s.channels, LDA: s.channels, LDB: s.pixels, C: first(room), LDC: s.pixels}
			// SAFETY: the filters hold group * m * taps rows of channels numbers.
			a.A = unsafe.Add(s.filters, 4*(g*s.m+m0)*s.taps*s.channels)
			a.B = first(x[(image*s.group+g)*s.channels*s.pixels:])
			gemm.Run(&a, 0, a.M, 0, a.N)
		}
		for m := m0; m < m1; m++ {
			out := (image*s.group+g)*s.m + m
			plane, start := y[out*s.plane:(out+1)*s.plane], float32(0)
			if s.bias != nil {
				start = s.bias[g*s.m+m]
			}
			for i := range plane {
				plane[i] = start
			}
			s.spread(plane, room[(m-m0)*s.taps*s.pixels:][:s.taps*s.pixels])
		}
	}
}

// spread adds the products [taps, pixels] to an output plane.
func (s *spreading) spread(plane, product []float32) {
	w, last := s.win, len(s.win.in)-1
	width, wide, stride := w.out[last], w.in[last], w.stride[last]
	if width == 0 {
		return
	}
	for k := range s.taps {
		// Element x of a row goes to x*stride + shift.
		shift := k%w.kernel[last]*w.dilation[last] - w.begin[last]
		lo, hi := 0, 0
		if shift < 0 {
			lo = (-shift + stride - 1) / stride
		}
		if wide > shift {
			hi = min(width, (wide-1-shift)/stride+1)
		}
		if lo >= hi {
			continue
		}
		for r := range s.pixels / width {
			row, ok := w.leading(last, r, k/w.kernel[last])
			if !ok {
				continue
			}
			src := product[k*s.pixels+r*width:][lo:hi]
			dst := plane[row*wide+lo*stride+shift:]
			if stride == 1 {
				vec.Combine(vec.Plus, dst[:len(src)], dst[:len(src)], src)
				continue
			}
			for i, v := range src {
				dst[i*stride] += v
			}
		}
	}
}
