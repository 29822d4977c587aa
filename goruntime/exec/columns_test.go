package exec

import (
	"fmt"
	"slices"
	"testing"
	"unsafe" //lint:allow unsafe columns are addresses

	"pgregory.net/rapid"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// columnsOf returns the matrix [N, K] of rows as columns that lie apart, with the
// rows from lo to hi.
func columnsOf(rows []float32, k, lo, hi int) tensor.View {
	v := tensor.View{DType: tensor.F32, Shape: tensor.Shape{hi - lo, k}, Columns: make([]unsafe.Pointer, k)}
	for c := range k {
		column := make([]float32, 0, hi-lo+1)
		for r := lo; r < hi; r++ {
			column = append(column, rows[r*k+c])
		}
		v.Columns[c] = unsafe.Pointer(unsafe.SliceData(column))
	}
	return v
}

func floatsAttr(name string, list []float32) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrFloats, Floats: list}
}

func (b *modelBuilder) mlNode(op string, in, out []string, attrs ...onnx.Attr) {
	b.node(op, in, out, attrs...)
	b.m.Graph.Nodes[len(b.m.Graph.Nodes)-1].Domain = "ai.onnx.ml"
}

// readers are what may read the matrix x [N, K] first, each with whether it takes it as
// columns. What they give is y.
var readers = []struct {
	name  string
	takes bool
	build func(b *modelBuilder, k int, draw func(n int) []float32)
}{
	{"Scaler", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.mlNode("Scaler", []string{"x"}, []string{"y"}, floatsAttr("offset", draw(k)), floatsAttr("scale", draw(k)))
	}},
	{"LinearRegressor", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.mlNode("LinearRegressor", []string{"x"}, []string{"y"}, floatsAttr("coefficients", draw(3*k)), floatsAttr("intercepts", draw(3)), intAttr("targets", 3))
	}},
	{"MatMul", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("MatMul", []string{"x", b.init(floatsTensor(b.t, "w", []int64{int64(k), 5}, draw(5*k)...))}, []string{"y"})
	}},
	{"MatMul with a tail", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		w, bias := b.init(floatsTensor(b.t, "w", []int64{int64(k), 70}, draw(70*k)...)), b.init(floatsTensor(b.t, "b", []int64{70}, draw(70)...))
		b.node("MatMul", []string{"x", w}, []string{"p"})
		b.node("Add", []string{"p", bias}, []string{"s"})
		b.node("Tanh", []string{"s"}, []string{"y"})
	}},
	{"Gemm", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		w, bias := b.init(floatsTensor(b.t, "w", []int64{70, int64(k)}, draw(70*k)...)), b.init(floatsTensor(b.t, "b", []int64{70}, draw(70)...))
		b.node("Gemm", []string{"x", w, bias}, []string{"s"}, intAttr("transB", 1))
		b.node("Sigmoid", []string{"s"}, []string{"y"})
	}},
	{"small trees", true, func(b *modelBuilder, k int, draw func(n int) []float32) { forest(b, 20, 3, k, draw) }},
	{"large trees", true, func(b *modelBuilder, k int, draw func(n int) []float32) { forest(b, 3, 8, k, draw) }},
	{"a chain over parts", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		w := b.init(floatsTensor(b.t, "w", []int64{int64(k)}, draw(k)...))
		b.node("Sub", []string{"x", w}, []string{"d"})
		b.node("Mul", []string{"d", "x"}, []string{"y"})
	}},
	{"one operator over parts", false, func(b *modelBuilder, _ int, _ func(n int) []float32) {
		b.node("Exp", []string{"x"}, []string{"y"})
	}},
	{"a Cast to what it is", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("Cast", []string{"x"}, []string{"c"}, intAttr("to", int64(tensor.F32)))
		b.mlNode("Scaler", []string{"c"}, []string{"s"}, floatsAttr("offset", draw(k)))
		b.node("Cast", []string{"s"}, []string{"y"}, intAttr("to", int64(tensor.F32)))
	}},
	{"two that take columns", true, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.mlNode("Scaler", []string{"x"}, []string{"s"}, floatsAttr("scale", draw(1)))
		b.mlNode("Normalizer", []string{"x"}, []string{"n"})
		b.node("Sub", []string{"s", "n"}, []string{"y"})
	}},
	{"one that does not", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.mlNode("Scaler", []string{"x"}, []string{"s"}, floatsAttr("scale", draw(1)))
		b.node("Sub", []string{"s", "x"}, []string{"y"})
	}},
	{"Gemm of the transpose", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("Gemm", []string{"x", "x"}, []string{"y"}, intAttr("transA", 1))
	}},
	{"a product's second side", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("Transpose", []string{"x"}, []string{"t"})
		b.node("MatMul", []string{"t", "x"}, []string{"y"})
	}},
	{"elementwise", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("Neg", []string{"x"}, []string{"n"})
		b.node("Exp", []string{"n"}, []string{"y"})
	}},
	{"nothing but the output", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("Identity", []string{"x"}, []string{"y"})
	}},
	{"a subgraph", false, func(b *modelBuilder, k int, draw func(n int) []float32) {
		b.node("ReduceSum", []string{"x"}, []string{"r"}, intAttr("keepdims", 0))
		b.node("Less", []string{"r", "r"}, []string{"less"})
		inner := []onnx.Node{{OpType: "Scaler", Domain: "ai.onnx.ml", Inputs: []string{"x"}, Outputs: []string{"z"}}}
		b.node("If", []string{"less"}, []string{"y"}, graphAttr("then_branch", subgraph("z", inner...)), graphAttr("else_branch", subgraph("z", inner...)))
	}},
}

