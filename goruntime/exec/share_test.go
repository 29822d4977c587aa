package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// newJoinedGraph makes a graph of what is put behind each other, cut and put behind each
// other again, so that values lie in each other's memory in many ways.
func newJoinedGraph(t testing.TB, d tensor.DType, seed uint64) *randomGraph {
	g := &randomGraph{modelBuilder: newModel(t), d: d, r: rand.New(rand.NewPCG(seed, 3))}
	shape := []int64{1, int64(2 + g.r.IntN(5)), int64(1 + g.r.IntN(20))}
	g.vals = []known{{"x", shape}, {"y", shape}}
	g.input("x", d)
	g.input("y", d)
	g.input("cond", tensor.Bool)
	g.input("flat", tensor.I64)
	kinds := []func(){
		g.unary, g.unary, g.binary, g.joinChannels, g.joinChannels, g.joinChannels, g.joinAll, g.cutChannels, g.cutChannels,
		g.oneChannel, g.someChannels, g.swapOnes, g.branch, g.takenBranch, g.identity, g.softmax, g.lateShape,
	}
	for range 4 + g.r.IntN(20) {
		kinds[g.r.IntN(len(kinds))]()
	}
	g.pickOutputs()
	return g
}

// channels returns the values [1, channels, width] of the inputs' width.
func (g *randomGraph) channels() []known {
	width := g.vals[0].shape[2]
	return slices.DeleteFunc(slices.Clone(g.vals), func(v known) bool {
		return len(v.shape) != 3 || v.shape[0] != 1 || v.shape[2] != width
	})
}

// late returns one of list, a late one more often.
func (g *randomGraph) late(list []known) known {
	return list[len(list)-1-g.r.IntN(1+g.r.IntN(len(list)))]
}

func (g *randomGraph) joined(list []known) {
	to, names := slices.Clone(list[0].shape), []string{}
	to[1] = 0
	for _, v := range list {
		to[1] += v.shape[1]
		names = append(names, v.name)
	}
	if elements(to) > maxElements {
		return
	}
	out := g.name()
	g.node("Concat", names, []string{out}, intAttr("axis", 1))
	g.add(out, to)
}

func (g *randomGraph) joinChannels() {
	list := make([]known, 1+g.r.IntN(4))
	for i := range list {
		list[i] = g.late(g.channels())
	}
	g.joined(list)
}

// joinAll joins the last values as they were made.
func (g *randomGraph) joinAll() {
	list := g.channels()
	g.joined(list[len(list)-min(len(list), 2+g.r.IntN(3)):])
}

// cutChannels splits a value, and joins what it gave or some of it.
func (g *randomGraph) cutChannels() {
	v := g.late(g.channels())
	if v.shape[1] < 2 {
		return
	}
	first := 1 + g.r.Int64N(v.shape[1]-1)
	sizes, names, parts := []int64{first, v.shape[1] - first}, []string{}, []known{}
	for _, n := range sizes {
		parts = append(parts, known{g.name(), []int64{1, n, v.shape[2]}})
		names = append(names, parts[len(parts)-1].name)
	}
	g.node("Split", []string{v.name, g.init(intsTensor(g.t, g.name(), sizes...))}, names, intAttr("axis", 1))
	g.vals = append(g.vals, parts...)
	if g.r.IntN(2) == 0 {
		g.joined(append(parts[g.r.IntN(2):], g.late(g.channels())))
	}
}

// oneChannel picks a channel.
func (g *randomGraph) oneChannel() {
	v, out := g.late(g.channels()), g.name()
	pick := intsTensor(g.t, g.name(), g.r.Int64N(v.shape[1]))
	g.node("Gather", []string{v.name, g.init(pick)}, []string{out}, intAttr("axis", 1))
	g.add(out, []int64{1, 1, v.shape[2]})
}

// someChannels slices some channels, or every second one.
func (g *randomGraph) someChannels() {
	v, out := g.late(g.channels()), g.name()
	from, step := g.r.Int64N(v.shape[1]), 1+g.r.Int64N(2)
	g.node("Slice", []string{
		v.name, g.init(intsTensor(g.t, g.name(), from)), g.init(intsTensor(g.t, g.name(), v.shape[1])),
		g.init(intsTensor(g.t, g.name(), 1)), g.init(intsTensor(g.t, g.name(), step)),
	}, []string{out})
	g.add(out, []int64{1, (v.shape[1] - from + step - 1) / step, v.shape[2]})
}

// swapOnes moves a dimension of one index about.
func (g *randomGraph) swapOnes() {
	v, out, back := g.late(g.channels()), g.name(), g.name()
	g.node("Transpose", []string{v.name}, []string{out}, intsAttr("perm", 1, 0, 2))
	g.node("Transpose", []string{out}, []string{back}, intsAttr("perm", 1, 0, 2))
	g.add(back, v.shape)
}

// Wherever values lie that are joined and cut, a graph gives the same bytes.
func TestJoinedGraphsGiveTheSameBytesInWhateverMemory(t *testing.T) {
	compareGraphs(t, newJoinedGraph)
}

