package onnx

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestParseFollowsTheRulesOfProtobuf(t *testing.T) {
	g := str(7, str(2, "g"))
	for _, c := range []struct {
		name  string
		input []byte
		check func(m *Model) bool
	}{
		{"the last of a single value wins", msg(num(1, 3), g, num(1, 8)), func(m *Model) bool { return m.IRVersion == 8 }},
		{"unknown fields are skipped", msg(str(99, "x"), num(98, 1), flt(97, 1), g), func(m *Model) bool { return m.Graph.Name == "g" }},
		{"unknown groups are skipped", msg([]byte{90<<3&0x7f | 3 | 0x80, 90 >> 4}, num(1, 99), []byte{90<<3&0x7f | 4 | 0x80, 90 >> 4}, g), func(m *Model) bool { return m.IRVersion == 0 }},
		{"a field of another wire type is unknown", msg(str(1, "x"), num(2, 7), g), func(m *Model) bool { return m.IRVersion == 0 && m.ProducerName == "" }},
		{"a message that comes twice is merged", msg(str(7, msg(str(2, "a"), str(1, str(4, "Add")))), str(7, msg(str(2, "b"), str(1, str(4, "Mul"))))), func(m *Model) bool {
			return m.Graph.Name == "b" && len(m.Graph.Nodes) == 2 && m.Graph.Nodes[1].OpType == "Mul"
		}},
		{"training information is not read", msg(g, str(20, str(2, str(2, "algorithm")))), func(m *Model) bool { return m.Graph.Name == "g" }},
		{"opset imports may be duplicated", msg(g, str(8, num(2, 17)), str(8, msg(str(1, "ai.onnx"), num(2, 21))), str(8, num(2, 13))), func(m *Model) bool {
			v, ok := m.Opset("")
			w, _ := m.Opset("ai.onnx")
			_, other := m.Opset("com.example")
			return len(m.Opsets) == 3 && ok && v == 21 && w == 21 && !other
		}},
		{"names may have any bytes", msg(str(7, str(1, msg(str(1, "\xff/\x00 a"), str(1, ""))))), func(m *Model) bool {
			return slices.Equal(m.Graph.Nodes[0].Inputs, []string{"\xff/\x00 a", ""})
		}},
	} {
		m, err := Parse(c.input)
		if err != nil || !c.check(m) {
			t.Errorf("%s: %+v %v", c.name, m, err)
		}
	}
}

func TestParseTypeTakesTheLastAlternative(t *testing.T) {
	tensorType := func(dims ...[]byte) []byte { return str(1, msg(num(1, 1), str(2, msg(dims...)))) }
	for _, c := range []struct {
		name  string
		input []byte
		want  Type
	}{
		{
			"the last kind", msg(tensorType(str(1, num(1, 2))), str(4, str(1, tensorType()))),
			Type{Kind: KindSequence, Of: &Type{Kind: KindTensor, Elem: tensor.F32, HasShape: true}},
		},
		{
			"the same kind twice", msg(tensorType(str(1, num(1, 2))), tensorType(str(1, str(2, "n")))),
			Type{Kind: KindTensor, Elem: tensor.F32, HasShape: true, Dims: []Dim{{Known: true, Value: 2}, {Param: "n"}}},
		},
		{
			"the last of a dimension", tensorType(str(1, msg(str(2, "n"), num(1, 0))), str(1, msg(num(1, 4), str(2, "m")))),
			Type{Kind: KindTensor, Elem: tensor.F32, HasShape: true, Dims: []Dim{{Known: true}, {Param: "m"}}},
		},
		{"a scalar", tensorType(), Type{Kind: KindTensor, Elem: tensor.F32, HasShape: true}},
		{"no rank", str(1, num(1, 7)), Type{Kind: KindTensor, Elem: tensor.I64}},
	} {
		got, err := ParseType(c.input)
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+v %v", c.name, got, err)
		}
	}
}

func TestTypeStringIsTheSchemas(t *testing.T) {
	f := &Type{Kind: KindTensor, Elem: tensor.F32}
	for want, v := range map[string]*Type{
		"tensor(float)":                f,
		"seq(tensor(float))":           {Kind: KindSequence, Of: f},
		"optional(seq(tensor(float)))": {Kind: KindOptional, Of: &Type{Kind: KindSequence, Of: f}},
		"map(int64,tensor(float))":     {Kind: KindMap, Key: tensor.I64, Of: f},
		"sparse_tensor(double)":        {Kind: KindSparseTensor, Elem: tensor.F64},
		"opaque(d,n)":                  {Kind: KindOpaque, OpaqueDomain: "d", OpaqueName: "n"},
		"undefined":                    nil,
	} {
		if got := v.String(); got != want {
			t.Errorf("%s, %s expected", got, want)
		}
	}
}