// forest appends a TreeEnsembleRegressor of full trees for two targets in turn.
func forest(b *modelBuilder, trees, depth, k int, draw func(n int) []float32) {
	var tree, node, feature, yes, no, leafTree, leafNode, target []int64
	var modes [][]byte
	var value, weight []float32
	inner := 1<<depth - 1
	for t := range trees {
		split := draw(inner)
		for i := range 2*inner + 1 {
			tree, node = append(tree, int64(t)), append(node, int64(i))
			f, v, mode := int64(0), float32(0), "LEAF"
			if i < inner {
				f, v, mode = int64(i*7+t)%int64(k), split[i], []string{"BRANCH_LEQ", "BRANCH_LT"}[i%2]
			} else {
				leafTree, leafNode, target = append(leafTree, int64(t)), append(leafNode, int64(i)), append(target, int64(t%2))
			}
			feature, value, modes = append(feature, f), append(value, v), append(modes, []byte(mode))
			yes, no = append(yes, int64(2*i+1)%int64(2*inner+1)), append(no, int64(2*i+2)%int64(2*inner+1))
		}
	}
	weight = draw(len(target))
	b.mlNode("TreeEnsembleRegressor", []string{"x"}, []string{"y"}, intAttr("n_targets", 2),
		intsAttr("nodes_treeids", tree...), intsAttr("nodes_nodeids", node...), intsAttr("nodes_featureids", feature...), floatsAttr("nodes_values", value),
		onnx.Attr{Name: "nodes_modes", Type: onnx.AttrStrings, Strings: modes}, intsAttr("nodes_truenodeids", yes...), intsAttr("nodes_falsenodeids", no...),
		intsAttr("target_treeids", leafTree...), intsAttr("target_nodeids", leafNode...), intsAttr("target_ids", target...), floatsAttr("target_weights", weight))
}

// rowCopies is how many copies of columns or of parts to rows were made.
func rowCopies(s *Session) int64 {
	c := s.IO().Stats().Copies
	return c[arena.CopyInterleave] + c[arena.CopyCoalesce]
}

// runColumns runs s on x and returns the values of y and how many copies of x were made.
func runColumns(t testing.TB, s *Session, x tensor.View, threads int) (y []float32, copies int64) {
	t.Helper()
	before := rowCopies(s)
	c := &Call{In: []tensor.View{x}, Out: make([]Result, 1), Threads: threads}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	defer release(c.Out)
	return slices.Clone(tensor.Elems[float32](&c.Out[0].View)), rowCopies(s) - before
}

// chainReaders are the readers that are chains, which take no columns but parts that are dense,
// with how many columns it takes for a chain.
var chainReaders = map[string]int{"a chain over parts": chainLine, "one operator over parts": 1, "elementwise": 1, "one that does not": 1}

// partsOf returns a matrix of k columns in parts that are drawn, dense and as columns.
func partsOf(t *rapid.T, rows []float32, k int) tensor.View {
	n := len(rows) / k
	v := tensor.View{DType: tensor.F32, Shape: tensor.Shape{n, k}, Parts: []tensor.Part{}}
	longest := rapid.SampledFrom([]int{1, 5, 30, 200}).Draw(t, "longest part")
	for at := 0; at < n; {
		end := at + min(n-at, rapid.IntRange(1, longest).Draw(t, "rows of a part"))
		p := tensor.Part{First: at, End: end}
		if rapid.Bool().Draw(t, "as columns") {
			p.Columns = columnsOf(rows, k, at, end).Columns
		} else {
			part := f32(tensor.Shape{end - at, k}, rows[at*k:end*k]...)
			p.Data = part.Data
		}
		v.Parts = append(v.Parts, p)
		at = end
	}
	return v
}

