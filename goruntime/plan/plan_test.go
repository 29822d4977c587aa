package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// problems draws what package exec may pass: views are as large as what they
// view, even where only the run knows their shape; outputs share no memory with
// each other or with what is borrowed.
var problems = rapid.Custom(func(t *rapid.T) *Problem {
	g := &generator{t: t, p: &Problem{NoReuse: rapid.IntRange(0, 9).Draw(t, "reuse") == 0}}
	for range rapid.IntRange(1, 3).Draw(t, "inputs") {
		g.add(Value{Bytes: g.size(), Borrowed: true})
	}
	for range rapid.IntRange(1, 14).Draw(t, "steps") {
		g.step()
	}
	g.outputs()
	return g.p
})

type generator struct {
	t    *rapid.T
	p    *Problem
	root []int
}

func (g *generator) size() int {
	return rapid.SampledFrom([]int{0, 4, 64, 100, 128, 128, 1000, 4096, Unsized}).Draw(g.t, "bytes")
}

func (g *generator) add(v Value) int {
	g.p.Values = append(g.p.Values, v)
	g.root = append(g.root, len(g.root))
	return len(g.root) - 1
}

func (g *generator) value() int {
	n := len(g.p.Values)
	return rapid.IntRange(max(0, n-4), n-1).Draw(g.t, "value")
}

func (g *generator) step() {
	s := Step{In: []int{g.value()}}
	in := s.In[0]
	kind := rapid.SampledFrom([]string{"view", "in place", "in place", "other", "moves", "join", "join", "cut"}).Draw(g.t, "kind")
	if kind == "join" && g.join() || kind == "cut" && g.cut() {
		return
	}
	for range rapid.IntRange(0, 2).Draw(g.t, "more inputs") {
		v := None
		if rapid.IntRange(0, 4).Draw(g.t, "omitted") > 0 {
			v = g.value()
		}
		s.In = append(s.In, v)
	}
	bytes := g.size()
	switch kind {
	case "view":
		s.View, bytes, s.In = true, g.p.Values[in].Bytes, s.In[:1]
		if rapid.IntRange(0, 3).Draw(g.t, "shape of the run") == 0 {
			bytes = Unsized
		}
	case "in place":
		bytes = g.p.Values[in].Bytes
		for k := range s.In {
			if rapid.Bool().Draw(g.t, "over") {
				s.Over = append(s.Over, k)
			}
		}
	case "moves":
		s.Moves, bytes = true, Unsized
	}
	if kind != "view" && rapid.Bool().Draw(g.t, "scratch") {
		s.Workspace = rapid.IntRange(1, 500).Draw(g.t, "workspace")
	}
	out := g.add(Value{Bytes: bytes})
	s.Out = []int{out}
	if s.View {
		g.root[out] = g.root[in]
	} else {
		for range rapid.IntRange(0, 2).Draw(g.t, "more outputs") {
			s.Out = append(s.Out, g.add(Value{Bytes: g.size()}))
		}
	}
	g.p.Steps = append(g.p.Steps, s)
}

// join puts some values of known size behind each other.
func (g *generator) join() bool {
	s, bytes := Step{}, 0
	for range rapid.IntRange(1, 4).Draw(g.t, "parts") {
		if v := g.value(); g.p.Values[v].Bytes != Unsized {
			s.In, s.Join = append(s.In, v), append(s.Join, bytes)
			bytes += g.p.Values[v].Bytes
		}
	}
	if s.In == nil {
		return false
	}
	s.Out = []int{g.add(Value{Bytes: bytes})}
	g.p.Steps = append(g.p.Steps, s)
	return true
}

// cut takes some ranges out of a value of known size.
func (g *generator) cut() bool {
	in := g.value()
	cells := g.p.Values[in].Bytes / 4
	if g.p.Values[in].Bytes == Unsized {
		return false
	}
	s, at := Step{In: []int{in}}, 0
	for range rapid.IntRange(1, 3).Draw(g.t, "parts") {
		n := rapid.IntRange(0, cells-at).Draw(g.t, "cells")
		v := None
		if rapid.IntRange(0, 4).Draw(g.t, "omitted") > 0 {
			v = g.add(Value{Bytes: 4 * n})
		}
		s.Out, s.Cut = append(s.Out, v), append(s.Cut, 4*at)
		at += n
	}
	g.p.Steps = append(g.p.Steps, s)
	return true
}

func (g *generator) outputs() {
	taken := map[int]bool{}
	for v := range g.p.Values {
		r := g.root[v]
		if !g.p.Values[r].Borrowed && !taken[r] && rapid.IntRange(0, 3).Draw(g.t, "output") == 0 {
			taken[r] = true
			g.p.Values[v].Output = true
		}
	}
}

