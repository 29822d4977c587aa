package exec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Rows of any shape in parts give the bits of those that lie side by side; what is
// elementwise has them uncopied.
func TestPartsGiveTheBitsOfRows(t *testing.T) {
	testkit.NoLeaks(t)
	for _, r := range []struct {
		name   string
		copies int64
		build  func(b *modelBuilder)
	}{
		{"elementwise", 0, func(b *modelBuilder) {
			b.node("Mul", []string{"x", "x"}, []string{"square"})
			b.node("Add", []string{"square", b.init(floatsTensor(b.t, "one", nil, 1))}, []string{"y"})
		}},
		{"one operator", 0, func(b *modelBuilder) { b.node("Exp", []string{"x"}, []string{"y"}) }},
		{"a sum", 1, func(b *modelBuilder) { b.node("ReduceSum", []string{"x"}, []string{"y"}, intAttr("keepdims", 0)) }},
		{"another shape", 1, func(b *modelBuilder) { b.node("Flatten", []string{"x"}, []string{"y"}) }},
		{"the output", 1, func(b *modelBuilder) { b.node("Identity", []string{"x"}, []string{"y"}) }},
		{"two readers", 1, func(b *modelBuilder) {
			b.node("ReduceMax", []string{"x"}, []string{"m"}, intAttr("keepdims", 0))
			b.node("Sub", []string{"x", "m"}, []string{"y"})
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newModel(t)
			b.input("x", tensor.F32)
			r.build(b)
			b.outputs("y")
			s := mustNew(t, &b.m, Options{})
			defer s.Close()
			rapid.Check(t, func(rt *rapid.T) {
				row := rapid.SampledFrom([]tensor.Shape{{}, {1}, {7}, {2, 3}, {5, 1, 2}, {40, 9}}).Draw(rt, "shape of a row")
				n, line := rapid.IntRange(1, 90).Draw(rt, "rows"), row.Elements()
				list := make([]float32, n*line)
				for i := range list {
					list[i] = float32(i%23)/8 - 1
				}
				shape := append(tensor.Shape{n}, row...)
				want, _ := runColumns(t, s, f32(shape, list...), 1)
				parts := tensor.View{DType: tensor.F32, Shape: shape}
				for at := 0; at < n; {
					end := at + rapid.IntRange(1, n-at).Draw(rt, "rows of a part")
					part := f32(append(tensor.Shape{end - at}, row...), list[at*line:end*line]...)
					parts.Parts = append(parts.Parts, tensor.Part{First: at, End: end, Data: part.Data})
					at = end
				}
				got, copies := runColumns(t, s, parts, rapid.IntRange(1, 2).Draw(rt, "threads"))
				if !slices.Equal(got, want) || copies != r.copies {
					rt.Fatalf("rows of %v in %d parts: %d copies, want %d; the values are\n%v, want\n%v", row, len(parts.Parts), copies, r.copies, got, want)
				}
			})
		})
	}
}

// cutAlike returns columns [n, 1] in parts of the same rows, which are drawn.
func cutAlike(t *rapid.T, columns [][]float32) []tensor.View {
	n, made := len(columns[0]), make([]tensor.View, len(columns))
	for i := range made {
		made[i] = tensor.View{DType: tensor.F32, Shape: tensor.Shape{n, 1}, Parts: []tensor.Part{}}
	}
	for at := 0; at < n; {
		end := at + rapid.IntRange(1, n-at).Draw(t, "rows of a part")
		for i, x := range columns {
			part := f32(tensor.Shape{end - at, 1}, x[at:end]...)
			made[i].Parts = append(made[i].Parts, tensor.Part{First: at, End: end, Data: part.Data})
		}
		at = end
	}
	return made
}

