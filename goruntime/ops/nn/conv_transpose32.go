package nn

import (
	"math"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/columns"
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
				s.spread(plane, product, start)
				continue
			}
			s.spread(phases, product, start)
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
		row, from := plane[r*wide:(r+1)*wide], phases[r*each:(r+1)*each]
		n := wide / stride // of every phase
		columns.Transpose(row[:n*stride], from, n, stride, each/stride)
		for p := range wide - n*stride {
			row[n*stride+p] = from[p*(each/stride)+n]
		}
	}
}

// spread writes start and the products [taps, pixels] that meet there to the phases of an
// output plane.
func (s *spreading) spread(phases, product []float32, start float32) {
	w, last := s.win, len(s.win.in)-1
	if !s.apart() {
		set(phases, start)
	}
	width, stride, each := w.out[last], w.stride[last], s.rowOfPhases()
	add := vec.OperationLoop(vec.Plus, vec.Both)
	for k := range s.taps {
		lo, hi, shift := s.meets(last, k)
		if lo >= hi {
			continue
		}
		at := lo*stride + shift
		column := at%stride*(each/stride) + at/stride
		if last < 2 {
			s.spreadRows(phases[column:], product[k*s.pixels+lo:], k/w.kernel[last], hi-lo, start)
			continue
		}
		for r := range s.pixels / width {
			row, ok := w.leading(last, r, k/w.kernel[last])
			if !ok {
				continue
			}
			src := product[k*s.pixels+r*width:][lo:hi]
			dst := phases[row*each+column:][:len(src)]
			add.Over(dst, dst, src)
		}
	}
}

// meets returns the elements [lo, hi) of dimension d that tap k, of which the dimensions
// behind d are taken off, sends to the output, and by how much further than stride times
// their place.
func (s *spreading) meets(d, k int) (lo, hi, shift int) {
	w := s.win
	stride, length := w.stride[d], w.in[d]
	shift = k%w.kernel[d]*w.dilation[d] - w.begin[d]
	if shift < 0 {
		lo = (-shift + stride - 1) / stride
	}
	if length > shift {
		hi = min(w.out[d], (length-1-shift)/stride+1)
	}
	return lo, hi, shift
}

// apart reports whether every element of the output is met by one tap.
func (s *spreading) apart() bool {
	w := s.win
	for d := range w.in {
		if w.kernel[d] != w.stride[d] || w.dilation[d] != 1 && w.kernel[d] > 1 || w.begin[d] != 0 || w.in[d] != w.out[d]*w.stride[d] {
			return false
		}
	}
	return len(w.in) <= 2
}

// spreadRows adds n numbers of each row of a signal or an image at once: tap k of the rows.
func (s *spreading) spreadRows(phases, product []float32, k, n int, start float32) {
	lo, hi, top, down := 0, 1, 0, 0
	if len(s.win.in) == 2 {
		var shift int
		if lo, hi, shift = s.meets(0, k); lo >= hi {
			return
		}
		down = s.win.stride[0]
		top = lo*down + shift
	}
	width, each := s.win.out[len(s.win.in)-1], s.rowOfPhases()
	phases, product = phases[top*each:], product[lo*width:]
	// The last row of both.
	_, _ = phases[(hi-lo-1)*down*each:][:n], product[(hi-lo-1)*width:][:n]
	one, nothing := float32(1), float32(math.Copysign(0, -1)) // 0 would make 0 of -0
	a := vec.Affine{
		Dst: first(phases), Src: first(product), Times: unsafe.Pointer(&one), Plus: unsafe.Pointer(&nothing),
		N: n, Rows: hi - lo, DstStep: 4 * down * each, SrcStep: 4 * width, Low: float32(math.Inf(-1)),
	}
	if s.apart() {
		a.Plus = unsafe.Pointer(&start)
	} else {
		a.Add, a.AddStep = a.Dst, a.DstStep
	}
	a.Run()
}
