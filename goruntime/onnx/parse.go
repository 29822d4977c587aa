package onnx

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Parse reads a ModelProto. The model aliases b, which must not be written
// while the model is used.
//
// Errors: errs.Model naming the place.
func Parse(b []byte) (*Model, error) {
	m := &Model{files: &files{}}
	d := newDecoder(b)
	d.model = m
	if err := d.modelProto(b, m); err != nil {
		return nil, err
	}
	if m.Graph == nil {
		return nil, errs.New(errs.Model, "the %d bytes hold no graph: this is not an ONNX model", len(b))
	}
	return m, nil
}

// ParseGraph reads a GraphProto.
func ParseGraph(b []byte) (*Graph, error) {
	g := &Graph{}
	return g, newDecoder(b).graph(b, g)
}

// ParseFunction reads a FunctionProto.
func ParseFunction(b []byte) (*Function, error) {
	f := &Function{}
	return f, newDecoder(b).function(b, f)
}

// ParseNode reads a NodeProto.
func ParseNode(b []byte) (*Node, error) {
	n := &Node{}
	return n, newDecoder(b).node(b, n)
}

// ParseTensor reads a TensorProto.
func ParseTensor(b []byte) (*Tensor, error) {
	t := &Tensor{}
	return t, newDecoder(b).tensor(b, t)
}

func (d *decoder) modelProto(b []byte, m *Model) error {
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			m.IRVersion = int64(f.n)
		case 2:
			m.ProducerName = text(f.b)
		case 3:
			m.ProducerVersion = text(f.b)
		case 4:
			m.Domain = text(f.b)
		case 5:
			m.ModelVersion = int64(f.n)
		case 6:
			m.Doc = text(f.b)
		case 7:
			if m.Graph == nil {
				m.Graph = &Graph{}
			}
			return in(d.graph(f.b, m.Graph), "graph")
		case 8:
			o := OpsetID{}
			err := d.opset(f.b, &o)
			m.Opsets = append(m.Opsets, o)
			return in(err, "opset_import[%d]", len(m.Opsets)-1)
		case 14:
			return in(d.keyValue(f.b, &m.Metadata), "metadata_props")
		case 25:
			fn := &Function{}
			err := d.function(f.b, fn)
			m.Functions = append(m.Functions, fn)
			return in(err, "functions[%d]", len(m.Functions)-1)
		}
		return nil
	})
}

func (d *decoder) opset(b []byte, o *OpsetID) error {
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			o.Domain = text(f.b)
		case 2:
			o.Version = int64(f.n)
		}
		return nil
	})
}

func (d *decoder) keyValue(b []byte, list *[]KeyValue) error {
	kv := KeyValue{}
	err := d.each(b, func(f field) error {
		switch f.num {
		case 1:
			kv.Key = text(f.b)
		case 2:
			kv.Value = text(f.b)
		}
		return nil
	})
	*list = append(*list, kv)
	return err
}

func (d *decoder) graph(b []byte, g *Graph) error {
	n := count(b, 1, 5, 11, 12, 13)
	g.Nodes = slices.Grow(g.Nodes, n[0])
	g.Initializers = slices.Grow(g.Initializers, n[1])
	g.Inputs, g.Outputs = slices.Grow(g.Inputs, n[2]), slices.Grow(g.Outputs, n[3])
	g.ValueInfo = slices.Grow(g.ValueInfo, n[4])
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			g.Nodes = append(g.Nodes, Node{})
			return in(d.node(f.b, &g.Nodes[len(g.Nodes)-1]), "node[%d]", len(g.Nodes)-1)
		case 2:
			g.Name = text(f.b)
		case 5:
			g.Initializers = append(g.Initializers, Tensor{})
			return in(d.tensor(f.b, &g.Initializers[len(g.Initializers)-1]), "initializer[%d]", len(g.Initializers)-1)
		case 10:
			g.Doc = text(f.b)
		case 11:
			return in(d.valueInfo(f.b, &g.Inputs), "input[%d]", len(g.Inputs))
		case 12:
			return in(d.valueInfo(f.b, &g.Outputs), "output[%d]", len(g.Outputs))
		case 13:
			return in(d.valueInfo(f.b, &g.ValueInfo), "value_info[%d]", len(g.ValueInfo))
		case 15:
			g.SparseInitializers = append(g.SparseInitializers, SparseTensor{})
			return in(d.sparse(f.b, &g.SparseInitializers[len(g.SparseInitializers)-1]), "sparse_initializer[%d]", len(g.SparseInitializers)-1)
		case 16:
			return in(d.keyValue(f.b, &g.Metadata), "metadata_props")
		}
		return nil
	})
}

