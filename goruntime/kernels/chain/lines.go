package chain

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// columnFrom returns how many rows of n elements from lo on, step apart, are the same
// part of neighbouring lines.
func (p *Program) columnFrom(lo, n, step, rows int) int {
	if step != p.last || n > block || len(p.dims) < 2 || lo%p.last+n > p.last {
		return 0
	}
	high := p.dims[len(p.dims)-2]
	return min(rows, high-lo/p.last%high)
}

// column computes the same n elements of each of k lines, the first at lo.
func (b *Bound) column(lo, n, k int, at *[maxPlaces]unsafe.Pointer) {
	p := b.Program
	b.point(lo, at)
	if len(p.steps) == 1 && p.steps[0].kind == affine {
		p.rowsOf(&p.steps[0], n, k, at)
		return
	}
	for {
		b.apply(n, at)
		if k--; k == 0 {
			return
		}
		for i := range p.inputs {
			// SAFETY: the input has what the next line reads.
			at[i] = unsafe.Add(at[i], p.inputs[i].down)
		}
		// SAFETY: the output has a next line.
		at[p.at.out] = unsafe.Add(at[p.at.out], 4*p.last)
	}
}

// repeat lays out k lines of the inputs that have the same one each time.
func (b *Bound) repeat(k int, scratch []float32) {
	p := b.Program
	for n, i := range p.again {
		// SAFETY: the input is a line.
		line := unsafe.Slice((*float32)(b.In[i]), p.last)
		to := scratch[(p.temps+n)*p.room:][:k*p.last]
		for len(to) > 0 {
			to = to[copy(to, line):]
		}
	}
}

// linesFrom returns how many lines from element lo on, of n elements, go through a
// step at once.
func (p *Program) linesFrom(lo, n int) int {
	if !p.rows || lo%p.last != 0 {
		return 0
	}
	high := p.dims[len(p.dims)-2]
	return min(n/p.last, block/p.last, high-lo/p.last%high)
}

// lines computes k lines from lo on.
func (b *Bound) lines(lo, k int, at *[maxPlaces]unsafe.Pointer, scratch []float32) {
	p := b.Program
	b.point(lo, at)
	for n, i := range p.again {
		at[i] = unsafe.Pointer(&scratch[(p.temps+n)*p.room])
	}
	for i := range p.steps {
		s := &p.steps[i]
		switch {
		case s.kind == affine:
			p.rowsOf(s, p.last, k, at)
		case s.each:
			s.loop.Rows(at[s.to], at[s.a], at[s.b], p.last, k)
		case s.times >= 0:
			// SAFETY: a number lies there.
			s.loop.Run(at[s.to], at[s.a], nil, k*p.last, *(*float32)(at[s.times]), *(*float32)(at[s.plus]))
		default:
			s.loop.Run(at[s.to], at[s.a], s.other(at), k*p.last, s.s, s.r)
		}
	}
}

// rowsOf computes n elements of each of k lines.
func (p *Program) rowsOf(s *step, n, k int, at *[maxPlaces]unsafe.Pointer) {
	a := vec.Affine{
		Dst: at[s.to], Src: at[s.a], Times: at[s.times], Plus: at[s.plus], N: n, Rows: k,
		DstStep: 4 * p.last, SrcStep: p.down(s.a), TimesStep: p.down(s.times), PlusStep: p.down(s.plus), Low: s.r,
	}
	if s.added {
		a.Add, a.AddStep = at[s.b], p.down(s.b)
	}
	a.Run()
}

// down is how many bytes lie between what neighbouring lines have at a place.
func (p *Program) down(place int) int {
	if place < len(p.inputs) {
		return p.inputs[place].down
	}
	return 4 * p.last
}