// Whatever reads a matrix first, it gives the same bits for columns, for parts and for
// rows: all at once, split, at one and two threads. What takes columns has them uncopied.
func TestColumnsGiveTheBitsOfRows(t *testing.T) {
	testkit.NoLeaks(t)
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				n, k := rapid.IntRange(0, 90).Draw(rt, "rows"), rapid.IntRange(1, 40).Draw(rt, "columns")
				if rapid.IntRange(0, 9).Draw(rt, "many") == 0 {
					n *= 60
				}
				seed := rapid.Uint32().Draw(rt, "seed")
				draw := func(n int) []float32 {
					list := make([]float32, n)
					for i := range list {
						seed = seed*1664525 + 1013904223
						list[i] = float32(int32(seed)) / (1 << 30)
					}
					return list
				}
				b := newModel(t)
				b.m.Opsets = append(b.m.Opsets, onnx.OpsetID{Domain: "ai.onnx.ml", Version: 3})
				b.input("x", tensor.F32)
				r.build(b, k, draw)
				b.outputs("y")
				s := mustNew(t, &b.m, Options{})
				defer s.Close()
				rows := draw(n * k)
				want, copies := runColumns(t, s, f32(tensor.Shape{n, k}, rows...), 1)
				if copies != 0 {
					rt.Fatalf("rows were interleaved %d times", copies)
				}
				most := int64(1)
				if r.takes {
					most = 0
				}
				for _, threads := range []int{1, 2} {
					got, copies := runColumns(t, s, columnsOf(rows, k, 0, n), threads)
					if !slices.Equal(got, want) || copies != most {
						rt.Fatalf("%d threads: the values differ or %d interleaves were counted, want %d\n got %v\nwant %v", threads, copies, most, got, want)
					}
				}
				parts := partsOf(rt, rows, k)
				dense := !slices.ContainsFunc(parts.Parts, func(p tensor.Part) bool { return p.Columns != nil })
				least, chains := chainReaders[r.name]
				inPlace := dense && chains && n > 0 && (k >= least || k == 1 || n == 1)
				got, copies := runColumns(t, s, parts, rapid.IntRange(1, 2).Draw(rt, "threads"))
				if !slices.Equal(got, want) || !inPlace && copies != most || inPlace && copies != 0 {
					rt.Fatalf("in parts, in place %v, the values differ or %d copies were counted\n got %v\nwant %v", inPlace, copies, got, want)
				}
				if cut := rapid.IntRange(0, n).Draw(rt, "cut"); r.takes && n > 0 {
					head, _ := runColumns(t, s, columnsOf(rows, k, 0, cut), 1)
					rest, _ := runColumns(t, s, columnsOf(rows, k, cut, n), 2)
					if !slices.Equal(append(head, rest...), want) {
						rt.Fatalf("split behind row %d the values differ", cut)
					}
				}
			})
		})
	}
}