func (d *decoder) node(b []byte, n *Node) error {
	c := count(b, 1, 2, 5)
	n.Inputs, n.Outputs = slices.Grow(n.Inputs, c[0]), slices.Grow(n.Outputs, c[1])
	n.Attrs = slices.Grow(n.Attrs, c[2])
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			n.Inputs = append(n.Inputs, text(f.b))
		case 2:
			n.Outputs = append(n.Outputs, text(f.b))
		case 3:
			n.Name = text(f.b)
		case 4:
			n.OpType = text(f.b)
		case 5:
			n.Attrs = append(n.Attrs, Attr{})
			return in(d.attr(f.b, &n.Attrs[len(n.Attrs)-1]), "attribute[%d]", len(n.Attrs)-1)
		case 6:
			n.Doc = text(f.b)
		case 7:
			n.Domain = text(f.b)
		case 8:
			n.Overload = text(f.b)
		case 9:
			return in(d.keyValue(f.b, &n.Metadata), "metadata_props")
		}
		return nil
	})
}

func (d *decoder) function(b []byte, fn *Function) error {
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			fn.Name = text(f.b)
		case 4:
			fn.Inputs = append(fn.Inputs, text(f.b))
		case 5:
			fn.Outputs = append(fn.Outputs, text(f.b))
		case 6:
			fn.Attrs = append(fn.Attrs, text(f.b))
		case 7:
			fn.Nodes = append(fn.Nodes, Node{})
			return in(d.node(f.b, &fn.Nodes[len(fn.Nodes)-1]), "node[%d]", len(fn.Nodes)-1)
		case 8:
			fn.Doc = text(f.b)
		case 9:
			o := OpsetID{}
			err := d.opset(f.b, &o)
			fn.Opsets = append(fn.Opsets, o)
			return in(err, "opset_import")
		case 10:
			fn.Domain = text(f.b)
		case 11:
			fn.AttrDefaults = append(fn.AttrDefaults, Attr{})
			return in(d.attr(f.b, &fn.AttrDefaults[len(fn.AttrDefaults)-1]), "attribute_proto[%d]", len(fn.AttrDefaults)-1)
		case 12:
			return in(d.valueInfo(f.b, &fn.ValueInfo), "value_info")
		case 13:
			fn.Overload = text(f.b)
		case 14:
			return in(d.keyValue(f.b, &fn.Metadata), "metadata_props")
		}
		return nil
	})
}

func (d *decoder) attr(b []byte, a *Attr) error {
	err := d.each(b, func(f field) error { return d.attrField(f, a) })
	if err == nil && a.Type == AttrUndefined && a.RefName == "" {
		a.Type = a.guess()
	}
	return err
}

