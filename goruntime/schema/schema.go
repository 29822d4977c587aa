// Package schema is the official operator table: which versions each operator
// has, its inputs, outputs, attributes and the types they may have, as the onnx
// package defines them; and the check of a node against it. It says what the
// standard is, not what runs here.
//
// The table is text that is linked in. Nothing is done when the program starts:
// a look-up is a binary search in the text, and an operator is read when it is
// first looked up.
package schema

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

//go:generate python ../internal/gen/schemagen/schemagen.py schema.txt testdata/arity.txt

// Op is one version of an operator.
//
// Ownership: shared by all who look it up; never to be changed.
type Op struct {
	Domain       string // "" is ai.onnx
	Name         string
	SinceVersion int
	Deprecated   bool
	Function     bool // the standard defines it by a function body
	Inputs       []Param
	Outputs      []Param
	Attrs        []Attr // in the order of their names
	Constraints  []Constraint
}

// Param is a formal input or output.
type Param struct {
	Name          string
	Type          string // the name of a constraint, or a type such as "tensor(bool)"
	Optional      bool
	Variadic      bool // the last parameter, which stands for any number
	Heterogeneous bool // a variadic one whose values may have different types
	Min           int  // of a variadic one
}

// Attr is an attribute of an operator.
type Attr struct {
	Name       string
	Type       string // int, floats, graph, ...
	Required   bool
	HasDefault bool
	Default    string // as package fmt prints it: "0", "NOTSET", "[0 2 3]"
}

// Constraint is a type variable and what it may stand for.
type Constraint struct {
	Name  string
	Types []string
}

// unlimited is the greatest number of parameters where there is no limit.
const unlimited = int(^uint(0) >> 1)

// Types returns the types that a formal parameter may have.
func (o *Op) Types(p Param) []string {
	for _, c := range o.Constraints {
		if c.Name == p.Type {
			return c.Types
		}
	}
	return []string{p.Type}
}

// DTypes returns the element types of the tensors that a formal parameter may
// be; sequences, optionals and maps are not among them.
func (o *Op) DTypes(p Param) []tensor.DType {
	var list []tensor.DType
	for _, name := range o.Types(p) {
		const open, end = "tensor(", ")"
		if len(name) < len(open) || name[:len(open)] != open {
			continue
		}
		if d := tensor.ParseONNX(name[len(open) : len(name)-len(end)]); d != tensor.Undefined {
			list = append(list, d)
		}
	}
	return list
}

// Attr returns the attribute of this name.
func (o *Op) Attr(name string) (Attr, bool) {
	i := slices.IndexFunc(o.Attrs, func(a Attr) bool { return a.Name == name })
	if i < 0 {
		return Attr{}, false
	}
	return o.Attrs[i], true
}

// Input returns the formal input that the i-th input of a node stands for.
func (o *Op) Input(i int) (Param, bool) { return formal(o.Inputs, i) }

// Output returns the formal output that the i-th output of a node stands for.
func (o *Op) Output(i int) (Param, bool) { return formal(o.Outputs, i) }

func formal(params []Param, i int) (Param, bool) {
	last := len(params) - 1
	if i > last && last >= 0 && params[last].Variadic {
		i = last
	}
	if i < 0 || i > last {
		return Param{}, false
	}
	return params[i], true
}

// count returns how many inputs or outputs a node has at least and at most, as the onnx
// package counts them: the places of optional ones before a variadic one are given.
func count(params []Param) (least, most int) {
	for i, p := range params {
		switch {
		case p.Variadic:
			return i + p.Min, unlimited
		case !p.Optional:
			least = i + 1
		}
	}
	return least, len(params)
}

// attrTypes are the names that the table gives the types of attributes.
var attrTypes = map[onnx.AttrType]string{
	onnx.AttrFloat: "float", onnx.AttrInt: "int", onnx.AttrString: "string", onnx.AttrTensor: "tensor", onnx.AttrGraph: "graph",
	onnx.AttrFloats: "floats", onnx.AttrInts: "ints", onnx.AttrStrings: "strings", onnx.AttrTensors: "tensors",
	onnx.AttrGraphs: "graphs", onnx.AttrSparseTensor: "sparse_tensor", onnx.AttrSparseTensors: "sparse_tensors",
	onnx.AttrTypeProto: "type_proto", onnx.AttrTypeProtos: "type_protos",
}
