package onnx

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dumper writes a model in the form of testdata/make.py: a line for each field.
type dumper struct{ lines []string }

func (d *dumper) line(path, format string, args ...any) {
	d.lines = append(d.lines, path+" "+fmt.Sprintf(format, args...))
}

func (d *dumper) text(path, s string)       { d.line(path, "= %x", s) }
func (d *dumper) number(path string, n any) { d.line(path, "= %d", n) }
func (d *dumper) float(path string, f float32) {
	d.line(path, "= %x", binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(f))))
}

// list calls show with the path of each element of a list.
func list[T any](path string, l []T, show func(path string, v *T)) {
	for i := range l {
		show(fmt.Sprintf("%s[%d]", path, i), &l[i])
	}
}

func (d *dumper) texts(path string, l []string) {
	list(path, l, func(p string, s *string) { d.text(p, *s) })
}

func (d *dumper) entries(path string, l []KeyValue) {
	list(path, l, func(p string, kv *KeyValue) {
		d.line(p, "{}")
		d.text(p+".key", kv.Key)
		d.text(p+".value", kv.Value)
	})
}

func (d *dumper) opsets(path string, l []OpsetID) {
	list(path, l, func(p string, o *OpsetID) {
		d.line(p, "{}")
		d.text(p+".domain", o.Domain)
		d.number(p+".version", o.Version)
	})
}

func (d *dumper) model(m *Model) {
	d.number("ir_version", m.IRVersion)
	d.text("producer_name", m.ProducerName)
	d.text("producer_version", m.ProducerVersion)
	d.text("domain", m.Domain)
	d.number("model_version", m.ModelVersion)
	d.text("doc_string", m.Doc)
	d.graph("graph", m.Graph)
	d.opsets("opset_import", m.Opsets)
	d.entries("metadata_props", m.Metadata)
	list("functions", m.Functions, func(p string, f **Function) { d.function(p, *f) })
}

func (d *dumper) graph(p string, g *Graph) {
	d.line(p, "{}")
	d.text(p+".name", g.Name)
	d.text(p+".doc_string", g.Doc)
	list(p+".node", g.Nodes, d.node)
	list(p+".input", g.Inputs, d.value)
	list(p+".output", g.Outputs, d.value)
	list(p+".value_info", g.ValueInfo, d.value)
	list(p+".initializer", g.Initializers, d.tensor)
	list(p+".sparse_initializer", g.SparseInitializers, d.sparse)
	d.entries(p+".metadata_props", g.Metadata)
}

func (d *dumper) node(p string, n *Node) {
	d.line(p, "{}")
	d.text(p+".name", n.Name)
	d.text(p+".op_type", n.OpType)
	d.text(p+".domain", n.Domain)
	d.text(p+".overload", n.Overload)
	d.text(p+".doc_string", n.Doc)
	d.texts(p+".input", n.Inputs)
	d.texts(p+".output", n.Outputs)
	list(p+".attribute", n.Attrs, d.attr)
	d.entries(p+".metadata_props", n.Metadata)
}

func (d *dumper) function(p string, f *Function) {
	d.line(p, "{}")
	d.text(p+".name", f.Name)
	d.text(p+".domain", f.Domain)
	d.text(p+".overload", f.Overload)
	d.text(p+".doc_string", f.Doc)
	d.texts(p+".input", f.Inputs)
	d.texts(p+".output", f.Outputs)
	d.texts(p+".attribute", f.Attrs)
	list(p+".attribute_proto", f.AttrDefaults, d.attr)
	list(p+".node", f.Nodes, d.node)
	d.opsets(p+".opset_import", f.Opsets)
	list(p+".value_info", f.ValueInfo, d.value)
	d.entries(p+".metadata_props", f.Metadata)
}

func (d *dumper) attr(p string, a *Attr) {
	d.line(p, "{}")
	d.text(p+".name", a.Name)
	d.text(p+".ref_attr_name", a.RefName)
	d.text(p+".doc_string", a.Doc)
	d.number(p+".type", int32(a.Type))
	d.float(p+".f", a.F)
	d.number(p+".i", a.I)
	d.text(p+".s", string(a.S))
	if a.T != nil {
		d.tensor(p+".t", a.T)
	}
	if a.G != nil {
		d.graph(p+".g", a.G)
	}
	if a.Sparse != nil {
		d.sparse(p+".sparse_tensor", a.Sparse)
	}
	if a.TP != nil {
		d.typ(p+".tp", a.TP)
	}
	list(p+".floats", a.Floats, func(p string, f *float32) { d.float(p, *f) })
	list(p+".ints", a.Ints, func(p string, n *int64) { d.number(p, *n) })
	list(p+".strings", a.Strings, func(p string, s *[]byte) { d.text(p, string(*s)) })
	list(p+".tensors", a.Tensors, d.tensor)
	list(p+".graphs", a.Graphs, func(p string, g **Graph) { d.graph(p, *g) })
	list(p+".sparse_tensors", a.Sparses, d.sparse)
	list(p+".type_protos", a.Types, d.typ)
}

