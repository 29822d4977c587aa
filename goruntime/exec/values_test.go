package exec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// elementsOf returns the tensors of a sequence as lists.
func elementsOf(v *values.Value) [][]float32 {
	var list [][]float32
	for _, item := range v.Items {
		list = append(list, slices.Clone(tensor.Elems[float32](&item.View)))
	}
	return list
}

func equal(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal) }

// Sequences share elements inside a run; each that leaves owns its memory alone.
func TestSequencesLeaveWithMemoryOfTheirOwn(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Relu", []string{"x"}, []string{"a"})
	b.node("SequenceConstruct", []string{"a"}, []string{"s"})
	b.node("SequenceInsert", []string{"s", "x"}, []string{"t"})
	b.node("SequenceErase", []string{"t"}, []string{"u"})
	b.node("SequenceLength", []string{"t"}, []string{"n"})
	b.outputs("s", "t", "u", "n", "t")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	for range 3 {
		out := runWith(t, s, f32(tensor.Shape{2}, -1, 2))
		want := [][]float32{{0, 2}, {-1, 2}}
		for k, w := range map[int][][]float32{0: want[:1], 1: want, 2: want[:1], 4: want} {
			if got := elementsOf(out[k].Value); !equal(got, w) {
				t.Errorf("output %d is %v, %v expected", k, got, w)
			}
			for _, item := range out[k].Value.Items {
				if !item.Sole() || !s.IO().Holds(item.Block()) {
					t.Errorf("output %d: an element does not own memory of the I/O arena", k)
				}
				tensor.Elems[float32](&item.View)[0] = 77 // seen by nobody else
			}
		}
		if n := tensor.Elems[int64](&out[3].View)[0]; n != 2 {
			t.Errorf("the length is %d", n)
		}
		release(out)
		if live := s.IO().Stats().LiveBlocks + s.Execution().Stats().LiveBlocks; live != 0 {
			t.Errorf("%d blocks are live after a run whose outputs were released", live)
		}
	}
}

// loopModel is a Loop of n iterations that carries a -> a + x and collects a.
func loopModel(t testing.TB) *modelBuilder {
	b := newModel(t)
	b.input("x", tensor.F32)
	b.init(intsTensor(t, "n", 5))
	body := &onnx.Graph{
		Name:    "body",
		Inputs:  []onnx.ValueInfo{{Name: "i"}, {Name: "c"}, {Name: "a"}, {Name: "kept"}},
		Outputs: []onnx.ValueInfo{{Name: "c"}, {Name: "b"}, {Name: "kept"}, {Name: "a"}},
		Nodes:   []onnx.Node{{OpType: "Add", Inputs: []string{"a", "x"}, Outputs: []string{"b"}}},
	}
	b.m.Graph.Nodes = append(b.m.Graph.Nodes, onnx.Node{
		OpType: "Loop", Inputs: []string{"n", "", "x", "x"}, Outputs: []string{"last", "same", "all"},
		Attrs: []onnx.Attr{{Name: "body", Type: onnx.AttrGraph, G: body}},
	})
	b.outputs("last", "same", "all")
	return b
}

func TestLoopsCarryByHandle(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &loopModel(t).m, Options{})
	defer s.Close()
	for range 3 {
		out := runWith(t, s, f32(tensor.Shape{1}, 2))
		for k, want := range [][]float32{{12}, {2}, {2, 4, 6, 8, 10}} {
			if got := tensor.Elems[float32](&out[k].View); !slices.Equal(got, want) {
				t.Errorf("output %d is %v, %v expected", k, got, want)
			}
		}
		release(out)
	}
	st := s.IO().Stats()
	if st.Migrations != 0 || s.Execution().Stats().LiveBlocks != 0 {
		t.Errorf("%d migrations, %d execution blocks live", st.Migrations, s.Execution().Stats().LiveBlocks)
	}
	if st.Copies[arena.CopyAlias] != 0 {
		t.Errorf("%d copies: a loop moves what it carries", st.Copies[arena.CopyAlias])
	}
}

func TestAnErrorInALoopLosesNothing(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &loopModel(t).m, Options{})
	defer s.Close()
	stop := &Stop{}
	stop.Cancel()
	c := Call{In: []tensor.View{f32(tensor.Shape{1}, 2)}, Out: make([]Result, 3), Stop: stop}
	if err := s.Run(&c); errs.CodeOf(err) != errs.Canceled {
		t.Errorf("a canceled run gives %v", err)
	}
	if live := s.IO().Stats().LiveBlocks + s.Execution().Stats().LiveBlocks; live != 0 {
		t.Errorf("%d blocks are live", live)
	}
	release(runWith(t, s, f32(tensor.Shape{1}, 2)))
}

// A sequence where an operator takes a tensor alone, among them those that take sequences
// elsewhere, is refused before a kernel looks at it.
func TestSequencesWhereTensorsBelong(t *testing.T) {
	testkit.NoLeaks(t)
	body := func() *onnx.Graph {
		return &onnx.Graph{Name: "body", Inputs: []onnx.ValueInfo{{Name: "i"}, {Name: "c"}}, Outputs: []onnx.ValueInfo{{Name: "c"}, {Name: "o"}}, Nodes: []onnx.Node{{OpType: "Neg", Inputs: []string{"x"}, Outputs: []string{"o"}}}}
	}
	for _, c := range []struct {
		op    string
		in    []string
		at    int
		attrs []onnx.Attr
	}{
		{"SequenceAt", []string{"q", "q"}, 1, nil},
		{"SequenceErase", []string{"q", "q"}, 1, nil},
		{"SequenceInsert", []string{"q", "q"}, 1, nil},
		{"SequenceInsert", []string{"q", "x", "q"}, 2, nil},
		{"SequenceConstruct", []string{"x", "q"}, 1, nil},
		{"SplitToSequence", []string{"q"}, 0, nil},
		{"SplitToSequence", []string{"x", "q"}, 1, nil},
		{"Neg", []string{"q"}, 0, nil},
		{"Reshape", []string{"x", "q"}, 1, nil},
		{"Loop", []string{"q"}, 0, []onnx.Attr{graphAttr("body", body())}},
		{"Loop", []string{"", "q"}, 1, []onnx.Attr{graphAttr("body", body())}},
		{"If", []string{"q"}, 0, []onnx.Attr{graphAttr("then_branch", subgraph("p", onnx.Node{OpType: "Neg", Inputs: []string{"x"}, Outputs: []string{"p"}})), graphAttr("else_branch", subgraph("e", onnx.Node{OpType: "Abs", Inputs: []string{"x"}, Outputs: []string{"e"}}))}},
	} {
		t.Run(fmt.Sprint(c.op, c.in), func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			b.node("SequenceConstruct", []string{"x"}, []string{"q"})
			b.node(c.op, c.in, []string{"y"}, c.attrs...)
			b.outputs("y")
			s := mustNew(t, &b.m, Options{})
			defer s.Close()
			err := s.Run(&Call{In: []tensor.View{f32(tensor.Shape{2}, 1, 2)}, Out: make([]Result, 1)})
			if want := fmt.Sprintf("input %d is a seq, a tensor expected", c.at); errs.CodeOf(err) != errs.Type || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, something with %q expected", err, want)
			}
		})
	}
}
