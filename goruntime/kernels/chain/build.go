package chain

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Ref is a value of a chain that is being built: an input, a number, or what a
// step computes.
type Ref int

// Builder writes a chain down.
type Builder struct {
	values []value
	inputs [][]int // the shapes
}

// value is what a Ref stands for.
type value struct {
	step          // a and b are Refs here
	from   source // where it comes from
	index  int    // of the input
	number float32
	lined  bool // times and plus are Refs of the parameters
}

type source uint8

const (
	computed source = iota
	given
	numeral
	merged // into the step that reads it
)

// Input adds a tensor of this shape, which broadcasts to the output's.
func (b *Builder) Input(shape []int) Ref {
	b.inputs = append(b.inputs, shape)
	return b.add(value{from: given, index: len(b.inputs) - 1})
}

// Inputs returns how many tensors the chain reads so far.
func (b *Builder) Inputs() int { return len(b.inputs) }

// Number adds a constant.
func (b *Builder) Number(x float32) Ref { return b.add(value{from: numeral, number: x}) }

// Apply adds f(x).
func (b *Builder) Apply(f vec.Function, x Ref) Ref {
	return b.add(value{step: step{kind: function, code: int(f), a: int(x)}})
}

// Combine adds x o y.
func (b *Builder) Combine(o vec.Operation, x, y Ref) Ref {
	return b.add(value{step: step{kind: operation, code: int(o), a: int(x), b: int(y)}})
}

// Bend adds the curve of x with the parameters s and r.
func (b *Builder) Bend(c vec.Curve, x Ref, s, r float32) Ref {
	return b.add(value{step: step{kind: curve, code: int(c), a: int(x), s: s, r: r}})
}

func (b *Builder) add(v value) Ref {
	b.values = append(b.values, v)
	return Ref(len(b.values) - 1)
}

// Finish returns the program that writes the last value added, of this shape; nil
// where it has more values than a run has places for.
// Where the output lies on input 0, which is then what a product wrote there,
// onto is true.
func (b *Builder) Finish(shape []int, onto bool) *Program {
	p := &Program{all: 1}
	for _, d := range shape {
		p.all *= d
	}
	p.room = min(block, (p.all+15)&^15)
	p.lay(shape, b.inputs)
	b.merge(p)
	b.place(p, onto)
	if p.at.all > maxPlaces {
		return nil
	}
	p.choose()
	if len(p.steps) == 1 {
		s := &p.steps[0]
		p.relu = s.kind == function && vec.Function(s.code) == vec.Rectifier && s.a == 0
	}
	return p
}

// lay settles the dimensions and how the inputs lie under them.
func (p *Program) lay(shape []int, inputs [][]int) {
	all := make([][]int, len(inputs))
	for i, s := range inputs {
		all[i] = tensor.Shape(s).Strides(len(shape))
	}
	p.inputs = make([]input, len(inputs))
	for d, n := range shape {
		if n == 1 {
			continue
		}
		k := len(p.dims) - 1
		joins := k >= 0
		for i := range all {
			joins = joins && p.inputs[i].steps[k] == n*all[i][d]
		}
		if joins {
			p.dims[k] *= n
		} else {
			p.dims = append(p.dims, n)
			k++
		}
		for i := range all {
			p.inputs[i].steps = append(p.inputs[i].steps[:k], all[i][d])
		}
	}
	if len(p.dims) == 0 {
		p.dims = []int{1}
		for i := range p.inputs {
			p.inputs[i].steps = []int{0}
		}
	}
	p.last = p.dims[len(p.dims)-1]
	dense := tensor.Shape(p.dims).Strides(len(p.dims))
	for i := range p.inputs {
		in := &p.inputs[i]
		in.dense = slices.Equal(in.steps, dense)
		in.fixed = !slices.ContainsFunc(in.steps, func(s int) bool { return s != 0 })
		if k := len(p.dims) - 2; k >= 0 {
			in.down = 4 * in.steps[k]
		}
	}
	p.rows = p.short()
}

