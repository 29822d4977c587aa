package nn

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
)

func (s *recurrence) run(c *op.Context) {
	if s.batch == 0 {
		return
	}
	if s.both == nil {
		for d := range s.dirs {
			s.direction(d)
		}
		return
	}
	n := s.workFloats()
	for d := range s.both {
		s.both[d] = *s
		s.both[d].work = s.work[d*n : (d+1)*n]
	}
	c.For(len(s.both), 1, s.both)
}

// directions are the two of a layer, which share nothing that they write.
type directions [2]recurrence

// Chunk implements op.Task over the directions.
func (b *directions) Chunk(lo, hi int) {
	for d := lo; d < hi; d++ {
		b[d].direction(d)
	}
}

// carve takes n numbers from the front of the scratch.
func carve(work *[]float32, n int) []float32 {
	s := (*work)[:n:n]
	*work = (*work)[n:]
	return s
}

func first(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// direction runs one direction: the inputs' part of all gates in one product,
// then step by step the state's part.
func (s *recurrence) direction(d int) {
	g, h, work := s.gates*s.hidden, s.hidden, s.work
	s.proj = carve(&work, s.steps*s.batch*g)
	s.rows, s.hid, s.cell, s.extra = carve(&work, s.batch*g), carve(&work, s.batch*h), carve(&work, s.batch*h), carve(&work, s.batch*h)
	bias := carve(&work, g)
	s.inputBias(d, bias)
	s.initial(d)
	x := s.x
	if s.layout == 1 {
		x = s.timeMajor(carve(&work, s.steps*s.batch*s.in))
	}
	a := gemm.Args{M: s.steps * s.batch, N: g, K: s.in, A: first(x), LDA: s.in, C: first(s.proj), LDC: g, Start: gemm.Columns, Bias: first(bias)}
	if q := s.bytes[d][0]; q != nil {
		q.product(&a, x, s.proj, bias)
	} else {
		s.product(&a, s.panels[d][0], s.w[d*g*s.in:])
	}
	if s.y != nil {
		s.clearPadding(d)
	}
	for t := range s.steps {
		s.step(s, d, t)
	}
	for b := range s.batch {
		at := s.stateAt(d, b)
		if s.yh != nil {
			copy(s.yh[at:at+h], s.hid[b*h:])
		}
		if s.yc != nil {
			copy(s.yc[at:at+h], s.cell[b*h:])
		}
	}
}

// inputBias is the sum of the biases of W and R, but for what a GRU adds to the
// state's part before the reset.
func (s *recurrence) inputBias(d int, bias []float32) {
	clear(bias)
	if s.b == nil {
		return
	}
	g := len(bias)
	copy(bias, s.b[d*2*g:])
	n := g
	if s.after {
		n = 2 * s.hidden
	}
	for i := range n {
		bias[i] += s.b[d*2*g+g+i]
	}
}

// stateAt returns where the state of a direction and batch row lies.
func (s *recurrence) stateAt(d, b int) int {
	if s.layout == 1 {
		return (b*s.dirs + d) * s.hidden
	}
	return (d*s.batch + b) * s.hidden
}

// recur adds the product of src [B, H] and rows [from, to) of R, in blocks of
// hidden rows, to the columns from there on of the gates.
func (s *recurrence) recur(d, slot int, src []float32, from, to int) {
	g, h := s.gates*s.hidden, s.hidden
	a := gemm.Args{M: s.batch, N: (to - from) * h, K: h, A: first(src), LDA: h, C: first(s.rows[from*h:]), LDC: g, Start: gemm.Add}
	if q := s.bytes[d][1]; q != nil {
		q.product(&a, src, s.rows[from*h:], nil)
		return
	}
	s.product(&a, s.panels[d][slot], s.r[(d*g+from*h)*h:])
}

// product multiplies with packed panels, or with m [N, K] where there are none.
func (s *recurrence) product(a *gemm.Args, panels unsafe.Pointer, m []float32) {
	if a.M == 0 || a.N == 0 {
		return
	}
	if panels != nil {
		a.B = panels
		gemm.Run(a, 0, a.M, 0, a.N)
		return
	}
	dots(a, m)
}

// dots is the product with a transposed matrix that changes from run to run.
func dots(a *gemm.Args, m []float32) {
	// SAFETY: the matrices have these sizes by the shape rule.
	x, c := unsafe.Slice((*float32)(a.A), a.M*a.LDA), unsafe.Slice((*float32)(a.C), (a.M-1)*a.LDC+a.N)
	var bias []float32
	if a.Start == gemm.Columns {
		// SAFETY: as above.
		bias = unsafe.Slice((*float32)(a.Bias), a.N)
	}
	for i := range a.M {
		for j := range a.N {
			s := float32(0)
			switch a.Start {
			case gemm.Columns:
				s = bias[j]
			case gemm.Add:
				s = c[i*a.LDC+j]
			}
			for k := range a.K {
				s += x[i*a.LDA+k] * m[j*a.K+k]
			}
			c[i*a.LDC+j] = s
		}
	}
}

func (s *recurrence) initial(d int) {
	clear(s.hid)
	clear(s.cell)
	for b := range s.batch {
		at := s.stateAt(d, b)
		if s.h0 != nil {
			copy(s.hid[b*s.hidden:(b+1)*s.hidden], s.h0[at:])
		}
		if s.c0 != nil {
			copy(s.cell[b*s.hidden:(b+1)*s.hidden], s.c0[at:])
		}
	}
}

// timeMajor returns X [B, T, I] as [T, B, I].
func (s *recurrence) timeMajor(dst []float32) []float32 {
	for b := range s.batch {
		for t := range s.steps {
			copy(dst[(t*s.batch+b)*s.in:][:s.in], s.x[(b*s.steps+t)*s.in:])
		}
	}
	return dst
}

// output returns where Y of a step, direction and batch row lies.
func (s *recurrence) output(t, d, b int) []float32 {
	at := (t*s.dirs+d)*s.batch + b
	if s.layout == 1 {
		at = (b*s.steps+t)*s.dirs + d
	}
	return s.y[at*s.hidden : (at+1)*s.hidden]
}

// clearPadding zeroes what lies behind the end of each sequence.
func (s *recurrence) clearPadding(d int) {
	for b, n := range s.lens {
		for t := int(n); t < s.steps; t++ {
			clear(s.output(t, d, b))
		}
	}
}

// time returns which input step sequence b reads at step t, false behind its end. A
// sequence without steps leaves its initial state as the last one, as the equations have
// it, so that a layer may be run in parts; ONNX Runtime gives zeros.
func (s *recurrence) time(d, t, b int) (int, bool) {
	n := s.steps
	if s.lens != nil {
		n = int(s.lens[b])
	}
	if s.reverse[d] {
		return n - 1 - t, t < n
	}
	return t, t < n
}

// load copies the inputs' part of the gates of step t to rows.
func (s *recurrence) load(d, t int) {
	g := s.gates * s.hidden
	for b := range s.batch {
		row := s.rows[b*g : (b+1)*g]
		if at, ok := s.time(d, t, b); ok {
			copy(row, s.proj[(at*s.batch+b)*g:])
		} else {
			clear(row)
		}
	}
}

// row returns the gates, state and cell of sequence b.
func (s *recurrence) row(b int) (gates, hid, cell []float32) {
	g, h := s.gates*s.hidden, s.hidden
	return s.rows[b*g : (b+1)*g], s.hid[b*h : (b+1)*h], s.cell[b*h : (b+1)*h]
}

// emit stores the new state of sequence b as the output of input step at.
func (s *recurrence) emit(at, d, b int) {
	if s.y != nil {
		copy(s.output(at, d, b), s.hid[b*s.hidden:])
	}
}
