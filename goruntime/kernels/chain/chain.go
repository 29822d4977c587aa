// Package chain applies elementwise operations on float32s one after another to
// blocks that stay in the cache: a chain of nodes is one pass over memory, and what
// follows a product is applied while its tile is hot.
//
// A Builder writes the steps down in order; Finish settles where each result lies:
// in the output, or in a block of scratch. The steps are the loops of package vec,
// which give an element the same bits wherever it lies: a chain gives the bits of
// its operations one by one, however the output is cut. Nothing is allocated in a
// run, no goroutine is started.
package chain

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// MaxInputs is how many tensors a chain reads at most.
const MaxInputs = 12

// maxPlaces is how many places a chain has at most.
const maxPlaces = 32

// block is how many elements go through all steps at a time.
const block = 1024

// kind says which loop of package vec a step is.
type kind uint8

const (
	function  kind = iota // code is a vec.Function
	operation             // code is a vec.Operation
	curve                 // code is a vec.Curve
	grid                  // code is a vec.Grid, b the number
	recoding              // codes are the numbers
	affine                // times, plus and b go with each line, r is the bound
)

// step computes to from a and, for an operation, b; where from and by are places,
// the parameters of a curve are the numbers that lie there in each line.
type step struct {
	kind        kind
	code        int
	s, r        float32
	a, b        int // places
	times, plus int
	added       bool // affine: b is added
	to          int
	each        bool // one side is a number for each line
	loop        vec.Loop
	codes       *vec.Recoding
}

// Where a step reads and writes: inputs from 0 on, then numbers, then the output,
// then blocks of scratch.
type places struct{ numbers, out, scratch, all int }

// input is how a tensor lies under the output.
type input struct {
	steps []int // of each dimension, 0 where the tensor is repeated
	dense bool  // as the output lies
	fixed bool  // one number
	down  int   // bytes from line to line
}

// Program is a finished chain.
//
// Concurrency: safe from any goroutine; it is only read.
type Program struct {
	at      places
	steps   []step
	inputs  []input
	numbers []float32
	dims    []int // of the output, joined where all inputs allow
	last    int   // the innermost dimension
	rows    bool  // several lines go through a step at once
	again   []int // the inputs that have the same line each time, which scratch has several times
	all     int
	temps   int
	room    int   // numbers of a block of scratch
	moves   []int // the places that go along a line: the output and inputs
	over    []int
	relu    bool
}

// Elements returns how many elements the output has.
func (p *Program) Elements() int { return p.all }

// Inputs returns how many tensors the chain reads.
func (p *Program) Inputs() int { return len(p.inputs) }

// Steps returns how many operations an element goes through.
func (p *Program) Steps() int { return len(p.steps) }

// Line returns how many elements lie side by side in every input at least.
func (p *Program) Line() int { return p.last }

// Scratch returns how many float32s a goroutine needs for Run.
func (p *Program) Scratch() int { return (p.temps + len(p.again)) * p.room }

// Over returns the inputs whose memory the output may take: of its shape, and read
// for the last time before it is written.
func (p *Program) Over() []int { return p.over }

// Relu reports whether the whole chain is max(0, x) of input 0.
func (p *Program) Relu() bool { return p.relu }

// Bound is a program with the memory of one run.
type Bound struct {
	*Program
	In  [MaxInputs]unsafe.Pointer
	Out unsafe.Pointer
}

// Run computes the output elements [lo, hi), counted as they lie in memory.
// Scratch has Scratch float32s of this goroutine's own.
func (b *Bound) Run(lo, hi int, scratch []float32) { b.Rows(lo, hi-lo, 0, 1, scratch) }

// From returns the chain of the output elements from lo on, the first of a row, which are
// counted from there; inputs that lie nowhere still do.
func (b *Bound) From(lo int) Bound {
	part := *b
	for i := range b.inputs {
		if in := &b.inputs[i]; !in.fixed && b.In[i] != nil {
			// SAFETY: from is inside the input.
			part.In[i] = unsafe.Add(b.In[i], 4*b.from(in, lo))
		}
	}
	// SAFETY: the output has element lo.
	part.Out = unsafe.Add(b.Out, 4*lo)
	return part
}

// Rows is Run for rows of n elements whose starts lie step apart, the first at lo.
func (b *Bound) Rows(lo, n, step, rows int, scratch []float32) {
	p := b.Program
	if n == step {
		n, rows = n*rows, 1
	}
	var at [maxPlaces]unsafe.Pointer
	for i := range p.numbers {
		at[p.at.numbers+i] = unsafe.Pointer(&p.numbers[i])
	}
	for i := range p.temps {
		at[p.at.scratch+i] = unsafe.Pointer(&scratch[i*p.room])
	}
	repeated := false
	for rows > 0 {
		if k := p.columnFrom(lo, n, step, rows); k > 1 {
			b.column(lo, n, k, &at)
			lo, rows = lo+k*step, rows-k
			continue
		}
		from, left := lo, n
		for left > 0 {
			some := min(p.last-from%p.last, left)
			if k := p.linesFrom(from, left); k > 1 {
				if !repeated {
					b.repeat(min(block, n)/p.last, scratch)
					repeated = true
				}
				some = k * p.last
				b.lines(from, k, &at, scratch)
			} else {
				b.line(from, some, &at)
			}
			from, left = from+some, left-some
		}
		lo, rows = lo+step, rows-1
	}
}

// point sets where inputs and output lie from element lo on.
func (b *Bound) point(lo int, at *[maxPlaces]unsafe.Pointer) {
	p := b.Program
	for i := range p.inputs {
		switch in := &p.inputs[i]; {
		case in.dense:
			// SAFETY: the input has an element for each of the output.
			at[i] = unsafe.Add(b.In[i], 4*lo)
		case in.fixed:
			at[i] = b.In[i]
		default:
			// SAFETY: from is inside the input.
			at[i] = unsafe.Add(b.In[i], 4*p.from(in, lo))
		}
	}
	// SAFETY: the output has these elements.
	at[p.at.out] = unsafe.Add(b.Out, 4*lo)
}

// line computes n elements from lo on, which lie side by side in every input.
func (b *Bound) line(lo, n int, at *[maxPlaces]unsafe.Pointer) {
	p := b.Program
	b.point(lo, at)
	for {
		some := min(block, n)
		b.apply(some, at)
		if n -= some; n == 0 {
			return
		}
		for _, i := range p.moves {
			// SAFETY: the elements of the line lie one behind the other.
			at[i] = unsafe.Add(at[i], 4*block)
		}
	}
}

// apply computes n elements from where at says.
func (b *Bound) apply(n int, at *[maxPlaces]unsafe.Pointer) {
	for i := range b.Program.steps {
		s := &b.Program.steps[i]
		if s.kind == affine {
			b.rowsOf(s, n, 1, at)
			continue
		}
		x, r := s.s, s.r
		if s.times >= 0 {
			// SAFETY: a number lies there.
			x, r = *(*float32)(at[s.times]), *(*float32)(at[s.plus])
		}
		s.loop.Run(at[s.to], at[s.a], s.other(at), n, x, r)
	}
}

// other returns what a step reads beside a.
func (s *step) other(at *[maxPlaces]unsafe.Pointer) unsafe.Pointer {
	if s.codes != nil {
		return unsafe.Pointer(s.codes)
	}
	return at[s.b]
}

// from returns where in an input what belongs to output element o lies.
func (p *Program) from(in *input, o int) int {
	at := 0
	for d := len(p.dims) - 1; d > 0; d-- {
		at += o % p.dims[d] * in.steps[d]
		o /= p.dims[d]
	}
	return at + o*in.steps[0]
}
