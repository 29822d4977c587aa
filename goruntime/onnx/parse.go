package onnx

import (
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Parse reads a ModelProto. The model aliases b, which must not be written
// while the model is used. External data cannot be read: see ParseIn and Open.
//
// Errors: errs.Model naming the place.
func Parse(b []byte) (*Model, error) { return ParseIn(b, "") }

// ParseIn is Parse for a model whose external data lies in dir, "" for none.
func ParseIn(b []byte, dir string) (*Model, error) {
	if dir != "" { // the process may change its folder before the data is read
		var err error
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, errs.New(errs.IO, "the model's folder: %w", err)
		}
	}
	m := &Model{files: &files{dir: dir, raw: b}}
	d := &decoder{buf: b, files: m.files}
	if err := d.model(d.whole(), m); err != nil {
		return nil, err.error("model")
	}
	if m.Graph == nil {
		return nil, errs.New(errs.Model, "the %d bytes hold no graph: this is not an ONNX model", len(b))
	}
	return m, nil
}

// ParseGraph reads a GraphProto. What the result aliases, and the errors, are
// those of Parse.
func ParseGraph(b []byte) (*Graph, error) { return parse(b, "graph", (*decoder).graph) }

// ParseNode reads a NodeProto, as ParseGraph does.
func ParseNode(b []byte) (*Node, error) { return parse(b, "node", (*decoder).node) }

// ParseTensor reads a TensorProto, as ParseGraph does.
func ParseTensor(b []byte) (*Tensor, error) { return parse(b, "tensor", (*decoder).tensor) }

// ParseSparseTensor reads a SparseTensorProto, as ParseGraph does.
func ParseSparseTensor(b []byte) (*SparseTensor, error) {
	return parse(b, "sparse tensor", (*decoder).sparse)
}

// ParseType reads a TypeProto, as ParseGraph does.
func ParseType(b []byte) (*Type, error) { return parse(b, "type", (*decoder).typ) }

// ParseSequence reads a SequenceProto, as ParseGraph does.
func ParseSequence(b []byte) (*Sequence, error) { return parse(b, "sequence", (*decoder).sequence) }

// ParseOptional reads an OptionalProto, as ParseGraph does.
func ParseOptional(b []byte) (*Optional, error) { return parse(b, "optional", (*decoder).optional) }

// ParseMap reads a MapProto, as ParseGraph does.
func ParseMap(b []byte) (*Map, error) { return parse(b, "map", (*decoder).mapping) }

func parse[T any](b []byte, what string, read func(*decoder, span, *T) *fault) (*T, error) {
	v := new(T)
	d := &decoder{buf: b, files: &files{}}
	if err := read(d, d.whole(), v); err != nil {
		return nil, err.error(what)
	}
	return v, nil
}

// dtypeOf returns the element type of a TensorProto.DataType, Undefined for one
// that ONNX does not define.
func dtypeOf(n uint64) tensor.DType {
	if v := int32(n); v >= 0 && v < tensor.NumDTypes {
		return tensor.DType(v)
	}
	return tensor.Undefined
}

// appendInts appends a repeated varint field, packed or not.
func (d *decoder) appendInts(dst []int64, f field) ([]int64, *fault) {
	if f.tag&7 == varint {
		return append(dst, int64(f.n)), nil
	}
	for at := f.lo; at < f.hi; {
		v, n := protowire.ConsumeVarint(d.buf[at:f.hi])
		if n < 0 {
			return dst, faultAt(at, "broken packed list: %s", cause(n))
		}
		dst = append(dst, int64(v))
		at += n
	}
	return dst, nil
}