// short reports whether lines are short, and every input has as much for each: a line
// of its own, a number, or the same line again.
func (p *Program) short() bool {
	n := len(p.dims)
	if n < 2 || 2*p.last > block {
		return false
	}
	apart := false
	var again []int
	for i := range p.inputs {
		in := &p.inputs[i]
		each := in.steps[n-1] == 0 && in.steps[n-2] == 1
		same := in.steps[n-1] == 1 && !slices.ContainsFunc(in.steps[:n-1], func(s int) bool { return s != 0 })
		if !in.dense && !in.fixed && !each && !same {
			return false
		}
		if same {
			again = append(again, i)
		}
		apart = apart || each || same
	}
	p.again = again
	return apart
}

// single reports whether a place holds one number for all elements of a line.
func (p *Program) single(i int) bool {
	if i < p.at.numbers {
		steps := p.inputs[i].steps
		return p.last > 1 && steps[len(steps)-1] == 0
	}
	return i < p.at.out
}

// choose picks the loops and lists what moves along a line.
func (p *Program) choose() {
	for i := range p.inputs {
		if !p.single(i) {
			p.moves = append(p.moves, i)
		}
	}
	p.moves = append(p.moves, p.at.out)
	for i := range p.steps {
		s := &p.steps[i]
		switch {
		case s.kind == function:
			s.loop = vec.FunctionLoop(vec.Function(s.code))
		case s.kind == grid:
			s.loop = vec.GridLoop(vec.Grid(s.code))
		case s.kind == affine:
		case s.kind == recoding:
			s.codes.Prepare()
			s.loop = s.codes.Loop()
		case s.kind == curve:
			s.loop = vec.CurveLoop(vec.Curve(s.code))
		case p.single(s.b):
			s.each = p.rows && s.b < p.at.numbers && !p.inputs[s.b].fixed
			s.loop = vec.OperationLoop(vec.Operation(s.code), vec.Left)
		case p.single(s.a):
			s.each = p.rows && s.a < p.at.numbers && !p.inputs[s.a].fixed
			s.loop = vec.OperationLoop(vec.Operation(s.code), vec.Right)
		default:
			s.loop = vec.OperationLoop(vec.Operation(s.code), vec.Both)
		}
	}
}

// place gives each value a place. The output takes what is computed as long as
// nothing that lies there is read later, or lies there in an input that it may take
// the memory of; what is left goes to scratch.
func (b *Builder) place(p *Program, onto bool) {
	last := make([]int, len(b.values)) // the last step that reads a value
	for i := range b.values {
		if v := &b.values[i]; v.from == computed {
			last[v.a] = i
			if v.kind == operation || v.kind == grid || v.added {
				last[v.b] = i
			}
			if v.lined {
				last[v.times], last[v.plus] = i, i
			}
		}
	}
	at := make([]int, len(b.values))
	numbers := 0
	for i, v := range b.values {
		switch v.from {
		case given:
			at[i] = v.index
		case numeral:
			at[i] = len(b.inputs) + numbers
			p.numbers = append(p.numbers, v.number)
			numbers++
		}
	}
	p.at = places{numbers: len(b.inputs), out: len(b.inputs) + numbers, scratch: len(b.inputs) + numbers + 1}
	outBusy := -1 // the last reader of what lies in the output
	if onto {
		outBusy = b.lastOf(last, 0)
	}
	var busy []int // of each block of scratch, the last reader of what it holds
	first := -1    // the first step that writes to the output
	for i, v := range b.values {
		if v.from != computed {
			continue
		}
		s := v.step
		s.a, s.b, s.times, s.plus = at[v.a], at[v.b], -1, -1
		if v.lined {
			s.times, s.plus = at[v.times], at[v.plus]
		}
		if outBusy <= i {
			at[i], outBusy = p.at.out, last[i]
			if first < 0 {
				first = i
			}
		} else {
			k := slices.IndexFunc(busy, func(until int) bool { return until <= i })
			if k < 0 {
				k = len(busy)
				busy = append(busy, 0)
			}
			busy[k], at[i] = last[i], p.at.scratch+k
		}
		s.to = at[i]
		p.steps = append(p.steps, s)
	}
	p.temps = len(busy)
	p.at.all = p.at.scratch + p.temps
	for k := range b.inputs {
		if p.inputs[k].dense && b.lastOf(last, k) <= first {
			p.over = append(p.over, k)
		}
	}
}

// lastOf returns the last step that reads input k.
func (b *Builder) lastOf(last []int, k int) int {
	for i, v := range b.values {
		if v.from == given && v.index == k {
			return last[i]
		}
	}
	return -1
}