func TestPlansKeepEveryValueUntilItsLastUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems.Draw(t, "problem")
		pl := Make(p)
		if err := verify(p, pl); err != nil {
			t.Fatalf("%v\nproblem %+v\nplan %+v", err, p, pl)
		}
		if pl.Peak > pl.Slab {
			t.Fatalf("a slab of %d bytes for a peak of %d", pl.Slab, pl.Peak)
		}
	})
}

// together returns whether two buffers of the slab are alive at one step.
func together(a, b Buffer) bool { return a.First <= b.Last && b.First <= a.Last }

func TestLiveBuffersDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pl := Make(problems.Draw(t, "problem"))
		for i, a := range pl.Buffers {
			if a.Offset == None {
				continue
			}
			if a.Offset%64 != 0 || a.Offset+a.Bytes > pl.Slab {
				t.Fatalf("buffer %d %+v in a slab of %d", i, a, pl.Slab)
			}
			for k, b := range pl.Buffers[:i] {
				if b.Offset != None && together(a, b) && a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes {
					t.Fatalf("buffers %d %+v and %d %+v overlap", i, a, k, b)
				}
			}
		}
	})
}

func TestNoReuseGivesEachValueItsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems.Draw(t, "problem")
		p.NoReuse = true
		pl := Make(p)
		for i, over := range pl.InPlace {
			if over != None {
				t.Fatalf("step %d overwrites input %d", i, over)
			}
		}
		for i, a := range pl.Buffers {
			for k, b := range pl.Buffers[:i] {
				if a.Offset != None && b.Offset != None && a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes {
					t.Fatalf("buffers %d %+v and %d %+v overlap", i, a, k, b)
				}
			}
		}
	})
}

func TestPlanIsAPureFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems.Draw(t, "problem")
		a, b := Make(p), Make(p)
		if !slices.Equal(a.Buffers, b.Buffers) || !slices.Equal(a.Of, b.Of) || a.Slab != b.Slab {
			t.Fatalf("two plans of one problem:\n%+v\n%+v", a, b)
		}
	})
}

// chain is x -> step -> ... -> y, each of n steps over its input where inPlace.
func chain(n, bytes int, inPlace bool) *Problem {
	p := &Problem{Values: []Value{{Bytes: bytes, Borrowed: true}}}
	for i := range n {
		s := Step{In: []int{i}, Out: []int{i + 1}}
		if inPlace {
			s.Over = []int{0}
		}
		p.Values = append(p.Values, Value{Bytes: bytes})
		p.Steps = append(p.Steps, s)
	}
	p.Values[n].Output = true
	return p
}

func TestReuse(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *Problem
		slab int
	}{
		{"a chain in place takes one buffer", chain(10, 640, true), 640},
		{"a chain not in place takes two", chain(10, 640, false), 2 * 640},
		{"one step takes none", chain(1, 640, true), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if pl := Make(c.p); pl.Slab != c.slab || verify(c.p, pl) != nil {
				t.Errorf("a slab of %d bytes, %d expected; %v", pl.Slab, c.slab, verify(c.p, pl))
			}
		})
	}
}

// joins is x -> part, ..., which a step joins; tail says what else is done with them.
func joins(parts int, tail func(p *Problem, parts []int, joined int)) *Problem {
	p := &Problem{Values: []Value{{Bytes: 64, Borrowed: true}}}
	join := Step{}
	for i := range parts {
		p.Values = append(p.Values, Value{Bytes: 64})
		p.Steps = append(p.Steps, Step{In: []int{0}, Out: []int{1 + i}})
		join.In, join.Join = append(join.In, 1+i), append(join.Join, 64*i)
	}
	p.Values = append(p.Values, Value{Bytes: 64 * parts})
	join.Out = []int{1 + parts}
	p.Steps = append(p.Steps, join)
	tail(p, join.In, 1+parts)
	return p
}

// after adds a step that makes a value of some bytes of others.
func (p *Problem) after(bytes int, in ...int) int {
	p.Values = append(p.Values, Value{Bytes: bytes})
	p.Steps = append(p.Steps, Step{In: in, Out: []int{len(p.Values) - 1}, Over: []int{0}})
	return len(p.Values) - 1
}

func (p *Problem) joined(in ...int) int {
	s, bytes := Step{In: in}, 0
	for _, v := range in {
		s.Join = append(s.Join, bytes)
		bytes += p.Values[v].Bytes
	}
	p.Values = append(p.Values, Value{Bytes: bytes})
	s.Out = []int{len(p.Values) - 1}
	p.Steps = append(p.Steps, s)
	return s.Out[0]
}

// halved cuts v in two.
func (p *Problem) halved(v int) (a, b int) {
	n := p.Values[v].Bytes / 2
	a = len(p.Values)
	p.Values = append(p.Values, Value{Bytes: n}, Value{Bytes: n})
	p.Steps = append(p.Steps, Step{In: []int{v}, Out: []int{a, a + 1}, Cut: []int{0, n}})
	return a, a + 1
}

