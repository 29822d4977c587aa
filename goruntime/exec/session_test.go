package exec

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// chainModel is y = Sigmoid(Tanh(Relu(x))) + w.
func chainModel(t testing.TB) *modelBuilder {
	b := newModel(t)
	b.input("x", tensor.F32)
	b.init(floatsTensor(t, "w", []int64{1}, 1))
	b.node("Relu", []string{"x"}, []string{"a"})
	b.node("Tanh", []string{"a"}, []string{"b"})
	b.node("Sigmoid", []string{"b"}, []string{"c"})
	b.node("Add", []string{"c", "w"}, []string{"y"})
	b.outputs("y")
	return b
}

func ones(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// An output that is an input, a constant or another output is memory of its
// own: writing to it changes nothing else.
func TestOutputsHaveValueSemantics(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.init(floatsTensor(t, "w", []int64{2}, 5, 6))
	b.node("Relu", []string{"x"}, []string{"a"})
	b.node("Reshape", []string{"a", b.init(intsTensor(t, "to", 2, 1))}, []string{"v"})
	b.node("Identity", []string{"a"}, []string{"i"})
	b.node("Add", []string{"a", "w"}, []string{"s"})
	b.outputs("a", "x", "w", "a", "v", "i", "s")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	want := [][]float32{{1, 2}, {1, 2}, {5, 6}, {1, 2}, {1, 2}, {1, 2}, {6, 8}}
	for run := range 3 {
		x := []float32{1, 2}
		out := runWith(t, s, f32(tensor.Shape{2}, x...))
		for k := range out {
			got := tensor.Elems[float32](&out[k].View)
			if !slices.Equal(got, want[k]) {
				t.Errorf("run %d: output %d is %v, %v expected", run, k, got, want[k])
			}
			got[0], got[1] = -100, -100 // must not reach the other outputs or the next run
		}
		if !slices.Equal(x, []float32{1, 2}) {
			t.Errorf("run %d: the input became %v", run, x)
		}
		release(out)
	}
}

func TestOutputsOutliveTheSession(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &chainModel(t).m, Options{})
	out := runWith(t, s, f32(tensor.Shape{1000}, ones(1000)...))
	io := s.IO()
	l, err := io.Export(out[0].Block, 1)
	if err != nil {
		t.Fatal(err)
	}
	first := tensor.Elems[float32](&out[0].View)[0]
	s.Close()
	s.Close()
	if v := tensor.Elems[float32](&out[0].View); slices.ContainsFunc(v, func(f float32) bool { return f != first }) {
		t.Error("the output changed when the session was closed")
	}
	if err := s.Run(&Call{}); errs.CodeOf(err) != errs.Closed {
		t.Errorf("Run after Close: %v", err)
	}
	if _, err := s.Target([]string{"a"}); errs.CodeOf(err) != errs.Closed {
		t.Errorf("Target after Close: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if !testkit.Settles(func() bool { return io.Stats().Live == 0 }) {
		t.Errorf("%+v", io.Stats())
	}
}

func TestInputsThatDoNotFit(t *testing.T) {
	testkit.NoLeaks(t)
	b := chainModel(t)
	b.m.Graph.Inputs[0].Type = onnx.Type{Kind: onnx.KindTensor, Elem: tensor.F32, HasShape: true, Dims: []onnx.Dim{{Param: "N"}, {Known: true, Value: 3}}}
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	ints, err := tensor.ViewOf(tensor.I64, tensor.Shape{1, 3}, make([]int64, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		in   []tensor.View
		code errs.Code
		want string
	}{
		{"another type", []tensor.View{ints}, errs.Type, "i64 given, f32 expected: convert it before it is fed"},
		{"another rank", []tensor.View{f32(tensor.Shape{3}, 1, 2, 3)}, errs.Shape, "rank 1 given (shape [3]), rank 2 expected (f32[N, 3])"},
		{"another dimension", []tensor.View{f32(tensor.Shape{1, 2}, 1, 2)}, errs.Shape, "dimension 1 is 2 (shape [1, 2]), 3 expected (f32[N, 3])"},
		{"nothing fed", make([]tensor.View, 1), errs.Name, "the input is required and was not fed"},
		{"too many", make([]tensor.View, 2), errs.Argument, "2 inputs and 1 outputs given, 1 and 1 expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Run(&Call{In: c.in, Out: make([]Result, 1)})
			if errs.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	release(runWith(t, s, f32(tensor.Shape{2, 3}, ones(6)...)))
}

func TestAFailedRunKeepsNothing(t *testing.T) {
	testkit.NoLeaks(t)
	b := chainModel(t)
	b.input("i", tensor.I64)
	b.node("Gather", []string{"c", "i"}, []string{"z"}, intAttr("axis", 0))
	b.outputs("y", "z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	x := f32(tensor.Shape{4}, ones(4)...)
	for i := range 6 {
		id, err := tensor.ViewOf(tensor.I64, tensor.Shape{1}, []int64{int64(i%2) * 100})
		if err != nil {
			t.Fatal(err)
		}
		c := &Call{In: []tensor.View{x, id}, Out: make([]Result, 2)}
		err = s.Run(c)
		if (err != nil) != (i%2 == 1) {
			t.Fatalf("run %d: %v", i, err)
		}
		if err == nil {
			release(c.Out)
		} else if errs.CodeOf(err) != errs.Compute || !strings.Contains(err.Error(), "Gather") {
			t.Errorf("run %d: %v", i, err)
		}
		if e, o := s.Execution().Stats(), s.IO().Stats(); e.Live != 0 || o.Live != 0 {
			t.Errorf("run %d leaves %d and %d bytes live", i, e.Live, o.Live)
		}
	}
}

func TestLimitsOfTheArenas(t *testing.T) {
	testkit.NoLeaks(t)
	for _, c := range []struct {
		name string
		exec int64
		io   int64
	}{{"execution", 1 << 10, 0}, {"io", 0, 1 << 10}} {
		t.Run(c.name, func(t *testing.T) {
			exec, io := arena.NewExecution(arena.Options{Limit: c.exec}), arena.NewIO(arena.Options{Limit: c.io})
			defer exec.Close()
			defer io.Close()
			s := mustNew(t, &chainModel(t).m, Options{Execution: exec, IO: io, NoFusion: true})
			defer s.Close()
			err := s.Run(&Call{In: []tensor.View{f32(tensor.Shape{5000}, ones(5000)...)}, Out: make([]Result, 1)})
			if errs.CodeOf(err) != errs.Memory || !strings.Contains(err.Error(), "the limit is 1024 bytes") {
				t.Errorf("got %v", err)
			}
			release(runWith(t, s, f32(tensor.Shape{5}, ones(5)...)))
			if e, o := exec.Stats(), io.Stats(); e.Live != 0 || o.Live != 0 {
				t.Errorf("%d and %d bytes stay live", e.Live, o.Live)
			}
		})
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.PlainBuild(t)
	s := mustNew(t, &chainModel(t).m, Options{})
	defer s.Close()
	c := &Call{In: []tensor.View{f32(tensor.Shape{70000}, ones(70000)...)}, Out: make([]Result, 1)}
	run := func() {
		if err := s.Run(c); err != nil {
			t.Fatal(err)
		}
		release(c.Out)
	}
	run()
	run()
	e, o := s.Execution().Stats(), s.IO().Stats()
	if n := testing.AllocsPerRun(50, run); n != 0 {
		t.Errorf("%v Go allocations a run", n)
	}
	if s.outputs.runner.(*unit).hot.Load() == nil {
		t.Error("no frame waits outside the lock for the next run")
	}
	e2, o2 := s.Execution().Stats(), s.IO().Stats()
	if e2.SystemAllocations != e.SystemAllocations || o2.SystemAllocations != o.SystemAllocations || e2.Misses != e.Misses || o2.Misses != o.Misses {
		t.Errorf("runs ask the system for memory: %+v %+v", e2, o2)
	}
	if o2.Copies != o.Copies || o2.Migrations != 0 {
		t.Errorf("runs copy: %+v", o2)
	}
}

func TestManyShapesKeepEight(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &chainModel(t).m, Options{})
	defer s.Close()
	for round := range 3 {
		for n := 1; n <= 20; n++ {
			out := runWith(t, s, f32(tensor.Shape{n}, ones(n)...))
			if !out[0].Shape.Equal(tensor.Shape{n}) {
				t.Errorf("round %d: the shape is %v", round, out[0].Shape)
			}
			release(out)
		}
	}
	if n := len(s.outputs.runner.(*unit).specs); n != keep {
		t.Errorf("%d specializations are kept", n)
	}
}

// One session, many goroutines, more shapes than are kept.
func TestConcurrentRuns(t *testing.T) {
	testkit.NoLeaks(t)
	b := chainModel(t)
	b.input("cond", tensor.Bool)
	b.node("If", []string{"cond"}, []string{"z"},
		graphAttr("then_branch", subgraph("p", onnx.Node{OpType: "Tanh", Inputs: []string{"y"}, Outputs: []string{"p"}})),
		graphAttr("else_branch", subgraph("q", onnx.Node{OpType: "Relu", Inputs: []string{"y"}, Outputs: []string{"q"}})))
	b.outputs("y", "z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	yes, err := tensor.ViewOf(tensor.Bool, tensor.Shape{}, []bool{false})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for i := range 60 {
				n := 1 + (g*5+i)%12
				c := &Call{In: []tensor.View{f32(tensor.Shape{n}, ones(n)...), yes}, Out: make([]Result, 2)}
				if err := s.Run(c); err != nil {
					t.Error(err)
					return
				}
				y, z := tensor.Elems[float32](&c.Out[0].View), tensor.Elems[float32](&c.Out[1].View)
				if len(y) != n || !slices.Equal(y, z) || y[0] != y[n-1] || y[0] < 1.6 || y[0] > 1.7 {
					t.Errorf("y %v, z %v", y, z)
				}
				release(c.Out)
			}
		})
	}
	wg.Wait()
}

func TestStopEndsARun(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &chainModel(t).m, Options{})
	defer s.Close()
	stop := &Stop{}
	stop.Cancel()
	c := &Call{In: []tensor.View{f32(tensor.Shape{3}, ones(3)...)}, Out: make([]Result, 1), Stop: stop}
	if err := s.Run(c); errs.CodeOf(err) != errs.Canceled {
		t.Errorf("canceled: %v", err)
	}
	stop.Reset()
	if err := s.Run(c); err != nil {
		t.Errorf("after Reset: %v", err)
	}
	release(c.Out)
}

func TestLentOutputs(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &chainModel(t).m, Options{})
	defer s.Close()
	x := f32(tensor.Shape{3}, ones(3)...)
	mine := f32(tensor.Shape{3}, 0, 0, 0)
	c := &Call{In: []tensor.View{x}, Out: make([]Result, 1), Lent: []*tensor.View{&mine}}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	if v := tensor.Elems[float32](&mine); c.Out[0].Data != mine.Data || c.Out[0].Block.Valid() || v[2] < 1.6 {
		t.Errorf("the output %v is not in the lent memory: %v", c.Out[0].View, v)
	}
	if st := s.IO().Stats(); st.Misses+st.Hits != 0 {
		t.Errorf("memory was acquired for a lent output: %+v", st)
	}
	small := f32(tensor.Shape{2}, 7, 7)
	c.Lent[0] = &small
	err := s.Run(c)
	if errs.CodeOf(err) != errs.Shape || !strings.Contains(err.Error(), "the memory given for output \"y\" is f32[2], the output is f32[3]") {
		t.Errorf("got %v", err)
	}
	if v := tensor.Elems[float32](&small); v[0] != 7 || v[1] != 7 {
		t.Errorf("memory that does not fit was written: %v", v)
	}
}

