package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// row32 is the float32 row of an operation that has vector kernels. Rows whose
// inputs are dense or one number go there; the rare other steps go to slow.
func row32(o vec.Operation, slow row) row {
	return func(out, a, b *tensor.View, at, i, j, n, sa, sb int) {
		if sa > 1 || sb > 1 {
			slow(out, a, b, at, i, j, n, sa, sb)
			return
		}
		dst, x, y := spans[float32](out, a, b, at, i, j, n, sa, sb)
		if sa == 0 && sb == 0 && n > 1 { // one number on both sides
			vec.Combine(o, dst[:1], x, y)
			for k := range dst {
				dst[k] = dst[0]
			}
			return
		}
		vec.Combine(o, dst, x, y)
	}
}

// lines32 computes float32 rows that go with a number each, many at a time.
type lines32 struct {
	op        vec.Operation
	n         int  // of a row
	turned    bool // the numbers are those of the first input
	out, a, b []float32
}

// rowsWithNumbers sets up p.lines and reports whether it serves: one input is dense, and the
// other has a number for each row of it.
func (p *pair) rowsWithNumbers() bool {
	if len(p.dims) != 2 || p.dims[0]*p.dims[1] == 0 {
		return false
	}
	p.lines.n, p.lines.turned = p.dims[1], p.sa[1] == 0
	full, single := p.sa, p.sb
	if p.lines.turned {
		full, single = p.sb, p.sa
	}
	return dense(p.dims, full) && single[0] == 1 && single[1] == 0
}

// runRows is runPair for an operation that has vector kernels.
func runRows(o vec.Operation) func(c *op.Context) error {
	return func(c *op.Context) error {
		p := c.State.(*pair)
		if c.Out(0).DType != tensor.F32 || !p.rowsWithNumbers() {
			return runPair(c)
		}
		s := &p.lines
		s.op, s.out, s.a, s.b = o, tensor.Elems[float32](c.Out(0)), tensor.Elems[float32](c.In(0)), tensor.Elems[float32](c.In(1))
		c.For(p.rows, max(1, grain/s.n), s)
		return nil
	}
}

// Chunk implements op.Task over rows.
func (s *lines32) Chunk(lo, hi int) {
	rows := s.out[lo*s.n : hi*s.n]
	if s.turned {
		vec.CombineRows(s.op, rows, s.a[lo:hi], s.b[lo*s.n:hi*s.n], true)
		return
	}
	vec.CombineRows(s.op, rows, s.a[lo*s.n:hi*s.n], s.b[lo:hi], false)
}

// span32 is the float32 kernel of a function that has a vector kernel.
func span32(f vec.Function) span {
	return func(out, in *tensor.View, lo, hi int) {
		vec.Apply(f, tensor.Elems[float32](out)[lo:hi], tensor.Elems[float32](in)[lo:hi])
	}
}

// spanHalf is span32 for a 16-bit type.
func spanHalf[H cast.Half](f vec.Function) span {
	return func(out, in *tensor.View, lo, hi int) {
		cast.Through(vec.Apply, f, tensor.Elems[H](out)[lo:hi], tensor.Elems[H](in)[lo:hi])
	}
}

// rowHalf is row32 for a 16-bit type, a block of elements at a time.
func rowHalf[H cast.Half](o vec.Operation) row {
	return func(out, a, b *tensor.View, at, i, j, n, sa, sb int) {
		dst, x, y := spans[H](out, a, b, at, i, j, n, sa, sb)
		var left, right [block]float32
		for len(dst) > 0 {
			part := dst[:min(block, len(dst))]
			l, r := left[:len(part)], right[:len(part)]
			x = widen(l, x, sa)
			y = widen(r, y, sb)
			vec.Combine(o, l, l, r)
			cast.Narrow(part, l)
			dst = dst[len(part):]
		}
	}
}

// widen reads elements that lie step apart, and returns those behind them.
func widen[H cast.Half](dst []float32, src []H, step int) []H {
	if step == 1 {
		cast.Widen(dst, src[:len(dst)])
	} else {
		for k := range dst {
			dst[k] = src[k*step].Float32()
		}
	}
	return src[min(len(src), len(dst)*step):]
}