func TestJoiningAndCuttingMoveOnlyWhatMustMove(t *testing.T) {
	leave := func(p *Problem, v int) { p.Values[p.after(64, v)].Output = true }
	for _, c := range []struct {
		name string
		p    *Problem
		busy int // steps that join or cut and have something to move
	}{
		{"parts are made where they are joined", joins(3, func(p *Problem, _ []int, y int) { leave(p, y) }), 0},
		{"what is joined leaves the run", joins(3, func(p *Problem, _ []int, y int) { p.Values[y].Output = true }), 0},
		{"a part leaves too", joins(3, func(p *Problem, parts []int, y int) { p.Values[parts[1]].Output = true; leave(p, y) }), 1},
		{"a part is read once more later", joins(3, func(p *Problem, parts []int, y int) { leave(p, y); leave(p, parts[0]) }), 0},
		{"a part is given twice", joins(1, func(p *Problem, parts []int, _ int) { leave(p, p.joined(parts[0], parts[0])) }), 1},
		{"joined again", joins(2, func(p *Problem, _ []int, y int) { leave(p, p.joined(y, p.after(64, 0))) }), 0},
		{"each with all before it", joins(2, func(p *Problem, parts []int, y int) {
			parts = append(parts, p.after(64, y))
			y = p.joined(parts...)
			leave(p, p.joined(append(parts, p.after(64, y))...))
		}), 0},
		{"joined in another order too", joins(2, func(p *Problem, parts []int, y int) { leave(p, y); leave(p, p.joined(parts[1], parts[0])) }), 1},
		{"viewed under a shape of the run", joins(2, func(p *Problem, parts []int, y int) {
			p.Values = append(p.Values, Value{Bytes: Unsized})
			w := len(p.Values) - 1
			p.Steps = append(p.Steps, Step{In: []int{y}, Out: []int{w}, View: true})
			leave(p, p.after(64, parts[1]))
			leave(p, w)
		}), 0},
		{"an input of the run", joins(1, func(p *Problem, parts []int, _ int) { leave(p, p.joined(0, parts[0])) }), 1},
		{"cut in two", joins(2, func(p *Problem, _ []int, y int) { a, b := p.halved(y); leave(p, a); leave(p, b) }), 0},
		{"an input cut in two", joins(1, func(p *Problem, _ []int, _ int) { a, b := p.halved(0); leave(p, a); leave(p, b) }), 0},
		{"a half leaves", joins(2, func(p *Problem, _ []int, y int) { a, b := p.halved(y); leave(p, a); p.Values[b].Output = true }), 1},
		{"both halves and more joined", joins(2, func(p *Problem, _ []int, y int) {
			a, b := p.halved(y)
			leave(p, p.joined(a, b, p.after(64, b)))
		}), 0},
		{"halves joined the wrong way round", joins(2, func(p *Problem, _ []int, y int) { a, b := p.halved(y); leave(p, p.joined(b, a)) }), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			pl, busy := Make(c.p), 0
			for i := range c.p.Steps {
				if s := &c.p.Steps[i]; (s.Join != nil || s.Cut != nil) && !pl.Idle[i] {
					busy++
				}
			}
			if err := verify(c.p, pl); err != nil || busy != c.busy {
				t.Errorf("%d steps move memory, %d expected; %v\n%+v", busy, c.busy, err, pl)
			}
		})
	}
}

// Memory is shared only where the run takes no more by it.
func TestSharingTakesNoMoreMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems.Draw(t, "problem")
		if pl, plain := Make(p), attempt(p, nil); pl.Slab > plain.Slab {
			t.Fatalf("a slab of %d bytes, %d without", pl.Slab, plain.Slab)
		}
	})
}

// The checker itself must see what it is there for.
func TestVerifySeesBrokenPlans(t *testing.T) {
	p := chain(3, 64, false)
	for _, c := range []struct {
		name string
		harm func(*Plan)
	}{
		{"an overwritten live value", func(pl *Plan) { pl.Buffers[pl.Of[2]].Offset = pl.Buffers[pl.Of[1]].Offset }},
		{"an output in the slab", func(pl *Plan) { pl.Of[3] = pl.Of[1] }},
		{"a value in borrowed memory", func(pl *Plan) { pl.Of[1] = pl.Of[0] }},
		{"a buffer of the slab released", func(pl *Plan) { pl.Release[1] = []int{pl.Of[1]} }},
		{"a value beyond its buffer", func(pl *Plan) { pl.At[2] = 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			pl := Make(p)
			c.harm(pl)
			if verify(p, pl) == nil {
				t.Error("it is not seen")
			}
		})
	}
}