func TestParseAttrTakesTheTypeOfItsValue(t *testing.T) {
	for want, value := range map[AttrType][]byte{
		AttrFloat: flt(2, 0), AttrInt: num(3, 0), AttrString: str(4, ""), AttrInts: str(8, packed(1, 2)), AttrFloats: flt(7, 1),
		AttrUndefined: nil,
	} {
		n, err := ParseNode(str(5, msg(str(1, "a"), value)))
		if err != nil || n.Attrs[0].Type != want {
			t.Errorf("%v: %+v %v", want, n, err)
		}
	}
}

func TestParseListsPackedAndNot(t *testing.T) {
	n, err := ParseNode(str(5, msg(num(8, 5), str(8, packed(-1, 300)), num(8, 7), str(7, "\x00\x00\x80\x3f\x00\x00\x00\x40"), flt(7, 3))))
	if err != nil {
		t.Fatal(err)
	}
	if a := n.Attrs[0]; !slices.Equal(a.Ints, []int64{5, -1, 300, 7}) || !slices.Equal(a.Floats, []float32{1, 2, 3}) {
		t.Errorf("%+v", a)
	}
}

// nested returns a graph inside attributes of nodes, depth times.
func nested(depth int) []byte {
	var g []byte
	for range depth {
		g = str(1, str(5, str(6, g)))
	}
	return str(7, g)
}

func TestParseErrorsNameThePlace(t *testing.T) {
	long := strings.Repeat("\xff", 10) + "\x7f"
	for _, c := range []struct {
		name  string
		input []byte
		want  string
	}{
		{"nothing", nil, "the 0 bytes hold no graph: this is not an ONNX model"},
		{"text", []byte("hello, world"), "model at byte 2: broken field: mismatching end group marker"},
		{"a cut field", msg(num(1, 8), str(7, "")[:1]), "model at byte 2: broken field: unexpected EOF"},
		{"a length beyond the end", msg(num(1, 8), []byte{7<<3 | 2, 100, 1}), "model at byte 2: broken field: unexpected EOF"},
		{"a huge length", []byte{7<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, "model at byte 0: broken field: unexpected EOF"},
		{"field number 0", str(7, "\x00\x00"), "graph at byte 2: broken field: invalid field number"},
		{"an endless varint", str(7, str(1, msg(str(5, ""), str(5, msg(str(5, msg(str(1, long)))))))), "graph.node[0].attribute[1].t.dims at byte 12: broken packed list: "},
		{"a broken type", str(7, msg(str(11, ""), str(11, str(2, str(1, str(2, str(1, "\x08"))))))), "graph.input[1].type.tensor_type.shape.dim[0] at byte 14: broken field: unexpected EOF"},
		{"a packed float of 3 bytes", str(7, str(1, str(5, str(7, "abc")))), "graph.node[0].attribute[0].floats at byte 8: 3 bytes of packed floats are no multiple of 4"},
		{"an offset that is no number", str(7, str(5, str(13, msg(str(1, "offset"), str(2, "0x10"))))), `graph.initializer[0].external_data at byte 6: offset is "0x10", a number of bytes expected`},
		{"a negative length", str(7, str(5, str(13, msg(str(1, "length"), str(2, "-1"))))), `length is "-1", a number of bytes expected`},
		{"graphs within graphs", nested(33), "messages nest more than 100 deep"},
	} {
		_, err := Parse(c.input)
		if errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s expected", c.name, err, c.want)
		}
	}
	if _, err := Parse(nested(32)); err != nil {
		t.Errorf("98 messages deep: %v", err)
	}
}

func TestParseOfAPrefixFailsOrIsAModel(t *testing.T) {
	whole := str(7, msg(str(1, msg(str(1, "x"), str(2, "y"), str(4, "Relu"))), str(2, "g")))
	for n := range len(whole) {
		if _, err := Parse(whole[:n]); errs.CodeOf(err) != errs.Model {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestNamesOutliveTheInput(t *testing.T) {
	b := str(7, msg(str(1, msg(str(1, "input"), str(4, strings.Repeat("Long", 1000)))), str(2, "name")))
	m, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	if n := m.Graph.Nodes[0]; m.Graph.Name != "name" || n.Inputs[0] != "input" || n.OpType != strings.Repeat("Long", 1000) {
		t.Errorf("names changed with the input: %q %q", m.Graph.Name, n.Inputs)
	}
}
