package graph

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// constant returns the value of t: its bytes in the model where they can be
// read in place, else decoded into memory of the graph.
func (b *builder) constant(t *onnx.Tensor) (*tensor.View, error) {
	shape, err := t.Shape()
	if err != nil {
		return nil, err
	}
	n, err := shape.Check(t.DType)
	if err != nil {
		return nil, err
	}
	v := &tensor.View{DType: t.DType, Shape: shape}
	if n == 0 || b.alloc == nil {
		return v, nil
	}
	if t.DType == tensor.Str {
		return v, b.strings(v, t)
	}
	raw, ok, err := t.Payload()
	if err != nil {
		return nil, err
	}
	if ok {
		//lint:allow unsafe a constant is read where the model lies
		// SAFETY: the reader checked that raw covers the shape.
		v.Data = unsafe.Pointer(unsafe.SliceData(raw))
		return v, nil
	}
	dst, err := b.alloc(n)
	if err != nil {
		return nil, err
	}
	v.Data = unsafe.Pointer(unsafe.SliceData(dst))
	return v, t.CopyTo(dst)
}

// strings fills v with views of the model's strings.
func (b *builder) strings(v *tensor.View, t *onnx.Tensor) error {
	list := t.Strings()
	if len(list) != v.Elements() {
		return errs.New(errs.Model, "%d strings given, shape %v takes %d", len(list), v.Shape, v.Elements())
	}
	dst, err := b.alloc(v.Bytes())
	if err != nil {
		return err
	}
	// SAFETY: alloc returned as many bytes, outside the Go heap; the strings lie in
	// the model's memory, which outlives the graph.
	v.Data = unsafe.Pointer(unsafe.SliceData(dst))
	elems := tensor.Elems[tensor.Text](v)
	for i, s := range list {
		elems[i] = tensor.TextOf(s)
	}
	return nil
}

// sparse returns a sparse initializer as a dense constant.
func (b *builder) sparse(t *onnx.SparseTensor) (*tensor.View, error) {
	shape, err := t.Shape()
	if err != nil {
		return nil, err
	}
	n, err := shape.Check(t.Values.DType)
	if err != nil {
		return nil, err
	}
	if b.alloc == nil {
		return &tensor.View{DType: t.Values.DType, Shape: shape}, nil
	}
	dst, err := b.alloc(n)
	if err != nil {
		return nil, err
	}
	if err := t.CopyTo(dst); err != nil {
		return nil, err
	}
	return &tensor.View{DType: t.Values.DType, Shape: shape, Data: unsafe.Pointer(unsafe.SliceData(dst))}, nil
}

// constantNode makes the output of a Constant node a constant of the graph.
// https://onnx.ai/onnx/operators/onnx__Constant.html
func (b *builder) constantNode(n *onnx.Node, sp *space, fr *frame) error {
	if len(n.Attrs) != 1 || len(n.Outputs) != 1 {
		return errs.New(errs.Model, "%d attributes and %d outputs given, one of each expected", len(n.Attrs), len(n.Outputs))
	}
	a, ok := fr.bound(&n.Attrs[0])
	if !ok {
		return errs.New(errs.Model, "the attribute %q refers to one that the function call does not set", n.Attrs[0].Name)
	}
	if want, ok := constantTypes[n.Attrs[0].Name]; ok && a.Type != want {
		return errs.New(errs.Model, "the attribute %s is of type %v, %v expected", n.Attrs[0].Name, a.Type, want)
	}
	v, err := b.constantOf(a, n.Attrs[0].Name)
	if err != nil {
		return err
	}
	id, err := sp.define(n.Outputs[0])
	if err != nil {
		return err
	}
	sp.g.Values[id].Const = v
	return nil
}

// constantTypes is the type of each attribute of Constant.
var constantTypes = map[string]onnx.AttrType{
	"value": onnx.AttrTensor, "sparse_value": onnx.AttrSparseTensor, "value_float": onnx.AttrFloat, "value_floats": onnx.AttrFloats,
	"value_int": onnx.AttrInt, "value_ints": onnx.AttrInts, "value_string": onnx.AttrString, "value_strings": onnx.AttrStrings,
}

func (b *builder) constantOf(a *onnx.Attr, name string) (*tensor.View, error) {
	switch name {
	case "value":
		if a.T == nil {
			return nil, errs.New(errs.Model, "the attribute value holds no tensor")
		}
		return b.constant(a.T)
	case "sparse_value":
		if a.Sparse == nil {
			return nil, errs.New(errs.Model, "the attribute sparse_value holds no sparse tensor")
		}
		return b.sparse(a.Sparse)
	case "value_float":
		return filled(b, tensor.F32, tensor.Shape{}, []float32{a.F})
	case "value_floats":
		return filled(b, tensor.F32, tensor.Shape{len(a.Floats)}, a.Floats)
	case "value_int":
		return filled(b, tensor.I64, tensor.Shape{}, []int64{a.I})
	case "value_ints":
		return filled(b, tensor.I64, tensor.Shape{len(a.Ints)}, a.Ints)
	case "value_string":
		return b.text(tensor.Shape{}, [][]byte{a.S})
	case "value_strings":
		return b.text(tensor.Shape{len(a.Strings)}, a.Strings)
	default:
		return nil, errs.New(errs.Model, "unknown attribute %q of Constant", name)
	}
}

// filled returns a constant with the elements of list.
func filled[T any](b *builder, dtype tensor.DType, shape tensor.Shape, list []T) (*tensor.View, error) {
	v := &tensor.View{DType: dtype, Shape: shape}
	if b.alloc == nil {
		return v, nil
	}
	dst, err := b.alloc(v.Bytes())
	if err != nil {
		return nil, err
	}
	v.Data = unsafe.Pointer(unsafe.SliceData(dst))
	copy(tensor.Elems[T](v), list)
	return v, nil
}

// text returns a constant of strings; their bytes are the model's.
func (b *builder) text(shape tensor.Shape, list [][]byte) (*tensor.View, error) {
	elems := make([]string, len(list))
	for i, s := range list {
		// SAFETY: the bytes lie in the model's memory, which outlives the graph and is
		// never written.
		elems[i] = unsafe.String(unsafe.SliceData(s), len(s))
	}
	return filled(b, tensor.Str, shape, elems)
}
