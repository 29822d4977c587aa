package plan

import (
	"fmt"
	"slices"
)

// word is how many bytes one cell of a machine stands for.
const word = 4

// content is what a cell holds: word k of what was computed as value v.
type content struct{ v, k int }

// memory is the slab, or a buffer of its own.
type memory struct {
	cells    []content
	freed    bool
	borrowed bool
}

// machine runs a plan on memory of which each cell says whose content it is: a
// value that is read must still be where the plan put it.
type machine struct {
	p     *Problem
	plan  *Plan
	slab  memory
	own   map[int]*memory // buffers with memory of their own
	holds [][]content     // of each value, what it must hold
}

// verify runs the plan and returns what it does wrong.
func verify(p *Problem, pl *Plan) error {
	m := &machine{p: p, plan: pl, slab: memory{cells: make([]content, pl.Slab/word)}, own: map[int]*memory{}, holds: make([][]content, len(p.Values))}
	for v := range p.Values {
		if p.Values[v].Borrowed {
			if b := pl.Buffers[pl.Of[v]]; b.Role != Borrowed || b.Offset != None {
				return fmt.Errorf("borrowed value %d is in a buffer %+v", v, b)
			}
			m.compute(v)
			m.own[pl.Of[v]] = &memory{cells: slices.Clone(m.holds[v]), borrowed: true}
		}
	}
	for i := range p.Steps {
		if err := m.step(i); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return m.end()
}

// cells is how many cells v has: those of what it views, and one where that is unknown too.
func (m *machine) cells(v int) int {
	for i := range m.p.Steps {
		if s := &m.p.Steps[i]; s.isView() && s.Out[0] == v {
			return m.cells(s.In[0])
		}
	}
	if n := m.p.Values[v].Bytes; n != Unsized {
		return n / word
	}
	return 1
}

// compute makes v something that no other value holds.
func (m *machine) compute(v int) {
	m.holds[v] = make([]content, m.cells(v))
	for k := range m.holds[v] {
		m.holds[v][k] = content{v, k}
	}
}

// at returns the cells of v.
func (m *machine) at(v int) ([]content, error) {
	b, n := m.plan.Of[v], m.cells(v)
	bf, from := m.plan.Buffers[b], m.plan.At[v]/word
	mem := &m.slab
	if bf.Offset != None {
		from += bf.Offset / word
	} else if mem = m.own[b]; mem == nil {
		size := n
		if bf.Bytes != Unsized {
			size = bf.Bytes / word
		}
		mem = &memory{cells: make([]content, size)}
		m.own[b] = mem
	}
	switch {
	case mem.freed:
		return nil, fmt.Errorf("value %d is used after its buffer was released", v)
	case bf.Bytes != Unsized && m.plan.At[v]+n*word > bf.Bytes, from+n > len(mem.cells):
		return nil, fmt.Errorf("value %d at %d reaches beyond its buffer %+v", v, m.plan.At[v], bf)
	}
	return mem.cells[from : from+n], nil
}

func (m *machine) read(v int) error {
	cells, err := m.at(v)
	if err == nil && !slices.Equal(cells, m.holds[v]) {
		err = fmt.Errorf("value %d is read, its memory holds %v", v, cells)
	}
	return err
}

// write moves list to the cells of v from cell k on.
func (m *machine) write(v, k int, list []content) error {
	cells, err := m.at(v)
	if err != nil {
		return err
	}
	if mem := m.own[m.plan.Of[v]]; mem != nil && mem.borrowed {
		return fmt.Errorf("value %d is written to borrowed memory", v)
	}
	copy(cells[k:], list)
	return nil
}

// spotOf returns the buffer of v and the bytes that it takes there.
func (m *machine) spotOf(v int) (buf, from, to int) {
	b := &m.plan.Buffers[m.plan.Of[v]]
	if b.Offset != None {
		return -1, b.Offset + m.plan.At[v], b.Offset + m.plan.At[v] + m.cells(v)*word
	}
	return m.plan.Of[v], m.plan.At[v], m.plan.At[v] + m.cells(v)*word
}

func (m *machine) overlap(v, w int) bool {
	a, a0, a1 := m.spotOf(v)
	b, b0, b1 := m.spotOf(w)
	return a == b && a0 < b1 && b0 < a1
}

// step reads, scribbles over the workspace, reads again, then writes: outputs
// and workspace must not lie where inputs do, but for the one that may be
// overwritten.
func (m *machine) step(i int) error {
	s := &m.p.Steps[i]
	if err := m.reads(s); err != nil {
		return err
	}
	var err error
	switch {
	case s.isView():
		m.holds[s.Out[0]] = m.holds[s.In[0]]
		err = m.read(s.Out[0])
	case s.Join != nil:
		err = m.join(i, s)
	case s.Cut != nil:
		err = m.cut(i, s)
	default:
		err = m.kernel(i, s)
	}
	if err != nil {
		return err
	}
	return m.release(i)
}

func (m *machine) kernel(i int, s *Step) error {
	if s.Workspace > 0 {
		w := m.plan.Workspace[i] / word
		for k := range (s.Workspace + word - 1) / word {
			m.slab.cells[w+k] = content{-2, i}
		}
		if err := m.reads(s); err != nil {
			return fmt.Errorf("after the workspace was written: %w", err)
		}
	}
	if err := m.apart(i, s); err != nil {
		return err
	}
	for _, v := range s.Out {
		if v == None {
			continue
		}
		m.compute(v)
		if err := m.write(v, 0, m.holds[v]); err != nil {
			return err
		}
	}
	return m.made(s)
}

// join moves each input to its place in output 0, but those that lie there.
func (m *machine) join(i int, s *Step) error {
	out, moved := s.Out[0], 0
	m.holds[out] = make([]content, m.cells(out))
	for k, v := range s.In {
		copy(m.holds[out][s.Join[k]/word:], m.holds[v])
		if m.plan.Of[v] == m.plan.Of[out] && m.plan.At[v] == m.plan.At[out]+s.Join[k] || m.cells(v) == 0 {
			continue
		}
		moved++
		cells, err := m.at(v)
		if err == nil {
			err = m.write(out, s.Join[k]/word, cells)
		}
		if err != nil {
			return err
		}
	}
	if m.plan.Idle[i] != (moved == 0) {
		return fmt.Errorf("%d inputs are moved, idle is %v", moved, m.plan.Idle[i])
	}
	return m.made(s)
}

// cut moves each output out of input 0, but those that lie there.
func (m *machine) cut(i int, s *Step) error {
	in, moved := s.In[0], 0
	for k, v := range s.Out {
		if v == None {
			continue
		}
		from := s.Cut[k] / word
		m.holds[v] = m.holds[in][from : from+m.cells(v)]
		if m.plan.Of[v] == m.plan.Of[in] && m.plan.At[v] == m.plan.At[in]+s.Cut[k] || m.cells(v) == 0 {
			continue
		}
		moved++
		cells, err := m.at(in)
		if err == nil {
			err = m.write(v, 0, cells[from:from+m.cells(v)])
		}
		if err != nil {
			return err
		}
	}
	if m.plan.Idle[i] != (moved == 0) {
		return fmt.Errorf("%d outputs are moved, idle is %v", moved, m.plan.Idle[i])
	}
	return m.made(s)
}

// made reads what the step made.
func (m *machine) made(s *Step) error {
	for _, v := range s.Out {
		if v != None {
			if err := m.read(v); err != nil {
				return fmt.Errorf("it is not what was made: %w", err)
			}
		}
	}
	return nil
}

func (m *machine) release(i int) error {
	for _, b := range m.plan.Release[i] {
		mem := m.own[b]
		if mem == nil || mem.freed {
			return fmt.Errorf("buffer %d is released twice, or was never used", b)
		}
		if bf := m.plan.Buffers[b]; bf.Role != Execution || bf.Offset != None {
			return fmt.Errorf("buffer %+v is released", bf)
		}
		mem.freed = true
	}
	return nil
}

func (m *machine) reads(s *Step) error {
	for _, v := range s.In {
		if v != None {
			if err := m.read(v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *machine) apart(i int, s *Step) error {
	for slot, o := range s.Out {
		if o == None {
			continue
		}
		for k, v := range s.In {
			if v == None || !m.overlap(o, v) {
				continue
			}
			over := m.plan.InPlace[i]
			if slot != 0 || over == None || (k != over && v != s.In[over]) {
				return fmt.Errorf("output %d lies over input %d, in place of %d", slot, k, over)
			}
			if !slices.Contains(s.Over, over) {
				return fmt.Errorf("output 0 overwrites input %d, which it must not", over)
			}
		}
	}
	return nil
}

// end checks that the outputs are whole, in memory of their own that leaves,
// and that no buffer is left unreleased.
func (m *machine) end() error {
	seen := map[int]int{}
	for v := range m.p.Values {
		if !m.p.Values[v].Output {
			continue
		}
		if err := m.read(v); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
		b := m.plan.Of[v]
		if bf := m.plan.Buffers[b]; bf.Role != IO || bf.Offset != None || m.plan.At[v] != 0 || bf.Bytes/word != m.cells(v) && bf.Bytes != Unsized {
			return fmt.Errorf("output %d is at %d in the buffer %+v", v, m.plan.At[v], bf)
		}
		if o, twice := seen[b]; twice {
			return fmt.Errorf("outputs %d and %d share a buffer", o, v)
		}
		seen[b] = v
	}
	for b, bf := range m.plan.Buffers {
		if mem := m.own[b]; bf.Role == Execution && bf.Offset == None && (mem == nil || !mem.freed) {
			return fmt.Errorf("buffer %d %+v is never released", b, bf)
		}
		if _, leaves := seen[b]; bf.Role == IO && !leaves {
			return fmt.Errorf("buffer %d %+v holds no output", b, bf)
		}
	}
	return nil
}
