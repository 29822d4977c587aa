package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// problems draws what package exec may pass: views are as large as what they
// view, outputs share no memory with each other or with what is borrowed.
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
	kind := rapid.SampledFrom([]string{"view", "in place", "in place", "other", "moves"}).Draw(g.t, "kind")
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