func (d *decoder) attrField(f field, a *Attr) (err error) {
	switch f.num {
	case 1:
		a.Name = text(f.b)
	case 2:
		a.F = math.Float32frombits(uint32(f.n))
	case 3:
		a.I = int64(f.n)
	case 4:
		a.S = f.b
	case 5:
		if a.T == nil {
			a.T = &Tensor{}
		}
		return in(d.tensor(f.b, a.T), "t")
	case 6:
		if a.G == nil {
			a.G = &Graph{}
		}
		return in(d.graph(f.b, a.G), "g")
	case 7:
		a.Floats, err = appendFloats(a.Floats, f)
	case 8:
		a.Ints, err = appendInts(a.Ints, f)
	case 9:
		a.Strings = append(a.Strings, f.b)
	case 10:
		a.Tensors = append(a.Tensors, Tensor{})
		return in(d.tensor(f.b, &a.Tensors[len(a.Tensors)-1]), "tensors[%d]", len(a.Tensors)-1)
	case 11:
		g := &Graph{}
		a.Graphs = append(a.Graphs, g)
		return in(d.graph(f.b, g), "graphs[%d]", len(a.Graphs)-1)
	case 13:
		a.Doc = text(f.b)
	case 14:
		if a.TP == nil {
			a.TP = &Type{}
		}
		return in(d.typ(f.b, a.TP), "tp")
	case 15:
		a.Types = append(a.Types, Type{})
		return in(d.typ(f.b, &a.Types[len(a.Types)-1]), "type_protos")
	case 20:
		a.Type = AttrType(f.n)
	case 21:
		a.RefName = text(f.b)
	case 22:
		if a.Sparse == nil {
			a.Sparse = &SparseTensor{}
		}
		return in(d.sparse(f.b, a.Sparse), "sparse_tensor")
	case 23:
		a.Sparses = append(a.Sparses, SparseTensor{})
		return in(d.sparse(f.b, &a.Sparses[len(a.Sparses)-1]), "sparse_tensors")
	}
	return err
}

// guess returns the type of an attribute that does not state it, as models
// before IR version 2 do.
func (a *Attr) guess() AttrType {
	switch {
	case a.T != nil:
		return AttrTensor
	case a.G != nil:
		return AttrGraph
	case a.Ints != nil:
		return AttrInts
	case a.Floats != nil:
		return AttrFloats
	case a.Strings != nil:
		return AttrStrings
	case a.S != nil:
		return AttrString
	case a.F != 0:
		return AttrFloat
	default:
		return AttrInt
	}
}

func (d *decoder) valueInfo(b []byte, list *[]ValueInfo) error {
	*list = append(*list, ValueInfo{})
	v := &(*list)[len(*list)-1]
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			v.Name = text(f.b)
		case 2:
			return in(d.typ(f.b, &v.Type), "type")
		case 3:
			v.Doc = text(f.b)
		}
		return nil
	})
}

// typeKinds is the Kind of each field of TypeProto's oneof.
var typeKinds = map[protowire.Number]Kind{
	1: KindTensor, 4: KindSequence, 5: KindMap, 7: KindOpaque, 8: KindSparseTensor, 9: KindOptional,
}

func (d *decoder) typ(b []byte, t *Type) error {
	return d.each(b, func(f field) error {
		if f.num == 6 {
			t.Denotion = text(f.b)
			return nil
		}
		kind, ok := typeKinds[f.num]
		if !ok {
			return nil
		}
		t.Kind = kind
		switch kind {
		case KindTensor, KindSparseTensor:
			return d.tensorType(f.b, t)
		case KindSequence, KindOptional:
			return d.elemType(f.b, t, 1)
		case KindMap:
			return d.elemType(f.b, t, 2)
		default:
			return nil
		}
	})
}

func (d *decoder) tensorType(b []byte, t *Type) error {
	return d.each(b, func(f field) error {
		switch f.num {
		case 1:
			t.Elem = dtypeOf(f.n)
		case 2:
			t.HasShape = true
			return d.each(f.b, func(f field) error {
				if f.num != 1 {
					return nil
				}
				dim := Dim{}
				err := d.each(f.b, func(f field) error {
					switch f.num {
					case 1:
						dim.Known, dim.Value = true, int64(f.n)
					case 2:
						dim.Param = text(f.b)
					}
					return nil
				})
				t.Dims = append(t.Dims, dim)
				return err
			})
		}
		return nil
	})
}

// elemType reads the element type of a sequence, optional or map, which is
// field elem of the message; field 1 of a map is its key type.
func (d *decoder) elemType(b []byte, t *Type, elem protowire.Number) error {
	t.Of = &Type{}
	return d.each(b, func(f field) error {
		switch {
		case f.num == elem:
			return in(d.typ(f.b, t.Of), "elem_type")
		case f.num == 1:
			t.Key = dtypeOf(f.n)
		}
		return nil
	})
}

func dtypeOf(n uint64) tensor.DType {
	if n >= tensor.NumDTypes {
		return tensor.Undefined
	}
	return tensor.DType(n)
}
