package exec

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// halvesOf returns numbers as the codes of a 16-bit type.
func halvesOf(d tensor.DType, list []float32) []uint16 {
	out := make([]uint16, len(list))
	for i, x := range list {
		if out[i] = uint16(tensor.HalfOf(x)); d == tensor.BF16 {
			out[i] = uint16(tensor.BFloat16Of(x))
		}
	}
	return out
}

func halfTensor(b *modelBuilder, d tensor.DType, name string, dims []int64, list ...float32) string {
	var raw []byte
	for _, c := range halvesOf(d, list) {
		raw = binary.LittleEndian.AppendUint16(raw, c)
	}
	return b.init(rawTensor(b.t, name, d, dims, raw))
}

// A net of 16-bit floats has the bits of its nodes run one by one, each of which rounds
// its outputs, and reads no halves but those it is fed.
func TestHalvesAreHeldInFloat32(t *testing.T) {
	testkit.NoLeaks(t)
	for _, d := range []tensor.DType{tensor.F16, tensor.BF16} {
		b := newModel(t)
		b.input("x", d)
		w := halfTensor(b, d, "w", []int64{4, 4, 3, 3}, draw(144)...)
		bias := halfTensor(b, d, "bias", []int64{4}, 0.1, 0.2, 0.3, 0.4)
		b.node("Conv", []string{"x", w, bias}, []string{"a"}, intsAttr("pads", 1, 1, 1, 1))
		b.node("Relu", []string{"a"}, []string{"b"})
		b.node("Add", []string{"b", "x"}, []string{"c"})
		b.node("MaxPool", []string{"c"}, []string{"d"}, intsAttr("kernel_shape", 2, 2), intsAttr("strides", 2, 2))
		b.node("Reshape", []string{"d", b.init(intsTensor(t, "shape", 4, 9))}, []string{"e"})
		b.node("Transpose", []string{"e"}, []string{"f"}, intsAttr("perm", 1, 0))
		b.node("MatMul", []string{"e", "f"}, []string{"g"})
		b.node("Softmax", []string{"g"}, []string{"h"})
		b.node("Cast", []string{"h"}, []string{"i"}, intAttr("to", int64(tensor.F32)))
		b.node("Exp", []string{"i"}, []string{"j"})
		b.node("Cast", []string{"j"}, []string{"k"}, intAttr("to", int64(d)))
		b.node("ReduceMean", []string{"k"}, []string{"l"}, intAttr("keepdims", 1))
		b.node("Concat", []string{"g", "k"}, []string{"m"}, intAttr("axis", 0))
		b.node("Mul", []string{"m", "l"}, []string{"n"})
		b.outputs("n", "c", "i", "e")

		codes := halvesOf(d, draw(144))
		x, err := tensor.ViewOf(d, tensor.Shape{1, 4, 6, 6}, codes)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(codes)
		var raws [2][][]byte
		for i, o := range []Options{{}, {NoFusion: true}} {
			s := mustNew(t, &b.m, o)
			out := runWith(t, s, x)
			for k := range out {
				v := out[k].View
				raws[i] = append(raws[i], slices.Clone(v.Raw()))
			}
			release(out)
			if i == 0 {
				halfSteps(t, s, x)
			}
			s.Close()
		}
		for k := range raws[0] {
			if !bytes.Equal(raws[0][k], raws[1][k]) {
				t.Errorf("%v: output %d differs: %v, one by one %v", d, k, raws[0][k], raws[1][k])
			}
		}
		if !slices.Equal(codes, before) {
			t.Error("the input was written")
		}
	}
}

// halfSteps checks that only casts read or make halves.
func halfSteps(t *testing.T, s *Session, x tensor.View) {
	t.Helper()
	e, err := s.Prepare(nil, []tensor.View{x})
	if err != nil {
		t.Fatal(err)
	}
	var halves, casts []string
	for _, v := range e.Values {
		if v.DType.Half() && v.Role != "constant" {
			halves = append(halves, v.Name)
		}
	}
	for _, st := range e.Steps {
		if st.OpType == "Cast" && len(st.Fused) == 0 {
			casts = append(casts, strings.Join(st.Outputs, " "))
		}
	}
	slices.Sort(halves)
	slices.Sort(casts)
	if want := []string{"c", "e", "n", "x"}; !slices.Equal(halves, want) || !slices.Equal(casts, want) {
		t.Errorf("halves are %v, cast are %v, want what is fed and what leaves", halves, casts)
	}
}