// An output that only renames what a node made is named as the model names it.
func TestLentMemoryIsNamedByTheOutput(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Relu", []string{"x"}, []string{"inner"})
	b.node("Identity", []string{"inner"}, []string{"y"})
	b.outputs("y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	small := f32(tensor.Shape{1}, 7)
	err := s.Run(&Call{In: []tensor.View{f32(tensor.Shape{2}, 1, 2)}, Out: make([]Result, 1), Lent: []*tensor.View{&small}})
	if err == nil || !strings.HasSuffix(err.Error(), `"y": the memory given for output "y" is f32[1], the output is f32[2]`) {
		t.Errorf("got %v", err)
	}
}

func TestTargets(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &chainModel(t).m, Options{})
	defer s.Close()
	target, err := s.Target([]string{"a", "x", "w"})
	if err != nil {
		t.Fatal(err)
	}
	c := &Call{Target: target, In: []tensor.View{f32(tensor.Shape{2}, -1, 2)}, Out: make([]Result, 3)}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	for k, want := range [][]float32{{0, 2}, {-1, 2}, {1}} {
		if got := tensor.Elems[float32](&c.Out[k].View); !slices.Equal(got, want) {
			t.Errorf("%s is %v, %v expected", target.Names[k], got, want)
		}
	}
	release(c.Out)
	if _, err := s.Target([]string{"yy"}); errs.CodeOf(err) != errs.Name || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("an unknown name: %v", err)
	}
}