// moved returns the steps of a plan that have something to move.
func moved(t *testing.T, s *Session, in ...tensor.View) []string {
	t.Helper()
	e, err := s.Prepare(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range e.Steps {
		st := &e.Steps[i]
		if st.Kind != "view" && slices.Contains([]string{"Concat", "Split", "Slice", "Gather", "Transpose", "Expand", "Dropout"}, st.OpType) {
			list = append(list, st.OpType)
		}
	}
	return list
}

// A block of a network whose parts are made where they are joined.
func TestWhatIsJoinedIsNotCopied(t *testing.T) {
	testkit.NoLeaks(t)
	for _, c := range []struct {
		name  string
		build func(b *modelBuilder)
		want  []string
	}{
		{"branches", func(b *modelBuilder) {
			b.node("Exp", []string{"x"}, []string{"a"})
			b.node("Softmax", []string{"x"}, []string{"c"})
			b.node("Concat", []string{"a", "c"}, []string{"j"}, intAttr("axis", 1))
			b.node("Softmax", []string{"j"}, []string{"y"})
		}, nil},
		{"each with all before it", func(b *modelBuilder) {
			all := []string{"a0"}
			b.node("Exp", []string{"x"}, all)
			for i := range 4 {
				from, to := fmt.Sprint("j", i), fmt.Sprint("a", i+1)
				b.node("Concat", all, []string{from}, intAttr("axis", 1))
				b.node("ReduceSum", []string{from, b.init(intsTensor(b.t, fmt.Sprint("axes", i), 1))}, []string{to})
				all = append(slices.Clone(all), to)
			}
			b.node("Concat", all, []string{"y"}, intAttr("axis", 1))
		}, nil},
		{"halves, and what becomes of one of them", func(b *modelBuilder) {
			b.node("Softmax", []string{"x"}, []string{"a"})
			b.node("Split", []string{"a", b.init(intsTensor(b.t, "sizes", 2, 2))}, []string{"p", "q"}, intAttr("axis", 1))
			b.node("Softmax", []string{"q"}, []string{"r"})
			b.node("Concat", []string{"p", "q", "r"}, []string{"j"}, intAttr("axis", 1))
			b.node("Softmax", []string{"j"}, []string{"y"})
		}, nil},
		{"dropped in training only, under a mask that nobody reads", func(b *modelBuilder) {
			ratio, train := floatsTensor(b.t, "ratio", nil, 0.5), rawTensor(b.t, "train", tensor.Bool, nil, []byte{0})
			b.node("Exp", []string{"x"}, []string{"a"})
			b.node("Dropout", []string{"a", b.init(ratio), b.init(train)}, []string{"d", "mask"})
			b.node("Dropout", []string{"d"}, []string{"e"})
			b.node("Concat", []string{"e", "e"}, []string{"j"}, intAttr("axis", 1))
			b.node("Softmax", []string{"j"}, []string{"y"})
		}, []string{"Concat"}},
		{"an input of the run among them", func(b *modelBuilder) {
			b.node("Exp", []string{"x"}, []string{"a"})
			b.node("Concat", []string{"a", "x"}, []string{"y"}, intAttr("axis", 1))
		}, []string{"Concat"}},
		{"along an inner axis", func(b *modelBuilder) {
			b.node("Exp", []string{"x"}, []string{"a"})
			b.node("Concat", []string{"a", "a"}, []string{"y"}, intAttr("axis", 2))
		}, []string{"Concat"}},
		{"picked, sliced, turned and spread", func(b *modelBuilder) {
			b.node("Softmax", []string{"x"}, []string{"a"})
			b.node("Gather", []string{"a", b.init(rawTensor(b.t, "last", tensor.I64, nil, []byte("\xff\xff\xff\xff\xff\xff\xff\xff")))}, []string{"p"}, intAttr("axis", 1))
			b.node("Slice", []string{"a", b.init(intsTensor(b.t, "from", 1)), b.init(intsTensor(b.t, "to", 3)), b.init(intsTensor(b.t, "axis", 1))}, []string{"q"})
			b.node("Transpose", []string{"q"}, []string{"r"}, intsAttr("perm", 1, 0, 2))
			b.node("Expand", []string{"p", b.init(intsTensor(b.t, "shape", 1, 1, 1))}, []string{"e"})
			b.node("Transpose", []string{"e"}, []string{"f"}, intsAttr("perm", 0, 2, 1))
			b.node("MatMul", []string{"r", "f"}, []string{"y"})
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			c.build(b)
			b.outputs("y")
			s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoReuse: true, NoFusion: true})
			defer s.Close()
			defer plain.Close()
			in := f32(tensor.Shape{1, 4, 5}, draw(20)...)
			if got := moved(t, s, in); !slices.Equal(got, c.want) {
				t.Errorf("%v have something to move, %v expected", got, c.want)
			}
			got, want := runWith(t, s, in), runWith(t, plain, in)
			if !same(copyOf(got), copyOf(want)) {
				t.Errorf("%v, %v without sharing", got[0].View, want[0].View)
			}
			release(got)
			release(want)
		})
	}
}

