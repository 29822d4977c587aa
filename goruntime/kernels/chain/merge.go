package chain

import "github.com/goruntime/goruntime/goruntime/kernels/vec"

// merge makes one step of steps that package vec has a loop for, which rounds where
// they round: a pass less over the block for each step saved.
func (b *Builder) merge(p *Program) {
	m := merger{b: b, p: p, reads: make([]int, len(b.values))}
	for _, v := range b.values {
		if v.from == computed {
			m.reads[v.a]++
			if v.kind == operation {
				m.reads[v.b]++
			}
		}
	}
	for i := range b.values {
		for _, try := range []func(int) bool{m.line, m.added, m.rectified, m.swish, m.sixth, m.bell, m.code, m.snap} {
			if try(i) {
				break
			}
		}
		m.recode(i)
	}
}

// merger looks for steps to merge.
type merger struct {
	b     *Builder
	p     *Program
	reads []int // how many steps read a value
}

// put makes value i the step s in place of the values inner.
func (m *merger) put(i int, s step, inner ...int) bool {
	m.b.values[i].step = s
	for _, k := range inner {
		m.b.values[k].from = merged
	}
	return true
}

// single reports whether value i is one number for all elements of a line.
func (m *merger) single(i int) bool {
	v := &m.b.values[i]
	if v.from == given && m.p.rows && !m.p.inputs[v.index].fixed {
		return false // several lines go through a step at once
	}
	return v.from == numeral || v.from == given && m.p.last > 1 && m.p.inputs[v.index].steps[len(m.p.dims)-1] == 0
}

// number returns a constant.
func (m *merger) number(i int) (float32, bool) {
	v := &m.b.values[i]
	return v.number, v.from == numeral
}

// is reports whether value i is the operation o.
func (m *merger) is(i int, o vec.Operation) bool {
	v := &m.b.values[i]
	return v.from == computed && v.kind == operation && !v.lined && vec.Operation(v.code) == o
}

// applies reports whether value i is f of x, read by one step.
func (m *merger) applies(i int, f vec.Function) (x int, ok bool) {
	v := &m.b.values[i]
	return v.a, v.from == computed && v.kind == function && vec.Function(v.code) == f && m.reads[i] == 1
}

// sides calls f with both orders of the operands of value i, if it is the operation
// o, until f is true.
func (m *merger) sides(i int, o vec.Operation, f func(x, y int) bool) bool {
	v := m.b.values[i]
	return m.is(i, o) && (f(v.a, v.b) || f(v.b, v.a))
}

// swish is x times Logistic(x).
func (m *merger) swish(i int) bool {
	return m.sides(i, vec.Times, func(x, gate int) bool {
		of, ok := m.applies(gate, vec.Logistic)
		return ok && of == x && m.put(i, step{kind: function, code: int(vec.Swish), a: x}, gate)
	})
}

// sixth is x clamp(x + 3, 0, 6) / 6.
func (m *merger) sixth(i int) bool {
	v := m.b.values[i]
	if !m.is(i, vec.Over) || m.reads[v.a] != 1 {
		return false
	}
	if n, ok := m.number(v.b); !ok || n != 6 {
		return false
	}
	return m.sides(v.a, vec.Times, func(x, clamp int) bool {
		c := m.b.values[clamp]
		if c.from != computed || c.kind != curve || c.lined || vec.Curve(c.code) != vec.Clamp || c.s != 0 || c.r != 6 || m.reads[clamp] != 1 || m.reads[c.a] != 1 {
			return false
		}
		return m.sides(c.a, vec.Plus, func(of, three int) bool {
			n, ok := m.number(three)
			return ok && n == 3 && of == x && m.put(i, step{kind: function, code: int(vec.Sixth), a: x}, v.a, clamp, c.a)
		})
	})
}

// bell is (erf(x/s) + 1) x r.
func (m *merger) bell(i int) bool {
	return m.sides(i, vec.Times, func(product, factor int) bool {
		r, ok := m.number(factor)
		return ok && m.reads[product] == 1 && m.sides(product, vec.Times, func(x, sum int) bool {
			return m.reads[sum] == 1 && m.sides(sum, vec.Plus, func(erf, one int) bool {
				n, ok := m.number(one)
				ratio, isErf := m.applies(erf, vec.ErrorFunction)
				if !ok || n != 1 || !isErf || m.reads[ratio] != 1 || !m.is(ratio, vec.Over) {
					return false
				}
				by := m.b.values[ratio]
				s, ok := m.number(by.b)
				return ok && by.a == x && m.put(i, step{kind: curve, code: int(vec.Bell), a: x, s: s, r: r}, product, sum, erf, ratio)
			})
		})
	})
}

// code is a whole number next to x/n or x*n.
func (m *merger) code(i int) bool {
	v := &m.b.values[i]
	if v.from != computed || v.kind != curve || v.lined || vec.Curve(v.code) != vec.Whole || m.reads[v.a] != 1 {
		return false
	}
	by := m.b.values[v.a]
	if _, ok := m.number(by.b); !ok {
		return false
	}
	switch s := (step{kind: grid, a: by.a, b: by.b, s: v.s, r: v.r}); {
	case m.is(v.a, vec.Over):
		s.code = int(vec.WholeOver)
		return m.put(i, s, v.a)
	case m.is(v.a, vec.Times):
		s.code = int(vec.WholeTimes)
		return m.put(i, s, v.a)
	}
	return false
}

// grid returns the number of a code that one step reads, or of value i itself.
func (m *merger) grid(i int, g vec.Grid) (v *value, n float32, ok bool) {
	v = &m.b.values[i]
	if v.from != computed || v.kind != grid || vec.Grid(v.code) != g {
		return v, 0, false
	}
	n, ok = m.number(v.b)
	return v, n, ok
}

// recode is a code of a product, times a number, through a gate and over a number a code
// again.
func (m *merger) recode(i int) bool {
	last, over, ok := m.grid(i, vec.WholeOver)
	if !ok {
		return false
	}
	gate := m.b.values[last.a]
	if gate.from != computed || gate.kind != curve || gate.lined || vec.Curve(gate.code) != vec.Gate || m.reads[last.a] != 1 || m.reads[gate.a] != 1 {
		return false
	}
	return m.sides(gate.a, vec.Times, func(code, by int) bool {
		scale, known := m.number(by)
		c, times, ok := m.grid(code, vec.WholeTimes)
		if !known || !ok || m.reads[code] != 1 {
			return false
		}
		k := &vec.Recoding{
			Times: times, Least: c.s, Most: c.r, Scale: scale, Slope: gate.s, Offset: gate.r, Over: over, Low: last.s, High: last.r, Back: 1,
		}
		return m.put(i, step{kind: recoding, a: c.a, codes: k}, last.a, gate.a, code)
	})
}

// snap is a code of x/n, times n.
func (m *merger) snap(i int) bool {
	return m.sides(i, vec.Times, func(code, times int) bool {
		c := m.b.values[code]
		n, ok := m.number(times)
		if ok && c.from == computed && c.kind == recoding && c.codes.Over == n && m.reads[code] == 1 {
			k := *c.codes
			k.Back = n
			return m.put(i, step{kind: recoding, a: c.a, codes: &k}, code)
		}
		if !ok || c.from != computed || c.kind != grid || vec.Grid(c.code) != vec.WholeOver || m.reads[code] != 1 {
			return false
		}
		by, _ := m.number(c.b)
		return by == n && m.put(i, step{kind: grid, code: int(vec.Snap), a: c.a, b: c.b, s: c.s, r: c.r}, code)
	})
}
