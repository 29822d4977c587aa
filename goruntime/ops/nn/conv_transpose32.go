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
	size := s.perPart()
	room := s.room[slot*size : (slot+1)*size]
	room, phases := room[:s.perBlock*s.taps*s.pixels], room[s.perBlock*s.taps*s.pixels:]
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
			product := room[(m-m0)*s.taps*s.pixels:][:s.taps*s.pixels]
			if len(phases) == 0 {
				set(plane, start)
				s.spread(plane, product)
				continue
			}
			set(phases, start)
			s.spread(phases, product)
			s.join(plane, phases)
		}
	}
}

// perPart is how many floats of room a thread has: for the product, and for the phases
// of a plane.
func (s *spreading) perPart() int { return s.perBlock*s.taps*s.pixels + s.phased() }

// phased is how many floats the phases of a plane take: each row is split into every
// stride-th column, where products that lie side by side are added side by side. Without
// a stride the plane is its only phase.
func (s *spreading) phased() int {
	if last := len(s.win.in) - 1; s.win.stride[last] > 1 && s.win.in[last] > 0 {
		return s.plane / s.win.in[last] * s.rowOfPhases()
	}
	return 0
}

// rowOfPhases is how many floats the phases of a row take.
func (s *spreading) rowOfPhases() int {
	wide, stride := s.win.in[len(s.win.in)-1], s.win.stride[len(s.win.in)-1]
	return (wide + stride - 1) / stride * stride
}

// join writes a plane of its phases.
func (s *spreading) join(plane, phases []float32) {
	last := len(s.win.in) - 1
	wide, stride, each := s.win.in[last], s.win.stride[last], s.rowOfPhases()
	for r := range len(plane) / wide {
		row := plane[r*wide : (r+1)*wide]
		for p := range min(stride, wide) {
			from := phases[r*each+p*(each/stride):][:(wide-p+stride-1)/stride]
			at := p
			for _, x := range from {
				row[at] = x
				at += stride
			}
		}
	}
}

// spread adds the products [taps, pixels] to the phases of an output plane.
func (s *spreading) spread(phases, product []float32) {
	w, last := s.win, len(s.win.in)-1
	width, wide, stride, each := w.out[last], w.in[last], w.stride[last], s.rowOfPhases()
	if width == 0 {
		return
	}
	add := vec.OperationLoop(vec.Plus, vec.Both)
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
			at := lo*stride + shift
			dst := phases[row*each+at%stride*(each/stride)+at/stride:][:len(src)]
			add.Over(dst, dst, src)
		}
	}
}
