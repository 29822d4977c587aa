// Package plan decides where every value of a run lives: which values share a
// buffer, which arena a buffer comes from, from which step to which it lives,
// and at which offset of the run's slab an intermediate of known size lies.
//
// What is put behind each other is made where it is to lie, and what is cut out is
// read where it lies, as long as the slab does not grow by it.
//
// It is a pure function from a Problem to a Plan; it touches no memory and
// knows no operator. Its invariants, which the tests check: two buffers that are
// alive at the same step do not overlap in the slab; a value is overwritten
// only by a step that is its last use; a buffer that leaves the run is in no
// slab, begins with what leaves, and is lent to nothing that is written afterwards.
package plan

import "slices"

// Role says what becomes of a buffer's memory.
type Role uint8

// The roles of a buffer.
const (
	Execution Role = iota // dies in the run: the execution arena
	IO                    // leaves the run: the I/O arena
	Borrowed              // belongs to the caller or to the model: never allocated, never written
)

// String names the role as the plan's text prints it.
func (r Role) String() string { return [...]string{"execution", "io", "borrowed"}[r] }

// Unsized is the size of a value that is known only during the run.
const Unsized = -1

// None marks an omitted input or output.
const None = -1

// Value is one value of a run.
type Value struct {
	Bytes    int  // size in bytes, or Unsized
	Borrowed bool // an input or a constant
	Output   bool // leaves the run
}

// Step is one step of a run, in execution order. In and Out are indices of
// Values, or None.
type Step struct {
	In, Out   []int
	View      bool  // output 0 is input 0 under another shape
	Join      []int // output 0 is the inputs behind each other: the byte where each begins; may be nil
	Cut       []int // each output is a range of input 0: the byte where each begins; may be nil
	Over      []int // the positions in In of the inputs that output 0 may overwrite
	Moves     bool  // outputs arrive with memory of their own: never in the slab
	Workspace int   // bytes of scratch that the step needs
}

// Problem is what Make plans.
type Problem struct {
	Values []Value
	Steps  []Step
	Align  int // of the offsets; 0 is 64
	// NoReuse gives every value memory of its own: the reference that the
	// metamorphic tests compare with.
	NoReuse bool
}

// Buffer is memory that one or several values share in turn.
type Buffer struct {
	Role        Role
	Bytes       int // size in bytes, or Unsized
	First, Last int // the steps it lives from and to, both included
	Offset      int // in the slab, or None where it has a handle of its own
}

// Plan is where everything lives.
type Plan struct {
	Buffers   []Buffer
	Of        []int   // the buffer of each value
	At        []int   // the byte of the buffer where each value begins
	Idle      []bool  // the steps that join or cut what all lies in its place already
	Workspace []int   // the slab offset of each step's workspace, or None
	InPlace   []int   // the input that output 0 of each step overwrites, or None
	Release   [][]int // the buffers with handles of their own that die in each step
	Slab      int     // bytes of the slab
	Peak      int     // the largest sum of live execution bytes at any step
}

// Make plans p.
func Make(p *Problem) *Plan {
	plain := attempt(p, nil)
	if p.NoReuse {
		return plain
	}
	s := search{p: p, best: plain, tries: mostTries}
	s.add(sharing(p))
	return s.best
}

// attempt plans p with the steps of list sharing the memory of what they join or cut.
func attempt(p *Problem, list []int) *Plan {
	b := newBuilder(p)
	b.settle(list)
	for i := range p.Steps {
		b.place(i)
	}
	b.idle()
	b.lifetimes()
	b.pack()
	return b.plan
}

type builder struct {
	p       *Problem
	plan    *Plan
	bytes   []int   // of each value: its size; a view of unknown shape is as large as what it views
	read    []int   // of each value: the last step that reads it, or -1
	made    []int   // ... and the step that makes it, or -1
	spots   []spot  // where each value lies, but for what is overwritten in place
	kin     [][]int // of each value: those that lie in its memory, itself too
	members [][]int // the values in each buffer
}

func newBuilder(p *Problem) *builder {
	n, values := len(p.Steps), len(p.Values)
	b := &builder{p: p, bytes: make([]int, values), read: make([]int, values), made: make([]int, values), plan: &Plan{
		Of: make([]int, values), At: make([]int, values),
		Workspace: make([]int, n), InPlace: make([]int, n), Idle: make([]bool, n), Release: make([][]int, n),
	}}
	for v := range values {
		b.bytes[v], b.read[v], b.made[v], b.plan.Of[v] = p.Values[v].Bytes, -1, -1, None
	}
	for i, s := range p.Steps {
		b.plan.Workspace[i], b.plan.InPlace[i] = None, None
		for _, v := range s.In {
			if v != None {
				b.read[v] = i
			}
		}
		for _, v := range s.Out {
			if v != None {
				b.made[v] = i
			}
		}
		if s.isView() {
			b.bytes[s.Out[0]] = b.bytes[s.In[0]]
		}
	}
	return b
}

