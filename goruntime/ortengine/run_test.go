//go:build ort && cgo

package ortengine_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func floats(r *exec.Result) []float32 { return tensor.Elems[float32](&r.View) }

func ones(n int) []float32 { return slices.Repeat([]float32{1}, n) }

func TestOutputsOfKnownShapeAreBlocksOfTheArena(t *testing.T) {
	testkit.NoLeaks(t)
	// declared; inferred by the rules; without dimensions; without elements
	for _, c := range []struct {
		model string
		in    tensor.Shape
		out   tensor.Shape
		first float32
	}{
		{"chain", tensor.Shape{5}, tensor.Shape{5}, 2},
		{"double", tensor.Shape{2, 3}, tensor.Shape{2, 3}, 2},
		{"double", tensor.Shape{}, tensor.Shape{}, 2},
		{"narrow", tensor.Shape{4}, tensor.Shape{}, 8},
		{"chain", tensor.Shape{0}, tensor.Shape{0}, 0},
		{"double", tensor.Shape{3, 0}, tensor.Shape{3, 0}, 0},
	} {
		s := open(t, c.model, exec.Options{})
		for range 2 {
			r := run(t, s, f32(t, c.in, ones(c.in.Elements())...))
			if !r[0].Shape.Equal(c.out) || r[0].DType != tensor.F32 {
				t.Errorf("%s %v: the output is %v", c.model, c.in, &r[0].View)
			}
			if c.out.Elements() > 0 && floats(&r[0])[0] != c.first {
				t.Errorf("%s %v: %v", c.model, c.in, floats(&r[0]))
			}
			if n := s.IO().Stats().LiveBlocks; n != 1 || r[0].Data != r[0].Block.Data() {
				t.Errorf("%s %v: %d blocks are live", c.model, c.in, n)
			}
			r[0].Release()
		}
		if hits := s.IO().Stats().Hits; hits != 1 {
			t.Errorf("%s %v: the second run had %d blocks of the first", c.model, c.in, hits)
		}
	}
}

func TestAnOutputOfUnknownShapeOutlivesItsSession(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "nonzero", exec.Options{})
	io := s.IO()
	var kept []exec.Result
	for n := 1; n <= 3; n++ {
		x := make([]float32, 1000)
		for i := range n {
			x[100*i] = 1
		}
		r := run(t, s, f32(t, tensor.Shape{1000}, x...))
		if !r[0].Shape.Equal(tensor.Shape{1, n}) || r[0].DType != tensor.I64 {
			t.Fatalf("%v", &r[0].View)
		}
		kept = append(kept, r[0])
	}
	if st := io.Stats(); st.LiveBlocks != 3 || st.Live != 8*(1+2+3) {
		t.Errorf("%d blocks of %d bytes are live", st.LiveBlocks, st.Live)
	}
	l, err := io.Export(kept[2].Block, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := tensor.Elems[int64](&kept[2].View); !slices.Equal(got, []int64{0, 100, 200}) {
		t.Errorf("%v", got)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	kept[0].Release()
	kept[1].Release()
	if !testkit.Settles(func() bool { return io.Stats().Live == 0 }) {
		t.Errorf("%d bytes stay live", io.Stats().Live)
	}
}

// What the library made for a run is its again once the last lease ended.
func TestAdoptedMemoryGoesBackToTheLibrary(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "nonzero", exec.Options{Threads: 1})
	x := f32(t, tensor.Shape{1 << 20}, ones(1<<20)...)
	run(t, s, x)[0].Release()
	before := testkit.Resident(t)
	for range 50 {
		run(t, s, x)[0].Release()
	}
	if grown := testkit.Resident(t) - before; grown > 64<<20 {
		t.Errorf("50 outputs of 8 MiB, released one by one, left %d MiB behind", grown>>20)
	}
}

// The model says [N] and gives [2 N]: the library refuses such memory, and makes its own.
func TestADeclarationThatIsWrongIsNotBelieved(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "misdeclared", exec.Options{})
	for range 3 {
		r := run(t, s, f32(t, tensor.Shape{2}, 1, 2))
		if !slices.Equal(floats(&r[0]), []float32{1, 2, 1, 2}) {
			t.Errorf("%v", &r[0].View)
		}
		r[0].Release()
	}
	out := f32(t, tensor.Shape{3}, 0, 0, 0)
	err := s.Run(&exec.Call{In: []tensor.View{f32(t, tensor.Shape{2}, 1, 2)}, Out: make([]exec.Result, 1), Lent: []*tensor.View{&out}})
	if errs.CodeOf(err) != errs.Shape || !strings.Contains(err.Error(), "{4}") {
		t.Errorf("%v", err)
	}
}

