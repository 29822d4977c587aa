package exec

import (
	"sync"
	"sync/atomic"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// keep is how many specializations a unit keeps, the most recently used.
const keep = 8

// unit is a graph together with the values wanted from it, which runs feed.
type unit struct {
	m      *compiled
	g      *graph.Graph
	wanted []graph.ID
	inputs []graph.ID // what a run feeds, in order: formal inputs, then captures
	fixed  []fixed    // captured values that the parent knows
	need   []bool
	body   bool // of a loop: its outputs may be its inputs or constants, uncopied

	// hot is the frame that served last, or nil while it serves: the next run with
	// the same shapes takes it without the lock. Its program counts it as busy.
	hot atomic.Pointer[frame]

	mu     sync.Mutex // protects all below and the free lists of the programs
	specs  []*program // the most recently used first
	varies []bool     // of a body, which inputs change their shape from call to call
}

func newUnit(m *compiled, g *graph.Graph, wanted []graph.ID) *unit {
	return &unit{m: m, g: g, wanted: wanted, need: g.Needed(wanted)}
}

// fixed is a value of a unit that is the same in every run.
type fixed struct {
	id   graph.ID
	view tensor.View
	root bool // a constant of the model, not of one specialization
}

// value is one value of a program.
type value struct {
	name   string
	view   tensor.View // dtype and shape where shaped, and Data where known
	shaped bool
	known  bool // the same in every run of the program
	model  bool // known, and the same in every program of the session
	feed   int  // the number of the input, or -1
	root   int  // the value whose memory it shares, itself where it has its own
}

// step is one step of a program.
type step struct {
	node   *graph.Node
	in     []int
	out    []int
	static bool // all shapes are known: outputs are made before, Prepare was called
	rename bool // static and output 0 shares the memory of input 0: nothing runs
	heavy  bool // may take long enough to look at the clock afterwards
	args   int  // how many of in the node lists; the rest are captured by its bodies
	kept   int  // how many of the last of in are only kept for what the step reads
	bodies []body
	tail   *tail // the chain that the step ends with, or nil
}

// body is a subgraph of a step and the program's values that it captures.
type body struct {
	attr     string
	unit     *unit
	captures []int
}

// program is a unit specialized for one signature of inputs.
type program struct {
	unit    *unit
	whole   bool // every value is made, for someone to look at
	origins origins
	vals    []value
	steps   []step
	inputs  []int         // the value of each unit input, or -1 where nothing reads it
	sig     []tensor.View // types, shapes and whether they are columns
	outputs []int
	plan    *plan.Plan
	work    []int // the workspace of each step, in bytes
	exitOf  []int // the output of each buffer that leaves
	through []int // of each output of a body: the input that it is, or made or constant
	others  bool  // an output may be a sequence, an optional or a map
	owned   []arena.Handle
	free    []*frame // under unit.mu, as busy and retired
	busy    int      // runs that use the program
	retired bool     // no longer in unit.specs

	packs packs // packed forms of folded constants
}

// matches reports whether the program is for inputs of these types and shapes, and
// whole or not.
// An absent optional input has the dtype Undefined.
func (p *program) matches(in []tensor.View, whole bool) bool {
	if p.whole != whole {
		return false
	}
	for i := range p.sig {
		if p.sig[i].DType != in[i].DType || (p.sig[i].Columns == nil) != (in[i].Columns == nil) || !p.any(i) && !p.sig[i].Shape.Equal(in[i].Shape) {
			return false
		}
		if (p.sig[i].Parts != nil || in[i].Parts != nil) && !sameParts(p.sig[i].Parts, in[i].Parts) {
			return false
		}
	}
	return true
}

// any reports whether the program takes every shape of input i.
func (p *program) any(i int) bool { return p.inputs[i] >= 0 && !p.vals[p.inputs[i]].shaped }

// learn marks the inputs of a body whose shapes differ from call to call: the
// next program takes any shape of them, where one for each would be made for one
// call only.
func (u *unit) learn(in []tensor.View) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.body || len(u.specs) < 3 {
		return
	}
	if u.varies == nil {
		u.varies = make([]bool, len(u.inputs))
	}
	for _, p := range u.specs {
		for i := range in {
			u.varies[i] = u.varies[i] || !p.sig[i].Shape.Equal(in[i].Shape)
		}
	}
}

// acquire returns a frame for inputs of these types and shapes, to be given
// back with release. A whole one makes every value of the graph. A new program
// has no value that on has no room for.
func (u *unit) acquire(in []tensor.View, whole bool, on Resources) (*frame, error) {
	if f := u.takeHot(in, whole); f != nil {
		return f, nil
	}
	if p, f := u.find(in, whole); f != nil {
		return f, nil
	} else if p != nil {
		f, err := newFrame(p, nil)
		if err != nil {
			p.done(nil)
		}
		return f, err
	}
	u.learn(in)
	p, f, err := specialize(u, in, whole, on.most())
	if err != nil {
		return nil, err
	}
	p.busy = 1
	u.mu.Lock()
	defer u.mu.Unlock()
	u.specs = append([]*program{p}, u.specs...)
	if len(u.specs) > keep {
		u.specs[keep].retire()
		u.specs = u.specs[:keep]
	}
	return f, nil
}

// find returns the program for these inputs, counted as busy, with a free frame
// of it if there is one.
func (u *unit) find(in []tensor.View, whole bool) (*program, *frame) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, p := range u.specs {
		if !p.matches(in, whole) {
			continue
		}
		if i > 0 {
			copy(u.specs[1:i+1], u.specs[:i])
			u.specs[0] = p
		}
		p.busy++
		var f *frame
		if n := len(p.free); n > 0 {
			f, p.free = p.free[n-1], p.free[:n-1]
		}
		return p, f
	}
	return nil, nil
}

// done ends the use of a frame, which serves the next run; nil where none came
// to be. The last use of a dropped program gives its memory back.
func (p *program) done(f *frame) {
	p.unit.mu.Lock()
	defer p.unit.mu.Unlock()
	p.busy--
	switch {
	case p.retired && p.busy == 0:
		p.drop()
	case f != nil && !p.retired:
		p.free = append(p.free, f)
	}
}

// takeHot returns the frame that served last if it is for these inputs.
func (u *unit) takeHot(in []tensor.View, whole bool) *frame {
	f := u.hot.Swap(nil)
	if f != nil && !f.prog.matches(in, whole) {
		f.prog.done(f)
		f = nil
	}
	return f
}

// keepHot ends the use of a frame: it waits in hot, and what waited there returns to
// its program.
func (u *unit) keepHot(f *frame) {
	if before := u.hot.Swap(f); before != nil {
		before.prog.done(before)
	}
}

// retire drops the program once no run uses it. The unit's lock is held.
func (p *program) retire() {
	p.retired = true
	if p.busy == 0 {
		p.drop()
	}
}

// drop gives back what the program owns: folded constants, packed forms of
// them, the programs of its subgraphs.
func (p *program) drop() {
	for i := range p.owned {
		p.owned[i].Release()
	}
	p.owned, p.free = nil, nil
	p.packs.close()
	for i := range p.steps {
		for _, b := range p.steps[i].bodies {
			b.unit.close()
		}
	}
}

// close drops all programs of the unit.
func (u *unit) close() {
	if f := u.hot.Swap(nil); f != nil {
		f.prog.done(f)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, p := range u.specs {
		p.retire()
	}
	u.specs = nil
}