// Parts of an output are made in the memory that the caller lends for it, and what is cut
// out of it leaves as a copy.
func TestWhatIsJoinedInLentMemory(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Exp", []string{"x"}, []string{"a"})
	b.node("Neg", []string{"x"}, []string{"b"})
	b.node("Concat", []string{"a", "b"}, []string{"y"}, intAttr("axis", 0))
	b.node("Split", []string{"y"}, []string{"p", "q"}, intAttr("axis", 0), intAttr("num_outputs", 2))
	b.node("Concat", []string{"q", "q"}, []string{"z"}, intAttr("axis", 0))
	b.outputs("y", "q", "z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	memory := make([]float32, 5)
	lent := f32(tensor.Shape{4}, memory[1:]...)
	c := &Call{In: []tensor.View{f32(tensor.Shape{2}, 0, -3)}, Out: make([]Result, 3), Lent: []*tensor.View{&lent, nil, nil}}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	defer release(c.Out)
	if y := tensor.Elems[float32](&c.Out[0].View); c.Out[0].Data != lent.Data || y[0] != 1 || !slices.Equal(y[2:], []float32{0, 3}) {
		t.Errorf("the joined output is %v", y)
	}
	q, z := tensor.Elems[float32](&c.Out[1].View), tensor.Elems[float32](&c.Out[2].View)
	if !slices.Equal(q, []float32{0, 3}) || !slices.Equal(z, []float32{0, 3, 0, 3}) {
		t.Errorf("the part is %v, twice %v", q, z)
	}
	tensor.Elems[float32](&lent)[3] = 7 // the caller's again
	if q[1] != 3 {
		t.Error("an output lies in memory that was lent for another")
	}
}

// The body of a loop joins what it carries to what it makes, round after round.
func TestWhatALoopJoins(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	scalar := func(name string) onnx.ValueInfo {
		return onnx.ValueInfo{Name: name, Type: onnx.Type{Kind: onnx.KindTensor, Elem: tensor.I64, HasShape: true}}
	}
	body := &onnx.Graph{
		Name:   "body",
		Inputs: []onnx.ValueInfo{scalar("i"), {Name: "go", Type: onnx.Type{Kind: onnx.KindTensor, Elem: tensor.Bool, HasShape: true}}, {Name: "s", Type: onnx.Type{Kind: onnx.KindTensor, Elem: tensor.F32}}},
		Nodes: []onnx.Node{
			{OpType: "Identity", Inputs: []string{"go"}, Outputs: []string{"on"}},
			{OpType: "Neg", Inputs: []string{"x"}, Outputs: []string{"n"}},
			{OpType: "Add", Inputs: []string{"n", "n"}, Outputs: []string{"d"}},
			{OpType: "Concat", Inputs: []string{"s", "d", "n"}, Outputs: []string{"t"}, Attrs: []onnx.Attr{intAttr("axis", 0)}},
		},
		Outputs: []onnx.ValueInfo{{Name: "on"}, {Name: "t"}},
	}
	b.node("Loop", []string{b.init(rawTensor(t, "n3", tensor.I64, nil, []byte{3, 0, 0, 0, 0, 0, 0, 0})), "", "x"}, []string{"y"}, graphAttr("body", body))
	b.outputs("y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	want := []float32{5, -10, -5, -10, -5, -10, -5}
	for range 3 {
		out := runWith(t, s, f32(tensor.Shape{1}, 5))
		if got := tensor.Elems[float32](&out[0].View); !slices.Equal(got, want) {
			t.Errorf("%v, %v expected", got, want)
		}
		release(out)
	}
}

// A part that dies is not written over while all that it was joined to is still to be read
// under a shape that only the run knows.
func TestWhatIsJoinedUnderAShapeOfTheRun(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.input("shape", tensor.I64)
	b.node("Exp", []string{"x"}, []string{"a"})
	b.node("Softmax", []string{"x"}, []string{"b"})
	b.node("Concat", []string{"a", "b"}, []string{"j"}, intAttr("axis", 0))
	b.node("Reshape", []string{"j", "shape"}, []string{"w"})
	b.node("Neg", []string{"b"}, []string{"r"})
	b.node("Softmax", []string{"r"}, []string{"u"})
	b.node("ReduceSum", []string{"w"}, []string{"s"})
	b.outputs("u", "s")
	s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoReuse: true, NoFusion: true})
	defer s.Close()
	defer plain.Close()
	to, err := tensor.ViewOf(tensor.I64, tensor.Shape{2}, []int64{5, 2})
	if err != nil {
		t.Fatal(err)
	}
	in := []tensor.View{f32(tensor.Shape{1, 5}, draw(5)...), to}
	got, want := runWith(t, s, in...), runWith(t, plain, in...)
	if !same(copyOf(got), copyOf(want)) {
		t.Errorf("%v, %v without sharing", got[1].View, want[1].View)
	}
	release(got)
	release(want)
}