// Whoever looks at a run, or at the value itself, sees a dense tensor.
func TestColumnsAreSeenAsRows(t *testing.T) {
	testkit.NoLeaks(t)
	b := newModel(t)
	b.m.Opsets = append(b.m.Opsets, onnx.OpsetID{Domain: "ai.onnx.ml", Version: 3})
	b.input("x", tensor.F32)
	b.mlNode("Scaler", []string{"x"}, []string{"y"}, floatsAttr("scale", []float32{2}))
	b.outputs("y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	rows := []float32{1, 2, 3, 4, 5, 6}
	seen := map[string]string{}
	c := &Call{In: []tensor.View{columnsOf(rows, 3, 0, 2)}, Out: make([]Result, 1), Trace: func(e *Event) {
		for _, v := range e.Values {
			seen[v.Name] = fmt.Sprint(e.Kind, v.View, tensor.Elems[float32](v.View))
		}
	}}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	release(c.Out)
	if want := "inputf32[2, 3] [1 2 3 4 5 6]"; seen["x"] != want {
		t.Errorf("the trace shows x as %s, want %s", seen["x"], want)
	}
	if want := "nodef32[2, 3] [2 4 6 8 10 12]"; seen["y"] != want {
		t.Errorf("the trace shows y as %s, want %s", seen["y"], want)
	}
	inner, err := s.Target([]string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	c = &Call{Target: inner, In: []tensor.View{columnsOf(rows, 3, 0, 2)}, Out: make([]Result, 2)}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	defer release(c.Out)
	if got := tensor.Elems[float32](&c.Out[0].View); !slices.Equal(got, rows) {
		t.Errorf("x is %v, want %v", got, rows)
	}
}

// joiners put columns side by side; takes is whether nothing is copied for it.
var joiners = []struct {
	name  string
	takes bool
	build func(b *modelBuilder, names []string, draw func(n int) []float32)
}{
	{"Concat for a Scaler", true, func(b *modelBuilder, names []string, draw func(n int) []float32) {
		b.node("Concat", names, []string{"x"}, intAttr("axis", 1))
		b.mlNode("Scaler", []string{"x"}, []string{"y"}, floatsAttr("offset", draw(len(names))))
	}},
	{"FeatureVectorizer for two", true, func(b *modelBuilder, names []string, draw func(n int) []float32) {
		b.mlNode("FeatureVectorizer", names, []string{"x"})
		b.mlNode("Scaler", []string{"x"}, []string{"s"}, floatsAttr("scale", draw(1)))
		b.mlNode("Normalizer", []string{"x"}, []string{"n"})
		b.node("Add", []string{"s", "n"}, []string{"y"})
	}},
	{"Concat of what the run makes", true, func(b *modelBuilder, names []string, draw func(n int) []float32) {
		made := make([]string, len(names))
		for i, name := range names {
			made[i] = "m" + name
			b.node([]string{"Exp", "Neg"}[i%2], []string{name}, []string{made[i]})
		}
		b.node("Concat", made, []string{"x"}, intAttr("axis", -1))
		b.mlNode("LinearRegressor", []string{"x"}, []string{"r"}, floatsAttr("coefficients", draw(2*len(names))), intAttr("targets", 2))
		b.node("Concat", []string{"r", made[0]}, []string{"y"}, intAttr("axis", 1))
	}},
	{"Concat that is looked at", false, func(b *modelBuilder, names []string, draw func(n int) []float32) {
		b.node("Concat", names, []string{"x"}, intAttr("axis", 1))
		b.mlNode("Scaler", []string{"x"}, []string{"s"}, floatsAttr("offset", draw(len(names))))
		b.node("Mul", []string{"s", "x"}, []string{"y"})
	}},
	{"Concat of rows", false, func(b *modelBuilder, names []string, draw func(n int) []float32) {
		b.node("Concat", names, []string{"x"}, intAttr("axis", 0))
		b.mlNode("Scaler", []string{"x"}, []string{"y"}, floatsAttr("scale", draw(1)))
	}},
}

// A matrix that a model puts together of columns is read where they lie, and gives the
// bits that it gives when it is made.
func TestColumnsOfAModelAreReadInPlace(t *testing.T) {
	testkit.NoLeaks(t)
	for _, j := range joiners {
		t.Run(j.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				n, k := rapid.IntRange(0, 90).Draw(rt, "rows"), rapid.IntRange(2, 20).Draw(rt, "columns")
				seed := rapid.Uint32().Draw(rt, "seed")
				draw := func(n int) []float32 {
					list := make([]float32, n)
					for i := range list {
						seed = seed*1664525 + 1013904223
						list[i] = float32(int32(seed)) / (1 << 30)
					}
					return list
				}
				b := newModel(t)
				b.m.Opsets = append(b.m.Opsets, onnx.OpsetID{Domain: "ai.onnx.ml", Version: 3})
				var names []string
				c := &Call{Out: make([]Result, 1)}
				for i := range k {
					names = append(names, fmt.Sprint("f", i))
					b.input(names[i], tensor.F32)
					c.In = append(c.In, f32(tensor.Shape{n, 1}, draw(n)...))
				}
				j.build(b, names, draw)
				b.outputs("y")
				var got [2][]float32
				for form, o := range []Options{{NoFusion: true}, {}} {
					s := mustNew(t, &b.m, o)
					for range 2 {
						if err := s.Run(c); err != nil {
							rt.Fatal(err)
						}
						got[form] = slices.Clone(tensor.Elems[float32](&c.Out[0].View))
						release(c.Out)
					}
					e, err := s.Prepare(nil, c.In)
					if err != nil {
						rt.Fatal(err)
					}
					for _, v := range e.Values {
						if want := form == 1 && j.takes; v.Name == "x" && (v.Role == "columns") != want {
							rt.Errorf("x lies as %s, want columns: %v", v.Role, want)
						}
					}
					s.Close()
				}
				if !slices.Equal(got[0], got[1]) {
					rt.Fatalf("the values differ\n got %v\nwant %v", got[1], got[0])
				}
			})
		})
	}
}
