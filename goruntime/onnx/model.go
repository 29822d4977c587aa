package onnx

import (
	"fmt"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Model is a ModelProto.
//
// Ownership: its parts alias the bytes it was parsed from or the file that Open
// mapped; they are valid until Close.
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	Doc             string
	Opsets          []OpsetID
	Graph           *Graph
	Functions       []*Function
	Metadata        []KeyValue

	files *files
}

// OpsetID is an OperatorSetIdProto.
type OpsetID struct {
	Domain  string
	Version int64
}

// KeyValue is a StringStringEntryProto.
type KeyValue struct{ Key, Value string }

// Graph is a GraphProto.
type Graph struct {
	Name               string
	Doc                string
	Nodes              []Node
	Inputs             []ValueInfo
	Outputs            []ValueInfo
	ValueInfo          []ValueInfo
	Initializers       []Tensor
	SparseInitializers []SparseTensor
	Metadata           []KeyValue
}

// Node is a NodeProto.
type Node struct {
	Name     string
	OpType   string
	Domain   string
	Overload string
	Doc      string
	Inputs   []string
	Outputs  []string
	Attrs    []Attr
	Metadata []KeyValue
}

// Function is a FunctionProto.
type Function struct {
	Name         string
	Domain       string
	Overload     string
	Doc          string
	Inputs       []string
	Outputs      []string
	Attrs        []string
	AttrDefaults []Attr
	Nodes        []Node
	Opsets       []OpsetID
	ValueInfo    []ValueInfo
	Metadata     []KeyValue
}

// AttrType is AttributeProto.AttributeType.
type AttrType int32

// The types of attributes, numbered as in onnx.proto.
const (
	AttrUndefined     AttrType = 0
	AttrFloat         AttrType = 1
	AttrInt           AttrType = 2
	AttrString        AttrType = 3
	AttrTensor        AttrType = 4
	AttrGraph         AttrType = 5
	AttrFloats        AttrType = 6
	AttrInts          AttrType = 7
	AttrStrings       AttrType = 8
	AttrTensors       AttrType = 9
	AttrGraphs        AttrType = 10
	AttrSparseTensor  AttrType = 11
	AttrSparseTensors AttrType = 12
	AttrTypeProto     AttrType = 13
	AttrTypeProtos    AttrType = 14
)

var attrTypeNames = [...]string{
	"UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS", "TENSORS",
	"GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS",
}

// String returns the name in onnx.proto.
func (t AttrType) String() string {
	if t >= 0 && int(t) < len(attrTypeNames) {
		return attrTypeNames[t]
	}
	return fmt.Sprintf("AttributeType(%d)", int32(t))
}

// Attr is an AttributeProto; Type says which field holds its value.
type Attr struct {
	Name    string
	RefName string // of the function attribute that it stands for
	Type    AttrType
	Doc     string
	F       float32
	I       int64
	S       []byte
	T       *Tensor
	G       *Graph
	Sparse  *SparseTensor
	TP      *Type
	Floats  []float32
	Ints    []int64
	Strings [][]byte
	Tensors []Tensor
	Graphs  []*Graph
	Sparses []SparseTensor
	Types   []Type
}

// ValueInfo is a ValueInfoProto.
type ValueInfo struct {
	Name string
	Type Type
	Doc  string
}

// Kind says what kind of value a Type describes.
type Kind uint8

// The kinds of values of TypeProto.
const (
	KindUndefined Kind = iota
	KindTensor
	KindSparseTensor
	KindSequence
	KindOptional
	KindMap
	KindOpaque
)

var kindNames = [...]string{"undefined", "tensor", "sparse_tensor", "seq", "optional", "map", "opaque"}

// Type is a TypeProto.
type Type struct {
	Kind     Kind
	Elem     tensor.DType // of a tensor
	HasShape bool
	Dims     []Dim
	Of       *Type        // the element of a sequence or optional, the value of a map
	Key      tensor.DType // of a map
	Denotion string
}

// String returns the type as the operator schemas write it: "tensor(float)",
// "seq(tensor(int64))".
func (t *Type) String() string {
	switch {
	case t == nil:
		return "undefined"
	case t.Kind == KindMap:
		return "map(" + t.Key.ONNX() + "," + t.Of.String() + ")"
	case t.Of != nil:
		return kindNames[t.Kind] + "(" + t.Of.String() + ")"
	case t.Kind == KindTensor || t.Kind == KindSparseTensor:
		return kindNames[t.Kind] + "(" + t.Elem.ONNX() + ")"
	default:
		return kindNames[t.Kind]
	}
}

// Dim is a TensorShapeProto.Dimension: a size, a name, or neither.
type Dim struct {
	Known bool
	Value int64
	Param string
}

// Domain returns the domain's canonical name: "ai.onnx" is "".
func Domain(name string) string {
	if name == "ai.onnx" {
		return ""
	}
	return name
}
