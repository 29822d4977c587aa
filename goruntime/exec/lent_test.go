package exec

import (
	"slices"
	"strings"
	"testing"
	"unsafe" //lint:allow unsafe columns are addresses

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// twiceModel gives s = x + 1 and, of x once more, p = x x^T behind it.
func twiceModel(t testing.TB) *modelBuilder {
	b := newModel(t)
	b.input("x", tensor.F32)
	b.init(floatsTensor(t, "w", []int64{1}, 1))
	b.node("Add", []string{"x", "w"}, []string{"s"})
	b.node("Transpose", []string{"x"}, []string{"t"})
	b.node("MatMul", []string{"x", "t"}, []string{"p"})
	b.outputs("s", "p")
	return b
}

// part is n elements of list from lo on, as a matrix of two rows.
func part(list []float32, lo, n int) *tensor.View {
	v := f32(tensor.Shape{2, n / 2}, list[lo:lo+n]...)
	v.Data = unsafe.Pointer(&list[lo])
	return &v
}

// Whatever input shares memory with whatever output, the run gives what it gives where
// they lie apart, and counts the copy that this takes.
func TestInputsInLentMemoryAreReadBefore(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &twiceModel(t).m, Options{})
	defer s.Close()
	sums, products := []float32{2, 3, 4, 5}, []float32{5, 11, 11, 25}
	for _, at := range []struct {
		name      string
		x, s, p   int // -1 is memory of the run's own
		copies    int64
		asColumns bool
	}{
		{name: "all apart, side by side", x: 0, s: 4, p: 8},
		{name: "an output in the input's place", x: 4, s: 4, p: 8, copies: 1},
		{name: "an output that starts in the input", x: 4, s: 7, p: 11, copies: 1},
		{name: "an output that ends in the input", x: 4, s: 1, p: 8, copies: 1},
		{name: "both outputs in the input", x: 4, s: 2, p: 6, copies: 1},
		{name: "the other output alone", x: 4, s: -1, p: 5, copies: 1},
		{name: "an output in the input's columns", x: 4, s: 4, p: 8, copies: 1, asColumns: true},
		{name: "columns apart", x: 4, s: 0, p: 8, asColumns: true},
	} {
		t.Run(at.name, func(t *testing.T) {
			all := make([]float32, 16)
			x := part(all, at.x, 4)
			copy(all[at.x:], []float32{1, 2, 3, 4})
			if at.asColumns {
				copy(all[at.x:], []float32{1, 3, 2, 4})
				x.Columns, x.Data = []unsafe.Pointer{unsafe.Pointer(&all[at.x]), unsafe.Pointer(&all[at.x+2])}, nil
			}
			c := &Call{In: []tensor.View{*x}, Out: make([]Result, 2), Lent: make([]*tensor.View, 2)}
			for k, lo := range []int{at.s, at.p} {
				if lo >= 0 {
					c.Lent[k] = part(all, lo, 4)
				}
			}
			before := s.IO().Stats().Copies[arena.CopyOverlap]
			if err := s.Run(c); err != nil {
				t.Fatal(err)
			}
			defer release(c.Out)
			if got, want := tensor.Elems[float32](&c.Out[0].View), sums; !slices.Equal(got, want) {
				t.Errorf("s is %v, %v expected", got, want)
			}
			if got, want := tensor.Elems[float32](&c.Out[1].View), products; !slices.Equal(got, want) {
				t.Errorf("p is %v, %v expected", got, want)
			}
			if n := s.IO().Stats().Copies[arena.CopyOverlap] - before; n != at.copies {
				t.Errorf("%d copies of the input are counted, %d expected", n, at.copies)
			}
		})
	}
	if live := s.Execution().Stats().LiveBlocks; live != 0 {
		t.Errorf("%d blocks of copies are live", live)
	}
}