// Several inputs in parts give the bits that they give side by side. Chains read them in
// place; so does what takes columns, where a model joins them; what others read is copied.
func TestInputsInPartsGiveTheBitsOfRows(t *testing.T) {
	testkit.NoLeaks(t)
	scaled := func(b *modelBuilder, names []string, out string) {
		b.node("Concat", names, []string{"x"}, intAttr("axis", 1))
		b.mlNode("Scaler", []string{"x"}, []string{out}, floatsAttr("scale", []float32{0.3}))
	}
	for _, r := range []struct {
		name   string
		copies func(k int) int64
		build  func(b *modelBuilder, names []string)
	}{
		{"a chain", func(int) int64 { return 0 }, func(b *modelBuilder, names []string) {
			b.node("Mul", []string{"f0", "f1"}, []string{"m"})
			for i, name := range names {
				b.node("Add", []string{[]string{"m", "s"}[min(i, 1)] + strings.Repeat("'", max(0, i-1)), name}, []string{"s" + strings.Repeat("'", i)})
			}
			b.node("Exp", []string{"s" + strings.Repeat("'", len(names)-1)}, []string{"y"})
		}},
		{"joined for a Scaler", func(int) int64 { return 0 }, func(b *modelBuilder, names []string) { scaled(b, names, "y") }},
		{"joined, and one read beside", func(int) int64 { return 1 }, func(b *modelBuilder, names []string) {
			scaled(b, names, "scaled")
			b.node("ReduceMax", []string{"f1"}, []string{"most"}, intAttr("keepdims", 0))
			b.node("Sub", []string{"scaled", "most"}, []string{"y"})
		}},
		{"joined with what the run makes", func(k int) int64 { return int64(k) - 1 }, func(b *modelBuilder, names []string) {
			b.node("Exp", []string{"f0"}, []string{"made"})
			scaled(b, append([]string{"made"}, names[1:]...), "y")
		}},
		{"joined for nobody who takes it", func(k int) int64 { return int64(k) }, func(b *modelBuilder, names []string) {
			b.node("Concat", names, []string{"x"}, intAttr("axis", 1))
			b.node("ReduceSum", []string{"x"}, []string{"y"}, intAttr("keepdims", 0))
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			for _, k := range []int{2, 5} {
				b := newModel(t)
				b.m.Opsets = append(b.m.Opsets, onnx.OpsetID{Domain: "ai.onnx.ml", Version: 3})
				var names []string
				for i := range k {
					names = append(names, fmt.Sprint("f", i))
					b.input(names[i], tensor.F32)
				}
				r.build(b, names)
				b.outputs("y")
				s := mustNew(t, &b.m, Options{})
				rapid.Check(t, func(rt *rapid.T) {
					n := rapid.IntRange(1, 90).Draw(rt, "rows")
					columns, c := make([][]float32, k), &Call{Out: make([]Result, 1), Threads: rapid.IntRange(1, 2).Draw(rt, "threads")}
					for i := range columns {
						for row := range n {
							columns[i] = append(columns[i], float32((7*i+3*row)%23)/8-1)
						}
						c.In = append(c.In, f32(tensor.Shape{n, 1}, columns[i]...))
					}
					var got [3][]float32
					for round, in := range [][]tensor.View{c.In, cutAlike(rt, columns), cutAlike(rt, columns)} {
						before := rowCopies(s)
						c.In = in
						if err := s.Run(c); err != nil {
							rt.Fatal(err)
						}
						got[round] = slices.Clone(tensor.Elems[float32](&c.Out[0].View))
						release(c.Out)
						if copies := rowCopies(s) - before; round > 0 && copies != r.copies(k) {
							rt.Fatalf("%d copies of %d columns in %d parts, want %d", copies, k, len(in[0].Parts), r.copies(k))
						}
					}
					if !slices.Equal(got[0], got[1]) || !slices.Equal(got[0], got[2]) {
						rt.Fatalf("in parts\n%v and\n%v, want\n%v", got[1], got[2], got[0])
					}
				})
				s.Close()
			}
		})
	}
}

func TestPartsOfOtherRowsAreRefused(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.input("a", tensor.F32)
	b.input("b", tensor.F32)
	b.node("Add", []string{"a", "b"}, []string{"y"})
	b.outputs("y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	cut := func(at int) tensor.View {
		x := f32(tensor.Shape{4}, 1, 2, 3, 4)
		rest := f32(tensor.Shape{4 - at}, tensor.Elems[float32](&x)[at:]...)
		return tensor.View{DType: tensor.F32, Shape: tensor.Shape{4}, Parts: []tensor.Part{{End: at, Data: x.Data}, {First: at, End: 4, Data: rest.Data}}}
	}
	c := &Call{In: []tensor.View{cut(1), cut(3)}, Out: make([]Result, 1)}
	if err := s.Run(c); errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), "its parts are of other rows than those of another input") {
		t.Errorf("parts of other rows: %v", err)
	}
	c.In[1] = cut(1)
	if err := s.Run(c); err != nil || !slices.Equal(tensor.Elems[float32](&c.Out[0].View), []float32{2, 4, 6, 8}) {
		t.Errorf("parts of the same rows: %v, %v", c.Out[0].View, err)
	}
	release(c.Out)
}
