package plan

import (
	"cmp"
	"slices"
)

// spot is where a value lies: in the memory of another one, its base, from byte at on.
// A value that has memory of its own is its own base.
type spot struct{ base, at int }

// mostTries bounds how often a problem is planned: a plan takes as long as some runs of a
// small model.
const mostTries = 16

// search looks for steps that may share the memory of what they join or cut without a
// larger slab.
type search struct {
	p     *Problem
	kept  []int // the steps that do
	best  *Plan
	tries int
}

// add keeps the steps of list, or of its halves, with which the slab does not grow.
func (s *search) add(list []int) {
	if len(list) == 0 || s.tries == 0 {
		return
	}
	s.tries--
	all := slices.Concat(s.kept, list)
	if a := attempt(s.p, all); a.Slab <= s.best.Slab {
		s.kept, s.best = all, a
	} else if half := len(list) / 2; half > 0 {
		s.add(list[:half])
		s.add(list[half:])
	}
}

// sharing lists the steps that join or cut, those first that keep the least memory for
// the shortest time.
func sharing(p *Problem) []int {
	made, read := make([]int, len(p.Values)), make([]int, len(p.Values))
	for i := range p.Steps {
		for _, v := range p.Steps[i].In {
			if v != None {
				read[v] = i
			}
		}
		for _, v := range p.Steps[i].Out {
			if v != None {
				made[v] = i
			}
		}
	}
	var list []int
	cost := make([]int, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		switch {
		case s.Join != nil:
			for _, v := range s.In[:len(s.Join)] {
				cost[i] = max(cost[i], p.Values[s.Out[0]].Bytes*(i-made[v]))
			}
		case s.Cut != nil:
			for _, v := range s.Out {
				if v != None {
					cost[i] = max(cost[i], p.Values[s.In[0]].Bytes*(read[v]-i))
				}
			}
		default:
			continue
		}
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(i, k int) int { return cmp.Compare(cost[i], cost[k]) })
	return list
}

// settle finds the spot of each value, where the steps of list are to have nothing to do,
// and gives what is borrowed its buffers.
func (b *builder) settle(list []int) {
	on := make([]bool, len(b.p.Steps))
	for _, i := range list {
		on[i] = true
	}
	b.spots = make([]spot, len(b.p.Values))
	for v := range b.spots {
		b.spots[v] = spot{v, 0}
	}
	leaving := b.rename(on)
	for i := len(on) - 1; i >= 0; i-- {
		if on[i] && b.p.Steps[i].Join != nil {
			b.house(i, leaving)
		}
	}
	b.kin = make([][]int, len(b.p.Values))
	for v := range b.spots {
		b.spots[v] = b.spot(v)
		b.kin[b.spots[v].base] = append(b.kin[b.spots[v].base], v)
	}
	for v, val := range b.p.Values {
		if val.Borrowed {
			b.open(v, Buffer{Role: Borrowed, Bytes: val.Bytes, First: 0, Last: len(b.p.Steps), Offset: None})
		}
	}
}

// rename puts views, and what is cut out, into the memory of what they are taken from,
// and returns which values leave, themselves or as a view. What is cut out does not leave
// so: its memory would be that of its neighbours too.
func (b *builder) rename(on []bool) (leaving []bool) {
	leaving = make([]bool, len(b.p.Values))
	for v := range leaving {
		leaving[v] = b.p.Values[v].Output
	}
	for i := len(on) - 1; i >= 0; i-- {
		if s := &b.p.Steps[i]; s.isView() && leaving[s.Out[0]] {
			leaving[s.In[0]] = true
		}
	}
	for i := range b.p.Steps {
		s := &b.p.Steps[i]
		if s.isView() {
			b.spots[s.Out[0]] = b.spot(s.In[0])
		}
		if !on[i] || s.Cut == nil {
			continue
		}
		from := b.spot(s.In[0])
		for k, at := range s.Cut {
			if v := s.Out[k]; v != None && !leaving[v] && b.p.Values[v].Bytes > 0 {
				b.spots[v] = spot{from.base, from.at + at}
			}
		}
	}
	return leaving
}

// spot follows the memory that v lies in to that which lies in no other.
func (b *builder) spot(v int) spot {
	s := b.spots[v]
	for b.spots[s.base].base != s.base {
		s = spot{b.spots[s.base].base, s.at + b.spots[s.base].at}
	}
	return s
}

// house lets the inputs of the joining step i lie in its output, or the output where they
// lie behind each other already. Later steps have found their places.
func (b *builder) house(i int, leaving []bool) {
	s := &b.p.Steps[i]
	out := s.Out[0]
	if at, ok := b.together(s); ok && b.spot(out).base == out && !leaving[out] {
		b.spots[out] = at
		return
	}
	for k := range s.Join {
		if b.p.Values[s.In[k]].Bytes > 0 {
			b.lodge(s, k, leaving)
		}
	}
}

// together returns where the inputs of a joining step lie, if they do as they are joined.
func (b *builder) together(s *Step) (first spot, ok bool) {
	for k, v := range s.In[:len(s.Join)] {
		if b.p.Values[v].Bytes == 0 {
			continue
		}
		at := b.spot(v)
		at.at -= s.Join[k]
		if ok && at != first {
			return first, false
		}
		first, ok = at, true
	}
	return first, ok
}

// lodge lets input k of a joining step lie in the output, with all of the memory that it
// is a part of, unless that does not fit, leaves, lies elsewhere, is not made by a step
// that writes where it is told to, or would cover what is another input's.
func (b *builder) lodge(s *Step, k int, leaving []bool) {
	out, v := s.Out[0], b.spot(s.In[k])
	root, begin := v.base, s.Join[k]-v.at
	end := begin + b.p.Values[root].Bytes
	if begin < 0 || end > b.p.Values[out].Bytes || leaving[root] || b.spot(out).base == root {
		return
	}
	if b.made[root] < 0 || b.p.Steps[b.made[root]].Moves {
		return
	}
	for j, w := range s.In[:len(s.Join)] {
		if n := b.p.Values[w].Bytes; n == 0 || s.Join[j] >= end || s.Join[j]+n <= begin {
			continue
		}
		if at := b.spot(w); at.base != root || s.Join[j]-at.at != begin {
			return
		}
	}
	b.spots[root] = spot{out, begin}
}

// idle marks the steps that have nothing to move.
func (b *builder) idle() {
	for i := range b.p.Steps {
		s := &b.p.Steps[i]
		switch {
		case s.Join != nil:
			b.plan.Idle[i] = b.within(s.Out[0], s.In[:len(s.Join)], s.Join)
		case s.Cut != nil:
			b.plan.Idle[i] = b.within(s.In[0], s.Out[:len(s.Cut)], s.Cut)
		}
	}
}

// within reports whether each part lies in the memory of whole from its byte on.
func (b *builder) within(whole int, parts, at []int) bool {
	for k, v := range parts {
		if v == None || b.p.Values[v].Bytes == 0 {
			continue
		}
		if b.plan.Of[v] != b.plan.Of[whole] || b.plan.At[v] != b.plan.At[whole]+at[k] {
			return false
		}
	}
	return true
}
