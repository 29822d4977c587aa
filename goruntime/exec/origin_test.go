package exec

import (
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// A trace tells of nodes that are no steps: what is computed ahead, and names.
func TestATraceTellsOfEveryNode(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Relu", []string{"x"}, []string{"a"})
	b.node("Identity", []string{"a"}, []string{"b"})
	b.node("Identity", []string{"b"}, []string{"c"})
	b.node("Shape", []string{"c"}, []string{"s"})
	b.node("Size", []string{"x"}, []string{"n"})
	b.node("Neg", []string{"c"}, []string{"y"})
	b.node("Identity", []string{"x"}, []string{"z"})
	b.outputs("y", "s", "z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	var told []string
	c := &Call{In: []tensor.View{f32(tensor.Shape{2}, 1, -2)}, Out: make([]Result, 3), Trace: func(e *Event) {
		for _, v := range e.Values {
			told = append(told, string(e.Kind)+" "+e.OpType+" "+v.Name)
		}
	}}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	defer release(c.Out)
	want := []string{"input  x", "view Identity z", "constant Shape s", "node Relu a", "view Identity b", "view Identity c", "node Neg y"}
	if !slices.Equal(told, want) {
		t.Errorf("%q, %q expected", told, want)
	}
}

func TestLoopsOfASessionAreCounted(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Exp", []string{"x"}, []string{"y"})
	b.outputs("y")
	for _, counting := range []bool{true, false} {
		s := mustNew(t, &b.m, Options{Counters: counting, Threads: 1})
		release(runWith(t, s, f32(tensor.Shape{3}, 1, 2, 3)))
		switch c := s.Count(); {
		case counting && (c == nil || c.Loops != 1 || c.Limited != 1 || c.Chunks != 0):
			t.Errorf("%+v after one loop of one thread", c)
		case !counting && c != nil:
			t.Errorf("%+v where nothing is counted", c)
		}
		s.Close()
	}
}
