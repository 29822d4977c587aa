package exec

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// fusedOf returns what the steps of a model's plan stand for, operators joined by +.
func fusedOf(t *testing.T, s *Session, target *Target, in ...tensor.View) []string {
	t.Helper()
	e, err := s.Prepare(target, in)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range e.Steps {
		name := e.Steps[i].OpType
		if f := e.Steps[i].Fused; len(f) > 0 {
			name = strings.Join(f, "+")
		}
		list = append(list, name)
	}
	return list
}

// draw returns n numbers that are all different.
func draw(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i%13)*0.25 - 1.5 + float32(i)*1e-3
	}
	return list
}

func TestWhatIsFused(t *testing.T) {
	testkit.NoLeaks(t)
	square := tensor.Shape{1, 4, 6, 6}
	conv := func(b *modelBuilder, in, out string) {
		w := b.init(floatsTensor(b.t, "w"+out, []int64{4, 4, 3, 3}, draw(144)...))
		b.node("Conv", []string{in, w}, []string{out}, intsAttr("pads", 1, 1, 1, 1))
	}
	number := func(b *modelBuilder, x float32) string {
		return b.init(floatsTensor(b.t, "n"+string(rune('a'+len(b.m.Graph.Initializers))), nil, x))
	}
	normal := func(b *modelBuilder, in, out string) {
		names := []string{in}
		for _, n := range []string{"s", "b", "m", "v"} {
			names = append(names, b.init(floatsTensor(b.t, n+out, []int64{4}, 0.5, 1.5, 3, 0.25)))
		}
		b.node("BatchNormalization", names, []string{out})
	}
	for _, c := range []struct {
		name  string
		build func(b *modelBuilder)
		want  []string
	}{
		{"a normalization behind a convolution", func(b *modelBuilder) {
			conv(b, "x", "a")
			normal(b, "a", "b")
			b.node("Relu", []string{"b"}, []string{"z"})
		}, []string{"Conv+BatchNormalization+Relu"}},
		{"a normalization alone", func(b *modelBuilder) { normal(b, "x", "z") }, []string{"BatchNormalization"}},
		{"normalizations on both sides of a sum", func(b *modelBuilder) {
			conv(b, "x", "a")
			normal(b, "a", "b")
			normal(b, "y", "c")
			b.node("Sum", []string{"b", "c"}, []string{"d"})
			b.node("Relu", []string{"d"}, []string{"z"})
		}, []string{"Conv+BatchNormalization+BatchNormalization+Sum+Relu"}},
		{"a normalization whose scale comes with the run", func(b *modelBuilder) {
			b.node("ReduceMax", []string{"y", b.init(intsTensor(b.t, "axes", 0, 2, 3))}, []string{"m"}, intAttr("keepdims", 0))
			of := b.init(floatsTensor(b.t, "of", []int64{4}, 0.5, 1.5, 3, 0.25))
			b.node("BatchNormalization", []string{"x", "m", of, of, of}, []string{"a"})
			b.node("Relu", []string{"a"}, []string{"z"})
		}, []string{"ReduceMax", "BatchNormalization", "Relu"}},
		{"a chain", func(b *modelBuilder) {
			b.node("Relu", []string{"x"}, []string{"a"})
			b.node("Add", []string{"a", "y"}, []string{"b"})
			b.node("Sigmoid", []string{"b"}, []string{"z"})
		}, []string{"Relu+Add+Sigmoid"}},
		{"one operator alone", func(b *modelBuilder) { b.node("Relu", []string{"x"}, []string{"z"}) }, []string{"Relu"}},
		{"two readers inside", func(b *modelBuilder) {
			b.node("Relu", []string{"x"}, []string{"a"})
			b.node("Sigmoid", []string{"a"}, []string{"b"})
			b.node("Mul", []string{"a", "b"}, []string{"z"})
		}, []string{"Relu+Sigmoid+Mul"}},
		{"a reader outside", func(b *modelBuilder) {
			b.node("Relu", []string{"x"}, []string{"a"})
			b.node("GlobalAveragePool", []string{"a"}, []string{"b"})
			b.node("Mul", []string{"a", "b"}, []string{"z"})
		}, []string{"Relu", "GlobalAveragePool", "Mul"}},
		{"a value that grows", func(b *modelBuilder) {
			b.node("GlobalAveragePool", []string{"x"}, []string{"a"})
			b.node("HardSigmoid", []string{"a"}, []string{"b"})
			b.node("Mul", []string{"y", "b"}, []string{"c"})
			b.node("Relu", []string{"c"}, []string{"z"})
		}, []string{"GlobalAveragePool", "HardSigmoid", "Mul+Relu"}},
		{"an operator between that is no elementwise one", func(b *modelBuilder) {
			b.node("Relu", []string{"x"}, []string{"a"})
			b.node("Softmax", []string{"a"}, []string{"b"})
			b.node("Relu", []string{"b"}, []string{"z"})
		}, []string{"Relu", "Softmax", "Relu"}},
		{"the tail of a convolution", func(b *modelBuilder) {
			conv(b, "x", "a")
			b.node("Clip", []string{"a", number(b, 0), number(b, 6)}, []string{"z"})
		}, []string{"Conv+Clip"}},
		{"a clip whose bound comes with the run", func(b *modelBuilder) {
			conv(b, "x", "a")
			b.node("ReduceMax", []string{"y"}, []string{"m"}, intAttr("keepdims", 0))
			b.node("Clip", []string{"a", "", "m"}, []string{"z"})
		}, []string{"Conv", "ReduceMax", "Clip"}},
		{"a residual", func(b *modelBuilder) {
			conv(b, "x", "a")
			b.node("Add", []string{"a", "y"}, []string{"b"})
			b.node("Relu", []string{"b"}, []string{"z"})
		}, []string{"Conv+Add+Relu"}},
		{"two convolutions and their sum", func(b *modelBuilder) {
			conv(b, "x", "a")
			conv(b, "y", "b")
			b.node("Add", []string{"a", "b"}, []string{"z"})
		}, []string{"Conv", "Conv+Add"}},
		{"a convolution read twice", func(b *modelBuilder) {
			conv(b, "x", "a")
			b.node("Relu", []string{"a"}, []string{"b"})
			conv(b, "b", "c")
			b.node("Add", []string{"a", "c"}, []string{"z"})
		}, []string{"Conv", "Relu", "Conv+Add"}},
		{"powers", func(b *modelBuilder) {
			b.node("Pow", []string{"x", number(b, 2)}, []string{"a"})
			b.node("Relu", []string{"a"}, []string{"b"})
			b.node("Pow", []string{"b", number(b, 3)}, []string{"z"})
		}, []string{"Pow+Relu", "Pow"}},
		{"a product of matrices", func(b *modelBuilder) {
			w := b.init(floatsTensor(b.t, "w", []int64{6, 6}, draw(36)...))
			b.node("MatMul", []string{"x", w}, []string{"a"})
			b.node("Add", []string{"a", b.init(floatsTensor(b.t, "bias", []int64{6}, draw(6)...))}, []string{"b"})
			b.node("Erf", []string{"b"}, []string{"z"})
		}, []string{"MatMul", "Add", "Erf"}}, // rows of 6 are too short
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			b.input("y", tensor.F32)
			c.build(b)
			b.outputs("z")
			s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoFusion: true})
			defer s.Close()
			defer plain.Close()
			x, y := f32(square, draw(144)...), f32(square, draw(288)[144:]...)
			got := fusedOf(t, s, nil, x, y)
			if !slices.Equal(got, c.want) {
				t.Errorf("steps %q, want %q", got, c.want)
			}
			out, ref := runWith(t, s, x, y), runWith(t, plain, x, y)
			defer release(out)
			defer release(ref)
			if !same(copyOf(out), copyOf(ref)) {
				t.Error("the fused steps give other bytes than the nodes one by one")
			}
		})
	}
}