// isView reports whether the step only renames memory.
func (s *Step) isView() bool { return s.View && s.In[0] != None && s.Out[0] != None }

// open gives v, and all that lies in its memory, a buffer.
func (b *builder) open(v int, buf Buffer) {
	b.plan.Buffers = append(b.plan.Buffers, buf)
	b.members = append(b.members, nil)
	b.join(v, len(b.plan.Buffers)-1, 0)
}

// join puts v, and all that lies in its memory, into a buffer from byte at on.
func (b *builder) join(v, buf, at int) {
	for _, k := range b.kin[v] {
		b.plan.Of[k], b.plan.At[k] = buf, at+b.spots[k].at
	}
	b.members[buf] = append(b.members[buf], b.kin[v]...)
}

// place gives each output of step i a buffer. One that lies in the memory of a value
// which is made later opens the buffer of that.
func (b *builder) place(i int) {
	s := &b.p.Steps[i]
	for slot, v := range s.Out {
		if v == None || b.plan.Of[v] != None {
			continue
		}
		base := b.spots[v].base
		role := Execution
		if b.leaves(base) {
			role = IO
		}
		if slot == 0 && base == v && role == Execution {
			if in := b.overwritable(i, s); in != None {
				b.plan.InPlace[i] = in
				b.join(v, b.plan.Of[s.In[in]], b.plan.At[s.In[in]])
				continue
			}
		}
		size := b.p.Values[base].Bytes
		if s.Moves {
			size = Unsized
		}
		b.open(base, Buffer{Role: role, Bytes: size, First: i, Last: i, Offset: None})
	}
}

// leaves reports whether something in the memory of v leaves the run.
func (b *builder) leaves(v int) bool {
	return slices.ContainsFunc(b.kin[v], func(k int) bool { return b.p.Values[k].Output })
}

// overwritable returns the input of step i whose memory output 0 may take.
func (b *builder) overwritable(i int, s *Step) int {
	out := b.p.Values[s.Out[0]].Bytes
	if b.p.NoReuse || out == Unsized || s.Moves {
		return None
	}
	for _, k := range s.Over {
		v := s.In[k]
		if v == None || b.p.Values[v].Bytes != out {
			continue
		}
		if bf := &b.plan.Buffers[b.plan.Of[v]]; bf.Role == Execution && bf.Bytes != Unsized && b.deadAfter(v, i) && b.readOnce(s, v) {
			return k
		}
	}
	return None
}

// deadAfter reports whether nothing that lies where v does is read after step i.
func (b *builder) deadAfter(v, i int) bool {
	return !slices.ContainsFunc(b.members[b.plan.Of[v]], func(w int) bool {
		return b.meet(v, w) && b.read[w] > i
	})
}

// readOnce reports whether the step reads the memory of v only as v: under
// another shape it may be read in another order than it is overwritten.
func (b *builder) readOnce(s *Step, v int) bool {
	return !slices.ContainsFunc(s.In, func(w int) bool { return w != None && w != v && b.plan.Of[w] == b.plan.Of[v] && b.meet(v, w) })
}

// meet reports whether two values of a buffer share a byte. Of values without bytes or of
// unknown size those that begin alike count.
func (b *builder) meet(v, w int) bool {
	av, aw := b.plan.At[v], b.plan.At[w]
	return av == aw || av < aw+b.bytes[w] && aw < av+b.bytes[v]
}

// lifetimes sets the last step of each buffer and lists what dies when.
func (b *builder) lifetimes() {
	end := len(b.p.Steps)
	for v, buf := range b.plan.Of {
		if buf == None {
			continue
		}
		if bf := &b.plan.Buffers[buf]; bf.Role == Execution {
			bf.Last = max(bf.Last, b.read[v])
			if b.p.NoReuse {
				bf.Last = max(end-1, bf.Last)
			}
		}
	}
	for i := range b.plan.Buffers {
		bf := &b.plan.Buffers[i]
		switch {
		case bf.Role == IO:
			bf.Last = end
		case bf.Role == Execution && bf.Bytes == Unsized && bf.Last < end:
			b.plan.Release[bf.Last] = append(b.plan.Release[bf.Last], i)
		}
	}
}