// Bodies of loops and branches see the halves of the graph around them.
func TestHalvesBesideSubgraphs(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F16)
	b.input("c", tensor.Bool)
	b.node("Neg", []string{"x"}, []string{"a"})
	add := subgraph("y", onnx.Node{OpType: "Add", Inputs: []string{"a", "a"}, Outputs: []string{"y"}})
	same := subgraph("z", onnx.Node{OpType: "Identity", Inputs: []string{"a"}, Outputs: []string{"z"}})
	b.node("If", []string{"c"}, []string{"o"}, graphAttr("then_branch", add), graphAttr("else_branch", same))
	b.node("Abs", []string{"o"}, []string{"p"})
	b.outputs("p", "a")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	x, err := tensor.ViewOf(tensor.F16, tensor.Shape{3}, halvesOf(tensor.F16, []float32{1, -2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []bool{true, false} {
		cond, err := tensor.ViewOf(tensor.Bool, nil, []bool{c})
		if err != nil {
			t.Fatal(err)
		}
		out := runWith(t, s, x, cond)
		want := []float32{1, 2, 3}
		if c {
			want = []float32{2, 4, 6}
		}
		if got := tensor.Elems[uint16](&out[0].View); !slices.Equal(got, halvesOf(tensor.F16, want)) {
			t.Errorf("%v: %v, want %v", c, got, want)
		}
		release(out)
	}
}

// So they see what was cast of halves, which others read as the halves' own numbers.
func TestCastHalvesBesideSubgraphs(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F16)
	b.input("c", tensor.Bool)
	b.node("Neg", []string{"x"}, []string{"a"})
	b.node("Cast", []string{"a"}, []string{"w"}, intAttr("to", int64(tensor.F32)))
	b.node("Exp", []string{"w"}, []string{"e"})
	add := subgraph("y", onnx.Node{OpType: "Add", Inputs: []string{"w", "w"}, Outputs: []string{"y"}})
	same := subgraph("z", onnx.Node{OpType: "Identity", Inputs: []string{"w"}, Outputs: []string{"z"}})
	b.node("If", []string{"c"}, []string{"o"}, graphAttr("then_branch", add), graphAttr("else_branch", same))
	b.outputs("o", "e")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	x, err := tensor.ViewOf(tensor.F16, tensor.Shape{3}, halvesOf(tensor.F16, []float32{1, -2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[bool][]float32{true: {-2, 4, -6}, false: {-1, 2, -3}} {
		cond, err := tensor.ViewOf(tensor.Bool, nil, []bool{c})
		if err != nil {
			t.Fatal(err)
		}
		out := runWith(t, s, x, cond)
		if got := tensor.Elems[float32](&out[0].View); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", c, got, want)
		}
		release(out)
	}
}

// Tensors without elements go through every form of step that is run on f32, beside
// others that have some.
func TestHalvesWithoutElements(t *testing.T) {
	testkit.NoLeaks(t)
	for _, d := range []tensor.DType{tensor.F16, tensor.BF16} {
		b := newModel(t)
		b.input("x", d)
		one := halfTensor(b, d, "one", []int64{1, 3}, 1, 2, 3)
		none := halfTensor(b, d, "none", []int64{0, 3})
		b.node("Neg", []string{"x"}, []string{"neg"})
		b.node("Mul", []string{"neg", one}, []string{"mul"})
		b.node("Max", []string{"mul", one, none}, []string{"max"})
		b.node("Softmax", []string{"max"}, []string{"soft"})
		b.node("Cast", []string{"soft"}, []string{"f32"}, intAttr("to", int64(tensor.F32)))
		b.node("Exp", []string{"f32"}, []string{"exp"})
		b.node("Cast", []string{"exp"}, []string{"half"}, intAttr("to", int64(d)))
		b.node("Concat", []string{"half", one}, []string{"some"}, intAttr("axis", 0))
		b.node("Tanh", []string{"some"}, []string{"tanh"})
		b.node("Transpose", []string{"half"}, []string{"turned"})
		b.node("MatMul", []string{"turned", "half"}, []string{"zeros"})
		b.node("Flatten", []string{"half"}, []string{"flat"})
		b.node("ReduceSum", []string{"flat"}, []string{"sum"})
		b.outputs("neg", "mul", "max", "soft", "f32", "exp", "half", "tanh", "turned", "zeros", "flat", "sum")
		x, err := tensor.ViewOf(d, tensor.Shape{0, 3}, []uint16{})
		if err != nil {
			t.Fatal(err)
		}
		var all [2][]copied
		for i, o := range []Options{{}, {NoFusion: true}} {
			s := mustNew(t, &b.m, o)
			out := runWith(t, s, x)
			all[i] = copyOf(out)
			release(out)
			s.Close()
		}
		if !same(all[0], all[1]) {
			t.Errorf("%v: %v, one by one %v", d, all[0], all[1])
		}
		if zeros := all[0][9]; !zeros.shape.Equal(tensor.Shape{3, 3}) || !bytes.Equal(zeros.raw, make([]byte, 18)) {
			t.Errorf("%v: a product over nothing is %v, want zeros", d, zeros)
		}
	}
}