// What takes more than can be had is refused before kernels prepare for it, and so before
// they take memory of their own that grows with it.
func TestValuesThatNoArenaHolds(t *testing.T) {
	testkit.NoLeaks(t)
	conv := func(pads ...int64) *modelBuilder {
		b := newModel(t)
		b.input("x", tensor.F32)
		b.init(floatsTensor(t, "w", []int64{1, 1, 1, 1}, 1))
		b.node("Conv", []string{"x", "w"}, []string{"c"}, intsAttr("pads", pads...))
		b.node("Relu", []string{"c"}, []string{"y"})
		b.outputs("y")
		return b
	}
	image := f32(tensor.Shape{1, 1, 2, 2}, 1, 2, 3, 4)
	limited := Options{Execution: arena.NewExecution(arena.Options{Limit: 1 << 20}), IO: arena.NewIO(arena.Options{Limit: 1 << 19})}
	defer limited.Execution.Close()
	defer limited.IO.Close()
	for _, c := range []struct {
		name string
		m    *modelBuilder
		o    Options
		x    tensor.View
		want string
	}{
		{"more than a limit", conv(0, 0, 1<<20, 0), limited, image, `Conv node "#0": the output f32[1, 1, 1048578, 2] takes 8388624 bytes: at most 1048576 can be had`},
		{"more than the machine has", conv(0, 0, 1<<31, 1<<20), Options{}, image, `Conv node "#0": the output f32[1, 1, 2147483650, 1048578] takes`},
		{"no elements, and more than a limit along a dimension", conv(0, 0, 1<<20, 0), limited, f32(tensor.Shape{0, 1, 2, 2}), `the output f32[0, 1, 1048578, 2] has no elements and more along a dimension than the 1048576 bytes that can be had`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustNew(t, &c.m.m, c.o)
			defer s.Close()
			err := s.Run(&Call{In: []tensor.View{c.x}, Out: make([]Result, 1)})
			if errs.CodeOf(err) != errs.Memory || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, something with %q expected", err, c.want)
			}
		})
	}
}
