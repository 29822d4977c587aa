package onnx

import "github.com/goruntime/goruntime/goruntime/tensor"

// ValueInfo is a ValueInfoProto.
type ValueInfo struct {
	Name     string
	Type     Type
	Doc      string
	Metadata []KeyValue
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

// String returns the name that the operator schemas use: tensor, seq, map, ...
func (k Kind) String() string { return kindNames[k] }

// Type is a TypeProto.
type Type struct {
	Kind         Kind
	Elem         tensor.DType // of a tensor
	HasShape     bool
	Dims         []Dim
	Of           *Type        // the element of a sequence or optional, the value of a map
	Key          tensor.DType // of a map
	OpaqueDomain string
	OpaqueName   string
	Denotation   string
}

// String returns the type as the operator schemas write it: "tensor(float)",
// "seq(tensor(int64))".
func (t *Type) String() string {
	switch {
	case t == nil:
		return "undefined"
	case t.Kind == KindMap:
		return "map(" + t.Key.ONNX() + "," + t.Of.String() + ")"
	case t.Kind == KindSequence || t.Kind == KindOptional:
		return t.Kind.String() + "(" + t.Of.String() + ")"
	case t.Kind == KindTensor || t.Kind == KindSparseTensor:
		return t.Kind.String() + "(" + t.Elem.ONNX() + ")"
	case t.Kind == KindOpaque:
		return "opaque(" + t.OpaqueDomain + "," + t.OpaqueName + ")"
	default:
		return t.Kind.String()
	}
}

// Dim is a TensorShapeProto.Dimension: a size, a name, or neither.
type Dim struct {
	Known      bool
	Value      int64
	Param      string
	Denotation string
}
