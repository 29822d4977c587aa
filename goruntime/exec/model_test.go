package exec

import (
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/onnx"
	_ "github.com/goruntime/goruntime/goruntime/ops" // the operators
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// modelBuilder builds a model in Go: no file, no bytes.
type modelBuilder struct {
	t testing.TB
	m onnx.Model
}

func newModel(t testing.TB) *modelBuilder {
	// A model that was parsed knows where its external data lies; this one has none.
	m, err := onnx.Parse([]byte{0x3a, 0x00})
	if err != nil {
		t.Fatal(err)
	}
	m.IRVersion, m.Opsets = 10, []onnx.OpsetID{{Version: 21}}
	return &modelBuilder{t, *m}
}

// rawTensor returns a tensor with these little-endian bytes.
func rawTensor(t testing.TB, name string, dtype tensor.DType, dims []int64, raw []byte) onnx.Tensor {
	var b []byte
	for _, d := range dims {
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), uint64(d))
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(dtype))
	b = protowire.AppendString(protowire.AppendTag(b, 8, protowire.BytesType), name)
	b = protowire.AppendBytes(protowire.AppendTag(b, 9, protowire.BytesType), raw)
	out, err := onnx.ParseTensor(b)
	if err != nil {
		t.Fatal(err)
	}
	return *out
}

func floatsTensor(t testing.TB, name string, dims []int64, list ...float32) onnx.Tensor {
	var raw []byte
	for _, f := range list {
		raw = protowire.AppendFixed32(raw, math.Float32bits(f))
	}
	return rawTensor(t, name, tensor.F32, dims, raw)
}

func intsTensor(t testing.TB, name string, list ...int64) onnx.Tensor {
	var raw []byte
	for _, v := range list {
		raw = protowire.AppendFixed64(raw, uint64(v))
	}
	return rawTensor(t, name, tensor.I64, []int64{int64(len(list))}, raw)
}

func (b *modelBuilder) node(op string, in, out []string, attrs ...onnx.Attr) {
	b.m.Graph.Nodes = append(b.m.Graph.Nodes, onnx.Node{OpType: op, Inputs: in, Outputs: out, Attrs: attrs})
}

func (b *modelBuilder) init(t onnx.Tensor) string {
	b.m.Graph.Initializers = append(b.m.Graph.Initializers, t)
	return t.Name
}

func (b *modelBuilder) input(name string, dtype tensor.DType) {
	b.m.Graph.Inputs = append(b.m.Graph.Inputs, onnx.ValueInfo{Name: name, Type: onnx.Type{Kind: onnx.KindTensor, Elem: dtype}})
}

func (b *modelBuilder) outputs(names ...string) {
	b.m.Graph.Outputs = nil
	for _, n := range names {
		b.m.Graph.Outputs = append(b.m.Graph.Outputs, onnx.ValueInfo{Name: n})
	}
}

func intAttr(name string, v int64) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrInt, I: v}
}

func intsAttr(name string, v ...int64) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrInts, Ints: v}
}

func graphAttr(name string, g *onnx.Graph) onnx.Attr {
	return onnx.Attr{Name: name, Type: onnx.AttrGraph, G: g}
}

// subgraph is a branch of an If: nodes and one output.
func subgraph(out string, nodes ...onnx.Node) *onnx.Graph {
	return &onnx.Graph{Name: "branch", Nodes: nodes, Outputs: []onnx.ValueInfo{{Name: out}}}
}

func mustNew(t testing.TB, m *onnx.Model, o Options) *Session {
	t.Helper()
	s, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func f32(shape tensor.Shape, list ...float32) tensor.View {
	v, err := tensor.ViewOf(tensor.F32, shape, list)
	if err != nil {
		panic(err)
	}
	return v
}

func runWith(t testing.TB, s *Session, in ...tensor.View) []Result {
	t.Helper()
	c := &Call{In: in, Out: make([]Result, len(s.outputs.Names))}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	return c.Out
}

func release(list []Result) {
	for i := range list {
		list[i].Release()
	}
}