func TestLentMemoryThatCannotBe(t *testing.T) {
	testkit.NoLeaks(t)
	s := mustNew(t, &twiceModel(t).m, Options{})
	defer s.Close()
	all := make([]float32, 8)
	texts := tensor.View{DType: tensor.Str, Shape: tensor.Shape{1}, Data: unsafe.Pointer(&all[0])}
	for _, c := range []struct {
		name string
		lent []*tensor.View
		code errs.Code
		want string
	}{
		{"one array twice", []*tensor.View{part(all, 0, 4), part(all, 0, 4)}, errs.Argument, `"p": the memory given for output "p" overlaps that for output "s": each takes memory of its own`},
		{"arrays that share an element", []*tensor.View{part(all, 3, 4), part(all, 0, 4)}, errs.Argument, `output "p" overlaps that for output "s"`},
		{"an array inside another", []*tensor.View{part(all, 0, 8), part(all, 2, 4)}, errs.Argument, `output "p" overlaps that for output "s"`},
		{"no address", []*tensor.View{{DType: tensor.F32, Shape: tensor.Shape{2, 2}}, nil}, errs.Argument, `the memory given for output "s" has no address, f32[2, 2] takes 16 bytes`},
		{"texts", []*tensor.View{&texts, nil}, errs.Type, `memory of str given for output "s": tensors of numbers alone are written to memory of the caller`},
		{"no tensor", []*tensor.View{nil, {DType: tensor.Other}}, errs.Type, `memory of no tensor given for output "p"`},
		{"a negative dimension", []*tensor.View{{DType: tensor.F32, Shape: tensor.Shape{-1}, Data: texts.Data}, nil}, errs.Shape, `"s": dimension 0 of shape [?] is -1`},
		{"too few", []*tensor.View{nil}, errs.Argument, "memory for 1 outputs given, 2 expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Run(&Call{In: []tensor.View{f32(tensor.Shape{2, 2}, 1, 2, 3, 4)}, Out: make([]Result, 2), Lent: c.lent})
			if errs.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v with %q expected", err, c.code, c.want)
			}
			if slices.ContainsFunc(all, func(v float32) bool { return v != 0 }) {
				t.Errorf("memory was written: %v", all)
			}
		})
	}
}

// Without elements there is no memory to share.
func TestLentMemoryWithoutElements(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Relu", []string{"x"}, []string{"s"})
	b.node("Tanh", []string{"x"}, []string{"p"})
	b.outputs("s", "p")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	at := make([]float32, 1)
	empty := tensor.View{DType: tensor.F32, Shape: tensor.Shape{0, 3}, Data: unsafe.Pointer(&at[0])}
	nowhere := tensor.View{DType: tensor.F32, Shape: tensor.Shape{0, 3}}
	for _, lent := range [][]*tensor.View{{&empty, &empty}, {&empty, &nowhere}} {
		if err := s.Run(&Call{In: []tensor.View{empty}, Out: make([]Result, 2), Lent: lent}); err != nil {
			t.Error(err)
		}
	}
	if n := s.IO().Stats().Copies[arena.CopyOverlap]; n != 0 {
		t.Errorf("%d copies are counted", n)
	}
}

func TestSequencesInLentMemory(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.node("ConcatFromSequence", []string{"q"}, []string{"y"}, intAttr("axis", 0))
	of := onnx.Type{Kind: onnx.KindTensor, Elem: tensor.F32}
	b.m.Graph.Inputs = append(b.m.Graph.Inputs, onnx.ValueInfo{Name: "q", Type: onnx.Type{Kind: onnx.KindSequence, Of: &of}})
	b.outputs("y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	all := []float32{1, 2, 3, 4}
	item := func(lo int) *values.Value { return values.NewTensor(*part(all, lo, 2), arena.Handle{}) }
	seq := values.New(values.Sequence, item(0), item(2))
	defer seq.Release()
	lent := f32(tensor.Shape{4, 1}, 0, 0, 0, 0)
	c := &Call{In: []tensor.View{{DType: tensor.Other}}, Values: []*values.Value{seq}, Out: make([]Result, 1), Lent: []*tensor.View{&lent}}
	if err := s.Run(c); err != nil || !slices.Equal(tensor.Elems[float32](&lent), all) {
		t.Errorf("%v, %v", tensor.Elems[float32](&lent), err)
	}
	c.Lent[0] = part(all, 0, 4)
	c.Lent[0].Shape = tensor.Shape{4, 1}
	err := s.Run(c)
	if errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), `"q": a tensor in it lies in the memory given for an output: give the output other memory, or feed a copy`) {
		t.Errorf("got %v", err)
	}
}
