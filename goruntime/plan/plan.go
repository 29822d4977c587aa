// Package plan decides where every value of a run lives: which values share a
// buffer, which arena a buffer comes from, from which step to which it lives,
// and at which offset of the run's slab an intermediate of known size lies.
//
// It is a pure function from a Problem to a Plan; it touches no memory and
// knows no operator. Its invariants, which Verify checks: two buffers that are
// alive at the same step do not overlap in the slab; a value is overwritten
// only by a step that is its last use; a buffer that leaves the run is in no
// slab and shares its memory with nothing that stays.
package plan

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
	Workspace []int   // the slab offset of each step's workspace, or None
	InPlace   []int   // the input that output 0 of each step overwrites, or None
	Release   [][]int // the buffers with handles of their own that die in each step
	Slab      int     // bytes of the slab
	Peak      int     // the largest sum of live execution bytes at any step
}

// Make plans p.
func Make(p *Problem) *Plan {
	b := newBuilder(p)
	for i := range p.Steps {
		b.place(i)
	}
	b.lifetimes()
	b.pack()
	return b.plan
}

type builder struct {
	p       *Problem
	plan    *Plan
	lastUse []int   // of each value: the step that reads it or a view of it last, or -1
	members [][]int // the values in each buffer
}

func newBuilder(p *Problem) *builder {
	n := len(p.Steps)
	b := &builder{p: p, lastUse: make([]int, len(p.Values)), plan: &Plan{
		Of: make([]int, len(p.Values)), Workspace: make([]int, n), InPlace: make([]int, n), Release: make([][]int, n),
	}}
	for v := range b.lastUse {
		b.lastUse[v], b.plan.Of[v] = -1, None
	}
	for i, s := range p.Steps {
		b.plan.Workspace[i], b.plan.InPlace[i] = None, None
		for _, v := range s.In {
			if v != None {
				b.lastUse[v] = i
			}
		}
	}
	for v, val := range p.Values {
		if val.Borrowed {
			b.open(v, Buffer{Role: Borrowed, Bytes: val.Bytes, First: 0, Last: n, Offset: None})
		}
	}
	b.extendViews()
	return b
}

// extendViews makes each value live as long as the views of it, which come
// after it, so one pass backwards settles chains of views.
func (b *builder) extendViews() {
	for i := len(b.p.Steps) - 1; i >= 0; i-- {
		if s := &b.p.Steps[i]; b.isView(s) {
			in, out := s.In[0], s.Out[0]
			b.lastUse[in] = max(b.lastUse[in], b.lastUse[out])
			if b.p.Values[out].Output {
				b.lastUse[in] = len(b.p.Steps)
			}
		}
	}
}

// isView reports whether the step only renames memory. An output of the run
// that views borrowed memory is not a view: it must be a copy.
func (b *builder) isView(s *Step) bool {
	return s.View && s.In[0] != None && s.Out[0] != None
}

// leaves reports whether value v or a view of it leaves the run.
func (b *builder) leaves(v int) bool {
	return b.p.Values[v].Output || b.lastUse[v] >= len(b.p.Steps)
}

func (b *builder) open(v int, buf Buffer) {
	b.plan.Buffers = append(b.plan.Buffers, buf)
	b.members = append(b.members, nil)
	b.join(v, len(b.plan.Buffers)-1)
}

// join puts value v into a buffer.
func (b *builder) join(v, buf int) {
	b.plan.Of[v] = buf
	b.members[buf] = append(b.members[buf], v)
}

// place gives each output of step i a buffer.
func (b *builder) place(i int) {
	s := &b.p.Steps[i]
	for slot, v := range s.Out {
		if v == None {
			continue
		}
		if slot == 0 && b.isView(s) {
			b.join(v, b.plan.Of[s.In[0]])
			continue
		}
		role := Execution
		if b.leaves(v) {
			role = IO
		}
		if slot == 0 && role == Execution {
			if in := b.overwritable(i, s); in != None {
				b.plan.InPlace[i] = in
				b.join(v, b.plan.Of[s.In[in]])
				continue
			}
		}
		size := b.p.Values[v].Bytes
		if s.Moves {
			size = Unsized
		}
		b.open(v, Buffer{Role: role, Bytes: size, First: i, Last: i, Offset: None})
	}
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
		buf := b.plan.Of[v]
		if b.plan.Buffers[buf].Role == Execution && b.plan.Buffers[buf].Bytes == out && b.deadAfter(buf, i) && b.readOnce(s, v) {
			return k
		}
	}
	return None
}

// deadAfter reports whether no value in the buffer is read after step i. Views
// of the buffer count: their values are in it too.
func (b *builder) deadAfter(buf, i int) bool {
	for _, v := range b.members[buf] {
		if b.lastUse[v] > i {
			return false
		}
	}
	return true
}

// readOnce reports whether the step reads the memory of v only as v: under
// another shape it may be read in another order than it is overwritten.
func (b *builder) readOnce(s *Step, v int) bool {
	for _, w := range s.In {
		if w != None && w != v && b.plan.Of[w] == b.plan.Of[v] {
			return false
		}
	}
	return true
}

// lifetimes sets the last step of each buffer and lists what dies when.
func (b *builder) lifetimes() {
	end := len(b.p.Steps)
	for v, buf := range b.plan.Of {
		if buf == None {
			continue
		}
		if bf := &b.plan.Buffers[buf]; bf.Role == Execution {
			bf.Last = max(bf.Last, b.lastUse[v])
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