func (d *dumper) value(p string, v *ValueInfo) {
	d.line(p, "{}")
	d.text(p+".name", v.Name)
	d.text(p+".doc_string", v.Doc)
	if v.Type.Kind != KindUndefined {
		d.typ(p+".type", &v.Type)
	}
	d.entries(p+".metadata_props", v.Metadata)
}

func (d *dumper) typ(p string, t *Type) {
	d.line(p, "{}")
	d.text(p+".denotation", t.Denotation)
	kind := p + map[Kind]string{
		KindTensor: ".tensor_type", KindSparseTensor: ".sparse_tensor_type", KindSequence: ".sequence_type",
		KindOptional: ".optional_type", KindMap: ".map_type", KindOpaque: ".opaque_type",
	}[t.Kind]
	d.line(kind, "{}")
	switch t.Kind {
	case KindTensor, KindSparseTensor:
		d.number(kind+".elem_type", t.Elem)
		if t.HasShape {
			d.line(kind+".shape", "{}")
		}
		list(kind+".shape.dim", t.Dims, func(p string, v *Dim) {
			d.line(p, "{}")
			if v.Known {
				d.line(p+".dim_value", "= %d", v.Value)
			}
			d.text(p+".dim_param", v.Param)
			d.text(p+".denotation", v.Denotation)
		})
	case KindSequence, KindOptional:
		d.typ(kind+".elem_type", t.Of)
	case KindMap:
		d.number(kind+".key_type", t.Key)
		d.typ(kind+".value_type", t.Of)
	case KindOpaque:
		d.text(kind+".domain", t.OpaqueDomain)
		d.text(kind+".name", t.OpaqueName)
	}
}

func (d *dumper) tensor(p string, t *Tensor) {
	d.line(p, "{}")
	d.text(p+".name", t.Name)
	d.text(p+".doc_string", t.Doc)
	d.number(p+".data_type", t.DType)
	list(p+".dims", t.Dims, func(p string, n *int64) { d.number(p, *n) })
	d.entries(p+".metadata_props", t.Metadata)
	if t.external != nil {
		d.text(p+".location", t.external.location)
		d.text(p+".offset", strconv.FormatInt(t.external.offset, 10))
		d.text(p+".length", strconv.FormatInt(t.external.length, 10))
		d.number(p+".data_location", 1)
		return
	}
	b, err := t.bytes()
	if err != nil {
		d.line(p, "%v", err)
	}
	d.line(p+".payload", "= %s", hex.EncodeToString(b))
}

func (d *dumper) sparse(p string, s *SparseTensor) {
	d.line(p, "{}")
	d.tensor(p+".values", &s.Values)
	d.tensor(p+".indices", &s.Indices)
	list(p+".dims", s.Dims, func(p string, n *int64) { d.number(p, *n) })
}

// meaningful drops what the reader cannot tell from a field that is not set: a
// single value that is zero.
func meaningful(lines []string) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		path, value, _ := strings.Cut(l, " = ")
		return !strings.HasSuffix(path, "]") && !strings.HasSuffix(path, "dim_value") && strings.Contains(l, " = ") && strings.Trim(value, "0") == ""
	})
	slices.Sort(lines)
	return lines
}

func TestEveryFieldIsReadAsTheOnnxPackageReadsIt(t *testing.T) {
	m, err := Open("testdata/kitchen.onnx")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	text, err := os.ReadFile("testdata/kitchen.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := meaningful(strings.Split(strings.TrimSpace(string(text)), "\n"))
	compareDump(t, m, want)

	again, err := Parse(m.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	compareDump(t, again, want)
}

func compareDump(t *testing.T, m *Model, want []string) {
	t.Helper()
	var d dumper
	d.model(m)
	got := meaningful(d.lines)
	for _, l := range got {
		if _, ok := slices.BinarySearch(want, l); !ok {
			t.Errorf("only read here: %s", l)
		}
	}
	for _, l := range want {
		if _, ok := slices.BinarySearch(got, l); !ok {
			t.Errorf("not read here: %s", l)
		}
	}
}
