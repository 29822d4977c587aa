package exec

import (
	"bytes"
	"flag"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

var (
	seedFlag   = flag.Uint64("graph.seed", 0, "run the metamorphic test with this graph alone")
	graphsFlag = flag.Uint64("graph.count", 150, "how many random graphs the metamorphic test runs")
)

// copied is an output that was read at once.
type copied struct {
	dtype tensor.DType
	shape tensor.Shape
	raw   []byte
}

func copyOf(list []Result) []copied {
	var all []copied
	for i := range list {
		v := &list[i].View
		all = append(all, copied{v.DType, v.Shape.Clone(), bytes.Clone(v.Raw())})
	}
	return all
}

func same(a, b []copied) bool {
	return slices.EqualFunc(a, b, func(a, b copied) bool {
		return a.dtype == b.dtype && a.shape.Equal(b.shape) && bytes.Equal(a.raw, b.raw)
	})
}

// However memory is reused and steps are fused, a graph gives the same bytes: one of 16-bit
// floats those of its nodes run one by one, each of which rounds.
func TestRandomGraphsGiveTheSameBytesWithAndWithoutReuse(t *testing.T) {
	compareGraphs(t, newRandomGraph)
}

// compareGraphs runs the graphs of all seeds in every way.
func compareGraphs(t *testing.T, draw func(t testing.TB, d tensor.DType, seed uint64) *randomGraph) {
	testkit.NoLeaks(t)
	first, last := uint64(1), *graphsFlag
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag
	}
	for seed := first; seed <= last; seed++ {
		for _, d := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
			compareRuns(t, draw(t, d, seed))
			if t.Failed() {
				t.Fatalf("%v: rerun with: go test ./goruntime/exec -run %s -graph.seed %d", d, t.Name(), seed)
			}
		}
	}
}

func compareRuns(t *testing.T, g *randomGraph) {
	plain := mustNew(t, &g.m, Options{NoReuse: true, NoFusion: true})
	defer plain.Close()
	reuse := mustNew(t, &g.m, Options{})
	defer reuse.Close()
	want := map[uint64][]copied{}
	for in := range uint64(3) {
		feeds := g.feeds(in)
		before := copyOf([]Result{{View: feeds[0]}, {View: feeds[1]}})
		out := runWith(t, plain, feeds...)
		want[in] = copyOf(out)
		release(out)
		if !same(before, copyOf([]Result{{View: feeds[0]}, {View: feeds[1]}})) {
			t.Fatal("a run without reuse wrote to its inputs")
		}
	}
	g.everyValue(want[0])
	var held [][]Result
	for round := range uint64(9) {
		in := round % 3
		feeds := g.feeds(in)
		before := copyOf([]Result{{View: feeds[0]}, {View: feeds[1]}})
		out := runWith(t, reuse, feeds...)
		if got := copyOf(out); !same(got, want[in]) {
			t.Errorf("round %d: outputs differ from those without reuse: %s", round, differ(g, got, want[in]))
		}
		if !same(before, copyOf([]Result{{View: feeds[0]}, {View: feeds[1]}})) {
			t.Errorf("round %d: a run wrote to its inputs", round)
		}
		if !distinct(out) {
			t.Errorf("round %d: two outputs share memory", round)
		}
		if round%2 == 0 {
			held = append(held, out)
		} else {
			release(out)
		}
		if round%4 == 3 {
			reuse.Execution().Trim()
			reuse.IO().Trim()
		}
	}
	for i, out := range held {
		if !same(copyOf(out), want[uint64(2*i)%3]) {
			t.Errorf("the outputs of round %d changed while they were held", 2*i)
		}
		release(out)
	}
	if st := reuse.Execution().Stats(); st.Live != 0 {
		t.Errorf("%d bytes stay live in the execution arena", st.Live)
	}
}

// everyValue runs the graph with all its values as outputs, which share memory
// with nothing: the outputs of the graph itself must be the same.
func (g *randomGraph) everyValue(want []copied) {
	names := make([]string, len(g.vals))
	at := map[string]int{}
	for i, v := range g.vals {
		names[i], at[v.name] = v.name, i
	}
	s := mustNew(g.t, &g.m, Options{})
	defer s.Close()
	target, err := s.Target(names)
	if err != nil {
		g.t.Fatal(err)
	}
	c := &Call{Target: target, In: g.feeds(0), Out: make([]Result, len(names))}
	if err := s.Run(c); err != nil {
		g.t.Fatal(err)
	}
	defer release(c.Out)
	all := copyOf(c.Out)
	for k, o := range g.m.Graph.Outputs {
		if !same(all[at[o.Name]:at[o.Name]+1], want[k:k+1]) {
			g.t.Errorf("output %s differs when all values are asked for", o.Name)
		}
	}
	for i, v := range g.vals {
		if !slices.EqualFunc(v.shape, all[i].shape, func(a int64, b int) bool { return int(a) == b }) {
			g.t.Errorf("value %s has the shape %v, %v expected", v.name, all[i].shape, v.shape)
		}
	}
}

func distinct(list []Result) bool {
	for i := range list {
		for k := range i {
			if list[i].Bytes() > 0 && list[i].Data == list[k].Data {
				return false
			}
		}
	}
	return true
}

// differ names the outputs that differ.
func differ(g *randomGraph, got, want []copied) string {
	text := ""
	for k := range got {
		if !same(got[k:k+1], want[k:k+1]) {
			text += g.m.Graph.Outputs[k].Name + " "
		}
	}
	return text
}
