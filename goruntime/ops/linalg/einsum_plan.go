package linalg

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// einsumPlan is how an equation is computed: steps between buffers, which are the
// operands, the output and temporaries, by number.
type einsumPlan struct {
	sizes  *labelSizes
	inputs int
	steps  []einsumStep
	temps  []int // elements of each temporary
	err    error // that a temporary would be too large
}

// einsumStep is a gathering or, where k is set, a batch of products.
type einsumStep struct {
	dst, a, b      int
	dims, strides  []int // of what is gathered, dst being dense
	over, overStep []int // dimensions that are summed
	batch, m, n, k int
	product        bool
}

// operand is a buffer seen with labels: none twice, each with the distance of its
// elements.
type operand struct {
	buffer          int
	labels, strides []int
}

func planEinsum(c *op.Context) (*einsumPlan, error) {
	left, right, explicit := split(c.Attr.Str("equation"))
	p := &einsumPlan{sizes: &labelSizes{}, inputs: c.Inputs()}
	shape := func(i int) tensor.Shape { return c.In(i).Shape }
	if err := p.sizes.measure(left, c.Inputs(), shape); err != nil {
		return nil, err
	}
	out, err := p.sizes.output(nil, right, explicit)
	if err != nil {
		return nil, err
	}
	operands := make([]operand, p.inputs)
	for i, list := 0, left; i < p.inputs; i++ {
		var term string
		term, list, _ = nextTerm(list)
		if operands[i], err = p.operand(i, term, shape(i)); err != nil {
			return nil, err
		}
	}
	have := operands[0]
	for i, next := range operands[1:] {
		have = p.contract(have, next, func(l int) bool {
			return slices.Contains(out, l) || slices.ContainsFunc(operands[i+2:], func(o operand) bool { return slices.Contains(o.labels, l) })
		}, out)
	}
	p.finish(have, out)
	return p, p.err
}

// operand labels input i. A label that occurs twice is the diagonal; a dimension of
// 1 that stands for more does not depend on its label and loses it.
func (p *einsumPlan) operand(i int, term string, shape tensor.Shape) (operand, error) {
	n, _, err := countTerm(term)
	o := operand{buffer: i}
	step := shape.Elements()
	for k, l := range p.sizes.appendLabels(nil, term, len(shape)-n) {
		if step > 0 {
			step /= shape[k]
		}
		if shape[k] == 1 && p.sizes.size[l] != 1 {
			continue
		}
		if at := slices.Index(o.labels, l); at >= 0 {
			o.strides[at] += step
			continue
		}
		o.labels, o.strides = append(o.labels, l), append(o.strides, step)
	}
	return o, err
}

func (p *einsumPlan) output() int { return p.inputs }

func (p *einsumPlan) elements(labels []int) int {
	n := 1
	for _, l := range labels {
		n *= p.sizes.size[l]
	}
	return n
}

// temporary makes a buffer for these labels, dense.
func (p *einsumPlan) temporary(labels []int) operand {
	shape := make(tensor.Shape, len(labels))
	for i, l := range labels {
		shape[i] = p.sizes.size[l]
	}
	if _, err := shape.Check(tensor.F64); err != nil && p.err == nil {
		p.err = err
	}
	p.temps = append(p.temps, p.elements(labels))
	return p.dense(p.inputs+len(p.temps), labels)
}

func (p *einsumPlan) dense(buffer int, labels []int) operand {
	o := operand{buffer, labels, make([]int, len(labels))}
	step := 1
	for i := len(labels) - 1; i >= 0; i-- {
		o.strides[i] = step
		step *= p.sizes.size[labels[i]]
	}
	return o
}

// isDense reports whether o lies as a dense tensor of these labels does.
func (p *einsumPlan) isDense(o operand, labels []int) bool {
	if !slices.Equal(o.labels, labels) {
		return false
	}
	want := p.dense(0, labels).strides
	for i, l := range labels {
		if p.sizes.size[l] != 1 && o.strides[i] != want[i] {
			return false
		}
	}
	return true
}

// arrange returns o with the labels keep in this order, dense, summed over all
// others.
func (p *einsumPlan) arrange(o operand, keep []int) operand {
	if p.isDense(o, keep) {
		return operand{o.buffer, keep, p.dense(0, keep).strides}
	}
	dst := p.temporary(keep)
	p.gather(dst.buffer, o, keep)
	return dst
}

// gather adds the step that arranges o into buffer dst.
func (p *einsumPlan) gather(dst int, o operand, keep []int) {
	s := einsumStep{dst: dst, a: o.buffer}
	for _, l := range keep {
		s.dims, s.strides = p.extend(s.dims, s.strides, o, l)
	}
	for _, l := range o.labels {
		if !slices.Contains(keep, l) {
			s.over, s.overStep = p.extend(s.over, s.overStep, o, l)
		}
	}
	if len(s.dims) == 0 {
		s.dims, s.strides = []int{1}, []int{0}
	}
	p.steps = append(p.steps, s)
}

// extend appends a label's dimension, joined with the one before where they lie
// together. A label that o has not is repeated.
func (p *einsumPlan) extend(dims, strides []int, o operand, label int) ([]int, []int) {
	d, step := p.sizes.size[label], 0
	if at := slices.Index(o.labels, label); at >= 0 {
		step = o.strides[at]
	}
	if n := len(dims) - 1; n >= 0 && strides[n] == d*step {
		dims[n] *= d
		strides[n] = step
		return dims, strides
	}
	return append(dims, d), append(strides, step)
}

// contract multiplies two operands and sums over the labels that are not needed
// any more; out tells which order is liked.
func (p *einsumPlan) contract(a, b operand, needed func(int) bool, out []int) operand {
	for _, l := range out { // the output's order decides which operand is the left one
		inA, inB := slices.Contains(a.labels, l), slices.Contains(b.labels, l)
		if inA != inB {
			if inB {
				a, b = b, a
			}
			break
		}
	}
	var batch, m, n, k []int
	for _, l := range a.labels {
		switch both := slices.Contains(b.labels, l); {
		case both && needed(l):
			batch = append(batch, l)
		case both:
			k = append(k, l)
		case needed(l):
			m = append(m, l)
		}
	}
	for _, l := range b.labels {
		if needed(l) && !slices.Contains(a.labels, l) {
			n = append(n, l)
		}
	}
	a, b = p.arrange(a, slices.Concat(batch, m, k)), p.arrange(b, slices.Concat(batch, k, n))
	c := p.temporary(slices.Concat(batch, m, n))
	p.steps = append(p.steps, einsumStep{
		dst: c.buffer, a: a.buffer, b: b.buffer, product: true,
		batch: p.elements(batch), m: p.elements(m), n: p.elements(n), k: p.elements(k),
	})
	return c
}

// finish brings what was computed into the output: the last step writes there
// where the order fits.
func (p *einsumPlan) finish(o operand, out []int) {
	if o.buffer > p.inputs && p.isDense(o, out) {
		p.steps[len(p.steps)-1].dst = p.output()
		return
	}
	p.gather(p.output(), o, out)
}
