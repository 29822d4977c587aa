package chain

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// each reports whether value i is an input with a number for each line.
func (m *merger) each(i int) bool {
	v, n := &m.b.values[i], len(m.p.dims)
	return v.from == given && n > 1 && m.p.last > 1 && !m.p.inputs[v.index].fixed && m.p.inputs[v.index].steps[n-1] == 0
}

// line is x*s + r with single numbers, or with numbers for each line.
func (m *merger) line(i int) bool {
	return m.sides(i, vec.Plus, func(product, plus int) bool {
		return (m.single(plus) || m.each(plus)) && m.reads[product] == 1 && m.sides(product, vec.Times, func(x, times int) bool {
			s := step{kind: curve, code: int(vec.Line), a: x, times: times, plus: plus}
			if m.each(plus) && m.each(times) {
				s = step{kind: affine, a: x, times: times, plus: plus, r: float32(math.Inf(-1))}
			} else if !m.single(plus) || !m.single(times) {
				return false
			}
			if m.single(x) || m.each(x) {
				return false
			}
			m.b.values[i].lined = true
			return m.put(i, s, product)
		})
	})
}

// affine returns value i where it is affine, without a bound yet, and read by one step.
func (m *merger) affine(i int) (v value, ok bool) {
	v = m.b.values[i]
	return v, v.from == computed && v.kind == affine && v.r < 0 && m.reads[i] == 1
}

// added is an affine value and another one.
func (m *merger) added(i int) bool {
	return m.sides(i, vec.Plus, func(x, y int) bool {
		v, ok := m.affine(x)
		if !ok || v.added || x == y || m.single(y) || m.each(y) {
			return false
		}
		v.b, v.added = y, true
		m.b.values[i].lined = true
		return m.put(i, v.step, x)
	})
}

// rectified is an affine value, or zero where that is less.
func (m *merger) rectified(i int) bool {
	if of := &m.b.values[i]; of.from != computed || of.kind != function || vec.Function(of.code) != vec.Rectifier {
		return false
	}
	x := m.b.values[i].a
	v, ok := m.affine(x)
	if !ok {
		return false
	}
	v.r = 0
	m.b.values[i].lined = true
	return m.put(i, v.step, x)
}
