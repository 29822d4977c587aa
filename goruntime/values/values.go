// Package values holds what ONNX knows beside tensors: sequences, optionals and
// maps, and the tensors in them.
//
// A Value is counted: whoever keeps one retains it, the last Release gives the
// memory of its tensors back. Values are never changed once they are made, so
// that sequences which differ in one element share all others. Its invariant: a
// tensor's memory is owned by one Value; views of it keep that Value alive.
package values

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Kind is what a Value is (onnx.proto, TypeProto).
type Kind uint8

// The kinds of values.
const (
	Tensor   Kind = iota + 1
	Sequence      // Items are its elements
	Optional      // Items is its content, or empty
	Map           // Items are two tensors [n]: the keys, i64 or str, and the values
)

// String names the kind as the operator schemas do.
func (k Kind) String() string { return [...]string{"nothing", "tensor", "seq", "optional", "map"}[k] }

// Value is a tensor, a sequence, an optional or a map.
//
// Ownership: counted; New functions return one reference.
// Concurrency: Retain and Release are safe from any goroutine, all else is only
// read.
type Value struct {
	Kind  Kind
	View  tensor.View // of a Tensor
	Items []*Value    // of all others

	refs  atomic.Int32
	block arena.Handle // the memory of View, where it is the value's own
	base  *Value       // whose memory View lies in, or nil
}

// NewTensor returns a tensor value over block, which it takes. Where block is not
// valid the memory is borrowed and must live as long as the value.
func NewTensor(v tensor.View, block arena.Handle) *Value {
	n := &Value{Kind: Tensor, View: v, block: block}
	n.View.Shape = v.Shape.Clone()
	n.refs.Store(1)
	return n
}

// New returns a value of another kind; it takes the references to items.
func New(kind Kind, items ...*Value) *Value {
	n := &Value{Kind: kind, Items: items}
	n.refs.Store(1)
	return n
}

// Part returns a tensor value whose elements lie in the memory of v.
func (v *Value) Part(view tensor.View) *Value {
	n := NewTensor(view, arena.Handle{})
	n.base = v.Retain()
	return n
}

// Maps returns a sequence of maps: all have the keys, each has a row of a matrix of as
// many columns, in whose memory its values lie. A matrix of rank 1 is one row. What it
// makes is made at once.
func Maps(keys, matrix *Value) *Value {
	n, rows := keys.View.Elements(), 1
	if s := matrix.View.Shape; len(s) > 1 {
		rows = s[0]
	}
	each := tensor.Shape{n}
	list, items := make([]Value, 2*rows), make([]*Value, 3*rows)
	maps, items := items[:rows:rows], items[rows:]
	for i := range maps {
		row, m := &list[2*i], &list[2*i+1]
		row.Kind, row.base = Tensor, matrix
		row.View = tensor.View{DType: matrix.View.DType, Shape: each, Data: matrix.View.Slice(i*n, n).Data}
		m.Kind, m.Items = Map, items[2*i:2*i+2:2*i+2]
		m.Items[0], m.Items[1], maps[i] = keys, row, m
		row.refs.Store(1)
		m.refs.Store(1)
	}
	keys.refs.Add(int32(rows))
	matrix.refs.Add(int32(rows))
	return New(Sequence, maps...)
}

// Retain adds a reference and returns v, which may be nil.
func (v *Value) Retain() *Value {
	if v != nil {
		v.refs.Add(1)
	}
	return v
}

// Release ends one reference; the last one ends those to the items and gives the
// memory back. Releasing nil does nothing.
func (v *Value) Release() {
	if v == nil || v.refs.Add(-1) > 0 {
		return
	}
	for _, item := range v.Items {
		item.Release()
	}
	v.Items = nil
	v.base.Release()
	if v.block.Valid() {
		v.block.Release()
		v.block = arena.Handle{}
	}
}

// Unpack ends the caller's reference to v and returns one to each of its items.
func (v *Value) Unpack() []*Value {
	items := v.Items
	if v.refs.Load() == 1 {
		v.Items = nil
	} else {
		items = slices.Clone(items)
		for _, item := range items {
			item.Retain()
		}
	}
	v.Release()
	return items
}

// Block returns the block that the elements of a tensor lie in; it is not valid
// where they are borrowed or part of another value.
func (v *Value) Block() arena.Handle { return v.block }

// Sole reports whether the caller's reference is the only one, and the memory the
// value's own.
func (v *Value) Sole() bool { return v.block.Valid() && v.refs.Load() == 1 }

// Borrowed reports whether the memory of a tensor belongs to no value.
func (v *Value) Borrowed() bool { return !v.block.Valid() && v.base == nil }

// Take moves the block of a tensor out to the caller, who releases or exports it.
// The value must be Sole; it is to be released all the same.
func (v *Value) Take() arena.Handle {
	h := v.block
	v.block = arena.Handle{}
	return h
}

// String returns the value's type, with the shapes of tensors: "seq(f32[2], f32[3])".
func (v *Value) String() string {
	if v.Kind == Tensor {
		return v.View.String()
	}
	list := make([]string, len(v.Items))
	for i, item := range v.Items {
		list[i] = item.String()
	}
	return v.Kind.String() + "(" + strings.Join(list, ", ") + ")"
}
