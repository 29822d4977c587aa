package plan

import "fmt"

// place is where a value lies: in a range of the slab, or in a buffer of its
// own.
type place struct {
	own   int // the buffer, or None
	first int // words of the slab
	words int
}

// machine runs a plan on memory of which each word says whose content it is: a
// value that is read must still be where the plan put it.
type machine struct {
	p     *Problem
	plan  *Plan
	slab  []int
	own   map[int]int // content of buffers with memory of their own
	freed map[int]bool
	root  []int // of each value: the value whose content it is
}

const word = 64

// verify runs the plan and returns what it does wrong.
func verify(p *Problem, pl *Plan) error {
	m := &machine{p: p, plan: pl, slab: make([]int, pl.Slab/word), own: map[int]int{}, freed: map[int]bool{}, root: make([]int, len(p.Values))}
	for v := range p.Values {
		m.root[v] = v
		if p.Values[v].Borrowed {
			if b := pl.Buffers[pl.Of[v]]; b.Role != Borrowed || b.Offset != None {
				return fmt.Errorf("borrowed value %d is in a buffer %+v", v, b)
			}
			m.own[pl.Of[v]] = v
		}
	}
	for i := range p.Steps {
		if err := m.step(i); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return m.end()
}

func (m *machine) at(v int) place {
	b := m.plan.Of[v]
	bf := m.plan.Buffers[b]
	if bf.Offset == None {
		return place{own: b}
	}
	return place{own: None, first: bf.Offset / word, words: (bf.Bytes + word - 1) / word}
}

func (m *machine) read(v int) error {
	at := m.at(v)
	if at.own != None {
		if m.freed[at.own] {
			return fmt.Errorf("value %d is read after its buffer was released", v)
		}
		if c, ok := m.own[at.own]; !ok || c != m.root[v] {
			return fmt.Errorf("value %d is read, its buffer holds %d", v, c)
		}
		return nil
	}
	for _, c := range m.slab[at.first : at.first+at.words] {
		if c != m.root[v] {
			return fmt.Errorf("value %d is read, its memory holds %d", v, c)
		}
	}
	return nil
}

func (m *machine) write(v int) error {
	at := m.at(v)
	if at.own != None {
		if m.plan.Buffers[at.own].Role == Borrowed {
			return fmt.Errorf("value %d is written to borrowed memory", v)
		}
		m.own[at.own] = v
		return nil
	}
	for k := range at.words {
		m.slab[at.first+k] = v
	}
	return nil
}

func overlap(a, b place) bool {
	if a.own != None || b.own != None {
		return a.own == b.own
	}
	return a.first < b.first+b.words && b.first < a.first+a.words
}

// step reads, scribbles over the workspace, reads again, then writes: outputs
// and workspace must not lie where inputs do, but for the one that may be
// overwritten.
func (m *machine) step(i int) error {
	s := &m.p.Steps[i]
	if err := m.reads(s); err != nil {
		return err
	}
	if s.View && s.In[0] != None && s.Out[0] != None {
		m.root[s.Out[0]] = m.root[s.In[0]]
		if err := m.read(s.Out[0]); err != nil {
			return err
		}
		return m.release(i)
	}
	if s.Workspace > 0 {
		w := m.plan.Workspace[i] / word
		for k := range (s.Workspace + word - 1) / word {
			m.slab[w+k] = -2 - i
		}
		if err := m.reads(s); err != nil {
			return fmt.Errorf("after the workspace was written: %w", err)
		}
	}
	if err := m.apart(i, s); err != nil {
		return err
	}
	for _, v := range s.Out {
		if v != None {
			if err := m.write(v); err != nil {
				return err
			}
		}
	}
	for _, v := range s.Out {
		if v != None {
			if err := m.read(v); err != nil {
				return fmt.Errorf("another output overwrote it: %w", err)
			}
		}
	}
	return m.release(i)
}

func (m *machine) release(i int) error {
	for _, b := range m.plan.Release[i] {
		if m.freed[b] {
			return fmt.Errorf("buffer %d is released twice", b)
		}
		if bf := m.plan.Buffers[b]; bf.Role != Execution || bf.Offset != None {
			return fmt.Errorf("buffer %+v is released", bf)
		}
		m.freed[b] = true
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
			if v == None || !overlap(m.at(o), m.at(v)) || m.p.Values[o].Bytes == 0 || m.p.Values[v].Bytes == 0 {
				continue
			}
			over := m.plan.InPlace[i]
			if slot != 0 || over == None || (k != over && v != s.In[over]) {
				return fmt.Errorf("output %d lies over input %d, in place of %d", slot, k, over)
			}
			if !allowed(s, over) {
				return fmt.Errorf("output 0 overwrites input %d, which it must not", over)
			}
		}
	}
	return nil
}

func allowed(s *Step, k int) bool {
	for _, o := range s.Over {
		if o == k {
			return true
		}
	}
	return false
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
		if bf := m.plan.Buffers[b]; bf.Role != IO || bf.Offset != None {
			return fmt.Errorf("output %d is in the buffer %+v", v, bf)
		}
		if o, twice := seen[b]; twice {
			return fmt.Errorf("outputs %d and %d share a buffer", o, v)
		}
		seen[b] = v
	}
	for b, bf := range m.plan.Buffers {
		if bf.Role == Execution && bf.Offset == None && !m.freed[b] {
			return fmt.Errorf("buffer %d %+v is never released", b, bf)
		}
		if _, leaves := seen[b]; bf.Role == IO && !leaves {
			return fmt.Errorf("buffer %d %+v holds no output", b, bf)
		}
	}
	return nil
}