// Nothing is fused over a value that somebody looks at.
func TestValuesLookedAtAreMade(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Relu", []string{"x"}, []string{"a"})
	b.node("Exp", []string{"a"}, []string{"b"})
	b.node("Neg", []string{"b"}, []string{"z"})
	b.outputs("z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	x := f32(tensor.Shape{40}, draw(40)...)
	if got := fusedOf(t, s, nil, x); !slices.Equal(got, []string{"Relu+Exp+Neg"}) {
		t.Errorf("the outputs alone: steps %q", got)
	}
	inner, err := s.Target([]string{"z", "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fusedOf(t, s, inner, x); !slices.Equal(got, []string{"Relu", "Exp+Neg"}) {
		t.Errorf("with an inner value: steps %q", got)
	}
	var seen []string
	c := &Call{In: []tensor.View{x}, Out: make([]Result, 1), Trace: func(e *Event) {
		for _, v := range e.Values {
			seen = append(seen, v.Name)
		}
	}}
	for range 2 { // a fused program is there already, and stays beside the other
		seen = seen[:0]
		if err := s.Run(c); err != nil {
			t.Fatal(err)
		}
		traced := copyOf(c.Out)
		release(c.Out)
		if !slices.Equal(seen, []string{"x", "a", "b", "z"}) {
			t.Errorf("the trace shows %q", seen)
		}
		out := runWith(t, s, x)
		if !same(copyOf(out), traced) {
			t.Error("a traced run gives other bytes")
		}
		release(out)
	}
}

// The plan's text names what a step stands for.
func TestThePlanShowsWhatIsFused(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("x", tensor.F32)
	b.node("Relu", []string{"x"}, []string{"a"})
	b.node("Exp", []string{"a"}, []string{"z"})
	b.outputs("z")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	e, err := s.Prepare(nil, []tensor.View{f32(tensor.Shape{40}, draw(40)...)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(e.String(), "0 Relu+Exp(x) -> z f32[40] io") {
		t.Errorf("the plan says %s", e)
	}
}

// A Relu is applied by the product itself where nothing else comes between: in all forms of
// a Gemm, whatever its rows and columns, it gives the bytes of a node of its own.
func TestARectifiedGemmHasTheBytesOfItsNodes(t *testing.T) {
	testkit.NoLeaks(t)
	nan := float32(math.NaN())
	for _, c := range []struct {
		name    string
		m, n, k int
		c       tensor.Shape // nil without
		fed     bool         // B comes with the run, transposed
		attrs   []onnx.Attr
	}{
		{name: "a bias for each column", m: 50, n: 20, k: 9, c: tensor.Shape{20}},
		{name: "one column", m: 50, n: 1, k: 33, c: tensor.Shape{1}},
		{name: "one row", m: 1, n: 70, k: 9, c: tensor.Shape{70}},
		{name: "a bias for each row", m: 35, n: 20, k: 9, c: tensor.Shape{35, 1}},
		{name: "a whole matrix is added", m: 35, n: 20, k: 9, c: tensor.Shape{35, 20}},
		{name: "a factor", m: 35, n: 20, k: 9, c: tensor.Shape{20}, attrs: []onnx.Attr{{Name: "alpha", Type: onnx.AttrFloat, F: 0.5}}},
		{name: "the transpose of what is fed", m: 4, n: 40, k: 9, c: tensor.Shape{40}, fed: true},
		{name: "nothing is added", m: 19, n: 33, k: 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			x := f32(tensor.Shape{c.m, c.k}, draw(c.m*c.k)...)
			tensor.Elems[float32](&x)[c.k/2] = nan
			in, names := []tensor.View{x}, []string{"x", "w"}
			if w := draw(c.n * c.k); c.fed {
				b.input("w", tensor.F32)
				in = append(in, f32(tensor.Shape{c.n, c.k}, w...))
				c.attrs = append(c.attrs, intAttr("transB", 1))
			} else {
				b.init(floatsTensor(b.t, "w", []int64{int64(c.k), int64(c.n)}, w...))
			}
			if c.c != nil {
				var dims []int64
				for _, d := range c.c {
					dims = append(dims, int64(d))
				}
				names = append(names, b.init(floatsTensor(b.t, "c", dims, draw(c.c.Elements())...)))
			}
			b.node("Gemm", names, []string{"g"}, c.attrs...)
			b.node("Relu", []string{"g"}, []string{"z"})
			b.outputs("z")
			s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoFusion: true})
			defer s.Close()
			defer plain.Close()
			if got := fusedOf(t, s, nil, in...); !slices.Equal(got, []string{"Gemm+Relu"}) {
				t.Errorf("steps %q", got)
			}
			out, ref := runWith(t, s, in...), runWith(t, plain, in...)
			defer release(out)
			defer release(ref)
			if !same(copyOf(out), copyOf(ref)) {
				t.Error("other bytes than the nodes one by one")
			}
		})
	}
}

// Channels that lie side by side are normalized with the bytes of a node of its own, in a
// chain or behind a product, whatever the rank.
func TestNormalizedRowsAreFused(t *testing.T) {
	testkit.NoLeaks(t)
	const rows, n = 7, 37
	numbers := draw(6 * n)
	for _, c := range []struct {
		name string
		rank int
		in   string
		want string
	}{
		{"a chain of rows", 2, "x", "BatchNormalization+HardSwish"},
		{"a chain of planes of one element", 4, "x", "BatchNormalization+HardSwish"},
		{"behind a product", 2, "p", "MatMul+BatchNormalization+HardSwish"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			if c.in == "p" {
				b.node("MatMul", []string{"x", b.init(floatsTensor(t, "w", []int64{n, n}, draw(n*n)...))}, []string{"p"})
			}
			of := []string{c.in}
			for i, name := range []string{"scale", "bias", "mean", "var"} {
				list := slices.Clone(numbers[i*n : (i+1)*n])
				for k, v := range list {
					if name == "var" {
						list[k] = v*v + 0.5
					}
				}
				of = append(of, b.init(floatsTensor(t, name, []int64{n}, list...)))
			}
			b.node("BatchNormalization", of, []string{"a"})
			b.node("HardSwish", []string{"a"}, []string{"z"})
			b.outputs("z")
			s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoFusion: true})
			defer s.Close()
			defer plain.Close()
			x := f32(tensor.Shape{rows, n, 1, 1}[:c.rank], draw(rows*n)...)
			tensor.Elems[float32](&x)[n+1] = float32(math.NaN())
			if got := fusedOf(t, s, nil, x); !slices.Equal(got, []string{c.want}) {
				t.Errorf("steps %q, want %q", got, c.want)
			}
			out, ref := runWith(t, s, x), runWith(t, plain, x)
			defer release(out)
			defer release(ref)
			if !same(copyOf(out), copyOf(ref)) {
				t.Error("other bytes than the nodes one by one")
			}
		})
	}
}
