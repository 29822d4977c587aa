package exec

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// One constant, multiplied as [2, 8] and as [8, 2]: each product packs it its
// own way.
func TestOneConstantPackedUnderTwoShapes(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.input("y", tensor.F32)
	list := make([]float32, 16)
	for i := range list {
		list[i] = float32(i)
	}
	b.init(floatsTensor(t, "w", []int64{2, 8}, list...))
	b.node("Reshape", []string{"w", b.init(intsTensor(t, "to", 8, 2))}, []string{"v"})
	b.node("MatMul", []string{"x", "w"}, []string{"a"})
	b.node("MatMul", []string{"y", "v"}, []string{"b"})
	b.outputs("a", "b")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	y := make([]float32, 8)
	y[0], y[7] = 1, 10 // row 0 and ten times row 7 of [8, 2]
	out := runWith(t, s, f32(tensor.Shape{1, 2}, 1, 10), f32(tensor.Shape{1, 8}, y...))
	defer release(out)
	for i, v := range tensor.Elems[float32](&out[0].View) {
		if want := float32(i) + 10*float32(8+i); v != want {
			t.Errorf("a[%d] is %v, %v expected", i, v, want)
		}
	}
	for i, v := range tensor.Elems[float32](&out[1].View) {
		if want := float32(i) + 10*float32(14+i); v != want {
			t.Errorf("b[%d] is %v, %v expected", i, v, want)
		}
	}
}

// Of constants that are computed from each other only the last one stays.
func TestConstantsBetweenConstantsGoBack(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("ConstantOfShape", []string{b.init(intsTensor(t, "size", 512, 512))}, []string{"zeros"})
	b.node("Exp", []string{"zeros"}, []string{"ones"})
	b.node("Add", []string{"ones", "ones"}, []string{"twos"})
	b.node("MatMul", []string{"x", "twos"}, []string{"y"})
	b.outputs("y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	x := make([]float32, 512)
	x[3], x[500] = 1, 2
	out := runWith(t, s, f32(tensor.Shape{1, 512}, x...))
	defer release(out)
	for i, v := range tensor.Elems[float32](&out[0].View) {
		if v != 6 {
			t.Fatalf("y[%d] is %v, 6 expected", i, v)
		}
	}
	const one = 4 * 512 * 512
	if n := s.outputs.runner.(*unit).m.weights.Stats().Live; n < one || n >= 3*one { // the constant and its packed form
		t.Errorf("%d bytes of constants, one takes %d", n, one)
	}
}

// A node that is computed ahead may leave its first output out.
func TestAComputedNodeWithoutItsFirstOutput(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	w := b.init(floatsTensor(t, "w", []int64{4}, 1, 2, 3, 4))
	b.node("Split", []string{w, b.init(intsTensor(t, "sizes", 2, 2))}, []string{"", "second"})
	b.node("Add", []string{"x", "second"}, []string{"z"})
	b.outputs("z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	out := runWith(t, s, f32(tensor.Shape{2}, 10, 20))
	defer release(out)
	if got := tensor.Elems[float32](&out[0].View); got[0] != 13 || got[1] != 24 {
		t.Errorf("%v, want [13 24]", got)
	}
}