func TestOutputsGoToMemoryOfTheCaller(t *testing.T) {
	testkit.NoLeaks(t)
	for _, model := range []string{"chain", "double"} {
		s := open(t, model, exec.Options{})
		x, y := f32(t, tensor.Shape{3}, 1, 2, 3), f32(t, tensor.Shape{3}, 0, 0, 0)
		c := &exec.Call{In: []tensor.View{x}, Out: make([]exec.Result, 1), Lent: []*tensor.View{&y}}
		if err := s.Run(c); err != nil {
			t.Fatal(err)
		}
		want := map[string][]float32{"chain": {2, 6, 12}, "double": {2, 4, 6}}[model]
		if got := tensor.Elems[float32](&y); !slices.Equal(got, want) || c.Out[0].Block.Valid() || c.Out[0].Data != y.Data {
			t.Errorf("%s: %v", model, got)
		}
		if n := s.IO().Stats().Misses; n != 0 {
			t.Errorf("%s: %d blocks were taken", model, n)
		}
		small := f32(t, tensor.Shape{2}, 0, 0)
		c.Lent[0] = &small
		if err := s.Run(c); errs.CodeOf(err) != errs.Shape || !strings.Contains(err.Error(), `the memory given for output "y" is f32[2], the output is f32[3]`) {
			t.Errorf("%s: %v", model, err)
		}
		c.Lent = nil
		if err := s.Run(c); err != nil {
			t.Fatal(err)
		}
		c.Out[0].Release()
	}
}

func TestOutputsHaveMemoryOfTheirOwn(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "alias", exec.Options{})
	for range 2 {
		x := []float32{1, 2}
		r := run(t, s, f32(t, tensor.Shape{2}, x...))
		for k, want := range [][]float32{{1, 2}, {5, 6}, {1, 2}, {1, 2}} {
			got := floats(&r[k])
			if !slices.Equal(got, want) {
				t.Errorf("output %d is %v, %v expected", k, got, want)
			}
			got[0], got[1] = -1, -1
		}
		for k := range r {
			r[k].Release()
		}
		if x[0] != 1 {
			t.Error("an output is the input")
		}
	}
}

func TestNumbersAtOddAddressesAreCopied(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "chain", exec.Options{})
	raw := make([]byte, 9)
	raw = raw[1-uintptr(unsafe.Pointer(&raw[0]))%2:][:8] // at an odd address
	copy(raw, "\x00\x00\x80\x3f\x00\x00\x00\x40")        // 1, 2
	v, err := tensor.ViewOf(tensor.F32, tensor.Shape{2}, raw)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, s, v)
	if got := floats(&r[0]); !slices.Equal(got, []float32{2, 6}) {
		t.Errorf("%v", got)
	}
	r[0].Release()
	if st := s.IO().Stats(); st.Copies[arena.CopyUnaligned] != 1 || st.Live != 0 {
		t.Errorf("%d copies, %d bytes live", st.Copies[arena.CopyUnaligned], st.Live)
	}
}

func TestOnlyWantedOutputsAreMade(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "mixed", exec.Options{})
	target, err := s.Target([]string{"w", "y"})
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Call{Target: target, In: []tensor.View{f32(t, tensor.Shape{1, 4}, 0, 1, 2, 3)}, Out: make([]exec.Result, 2)}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	if !c.Out[0].Shape.Equal(tensor.Shape{1, 1}) || !c.Out[1].Shape.Equal(tensor.Shape{1, 4}) || s.IO().Stats().LiveBlocks != 2 {
		t.Errorf("%v and %v, %d blocks", &c.Out[0].View, &c.Out[1].View, s.IO().Stats().LiveBlocks)
	}
	c.Out[0].Release()
	c.Out[1].Release()
}

func TestLimitsHold(t *testing.T) {
	testkit.NoLeaks(t)
	io := arena.NewIO(arena.Options{Limit: 1 << 12})
	defer io.Close()
	s := open(t, "chain", exec.Options{IO: io})
	err := s.Run(&exec.Call{In: []tensor.View{f32(t, tensor.Shape{4096}, ones(4096)...)}, Out: make([]exec.Result, 1)})
	if errs.CodeOf(err) != errs.Memory {
		t.Errorf("%v", err)
	}
	run(t, s, f32(t, tensor.Shape{16}, ones(16)...))[0].Release()
}

func TestSteadyRunsAllocateNothing(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.PlainBuild(t)
	s := open(t, "chain", exec.Options{Threads: 1})
	c := &exec.Call{In: []tensor.View{f32(t, tensor.Shape{100}, ones(100)...)}, Out: make([]exec.Result, 1)}
	n := testing.AllocsPerRun(100, func() {
		if err := s.Run(c); err != nil {
			t.Error(err)
		}
		c.Out[0].Release()
	})
	if n != 0 {
		t.Errorf("%v allocations in a run", n)
	}
}

func TestManyShapesKeepEight(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "chain", exec.Options{})
	for range 2 {
		for n := 1; n <= 20; n++ {
			r := run(t, s, f32(t, tensor.Shape{n}, ones(n)...))
			if len(floats(&r[0])) != n || floats(&r[0])[n-1] != 2 {
				t.Errorf("%d: %v", n, floats(&r[0]))
			}
			r[0].Release()
		}
	}
}
