package onnx

import "fmt"

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

// Attr is an AttributeProto; Type says which field holds its value. Where the
// model does not state the type, as models before IR version 2 do, it is that
// of the value that is there.
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

// Texts returns the strings of an attribute.
func (a *Attr) Texts() []string {
	list := make([]string, len(a.Strings))
	for i, s := range a.Strings {
		list[i] = string(s)
	}
	return list
}
