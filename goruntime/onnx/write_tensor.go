package onnx

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal returns the tensor as a TensorProto, its payload as it was read.
func (t *Tensor) Marshal() []byte { return marshal(t.write) }

// Marshal returns the tensor as a SparseTensorProto.
func (s *SparseTensor) Marshal() []byte { return marshal(s.write) }

// Marshal returns the sequence as a SequenceProto.
func (s *Sequence) Marshal() []byte { return marshal(s.write) }

// Marshal returns the map as a MapProto.
func (v *Map) Marshal() []byte { return marshal(v.write) }

// Marshal returns the optional as an OptionalProto.
func (o *Optional) Marshal() []byte { return marshal(o.write) }

func (e *encoder) tensors(num protowire.Number, list []Tensor) {
	for i := range list {
		e.message(num, list[i].write)
	}
}

func (e *encoder) sparses(num protowire.Number, list []SparseTensor) {
	for i := range list {
		e.message(num, list[i].write)
	}
}

func (t *Tensor) write(e *encoder) {
	e.ints(1, t.Dims)
	if t.DType.Valid() {
		e.int(2, int64(t.DType))
	} else {
		e.int(2, int64(t.typeNumber))
	}
	if t.segmented {
		e.bytes(3, nil)
	}
	for _, r := range t.typed.runs {
		e.b = append(e.b, t.typed.wire[r.lo:r.hi]...)
	}
	e.text(8, t.Name)
	if t.hasRaw {
		e.bytes(9, t.raw)
	}
	e.text(12, t.Doc)
	if t.external != nil {
		t.external.write(e)
	}
	if t.outside {
		e.number(14, 1)
	}
	e.metadata(16, t.Metadata)
}

func (x *external) write(e *encoder) {
	e.entry(13, "location", x.location)
	if x.offset != 0 {
		e.entry(13, "offset", strconv.FormatInt(x.offset, 10))
	}
	if x.length >= 0 {
		e.entry(13, "length", strconv.FormatInt(x.length, 10))
	}
}

func (s *SparseTensor) write(e *encoder) {
	e.filled(1, s.Values.write)
	e.filled(2, s.Indices.write)
	e.ints(3, s.Dims)
}

// valueType returns the number of an element's type in SequenceProto and
// OptionalProto.
func valueType(k Kind) int64 {
	for n, kind := range valueKinds {
		if kind == k {
			return int64(n)
		}
	}
	return 0
}

func (s *Sequence) write(e *encoder) {
	e.text(1, s.Name)
	e.int(2, valueType(s.Elem))
	e.tensors(3, s.Tensors)
	e.sparses(4, s.Sparses)
	for _, v := range s.Sequences {
		e.message(5, v.write)
	}
	for _, v := range s.Maps {
		e.message(6, v.write)
	}
	for _, v := range s.Optionals {
		e.message(7, v.write)
	}
}

func (v *Map) write(e *encoder) {
	e.text(1, v.Name)
	e.int(2, int64(v.Key))
	e.ints(3, v.Ints)
	for _, s := range v.Strings {
		e.bytes(4, s)
	}
	if v.Values != nil {
		e.message(5, v.Values.write)
	}
}

func (o *Optional) write(e *encoder) {
	e.text(1, o.Name)
	e.int(2, valueType(o.Elem))
	if o.Tensor != nil {
		e.message(3, o.Tensor.write)
	}
	if o.Sparse != nil {
		e.message(4, o.Sparse.write)
	}
	if o.Sequence != nil {
		e.message(5, o.Sequence.write)
	}
	if o.Map != nil {
		e.message(6, o.Map.write)
	}
	if o.Optional != nil {
		e.message(7, o.Optional.write)
	}
}
