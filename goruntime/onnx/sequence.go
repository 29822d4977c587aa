package onnx

import "github.com/goruntime/goruntime/goruntime/tensor"

// Sequence is a SequenceProto, the form of a sequence in test data files. Elem
// says which list holds its elements.
type Sequence struct {
	Name      string
	Elem      Kind
	Tensors   []Tensor
	Sparses   []SparseTensor
	Sequences []*Sequence
	Maps      []*Map
	Optionals []*Optional
}

// Map is a MapProto: the keys, in the list that Key chooses, and the values in
// the same order.
type Map struct {
	Name    string
	Key     tensor.DType
	Ints    []int64
	Strings [][]byte
	Values  *Sequence
}

// Optional is an OptionalProto. Elem says which field holds its value; where it
// is KindUndefined there is none.
type Optional struct {
	Name     string
	Elem     Kind
	Tensor   *Tensor
	Sparse   *SparseTensor
	Sequence *Sequence
	Map      *Map
	Optional *Optional
}

// valueKinds is the Kind of each SequenceProto.DataType, which is also
// OptionalProto.DataType.
var valueKinds = [...]Kind{KindUndefined, KindTensor, KindSparseTensor, KindSequence, KindMap, KindOptional}

func (d *decoder) valueKind(f field) (Kind, *fault) {
	if f.n >= uint64(len(valueKinds)) {
		return 0, faultAt(f.start, "%d is no type of an element", f.n).in("elem_type")
	}
	return valueKinds[f.n], nil
}

func (d *decoder) sequence(m span, s *Sequence) *fault {
	return d.each(m, func(f field) (err *fault) {
		switch f.tag {
		case 1<<3 | delimited:
			s.Name = d.text(f.span)
		case 2<<3 | varint:
			s.Elem, err = d.valueKind(f)
		case 3<<3 | delimited:
			s.Tensors = append(s.Tensors, Tensor{})
			return d.tensor(f.span, &s.Tensors[len(s.Tensors)-1]).item("tensor_values", len(s.Tensors)-1)
		case 4<<3 | delimited:
			s.Sparses = append(s.Sparses, SparseTensor{})
			return d.sparse(f.span, &s.Sparses[len(s.Sparses)-1]).item("sparse_tensor_values", len(s.Sparses)-1)
		case 5<<3 | delimited:
			s.Sequences = append(s.Sequences, &Sequence{})
			return d.sequence(f.span, s.Sequences[len(s.Sequences)-1]).item("sequence_values", len(s.Sequences)-1)
		case 6<<3 | delimited:
			s.Maps = append(s.Maps, &Map{})
			return d.mapping(f.span, s.Maps[len(s.Maps)-1]).item("map_values", len(s.Maps)-1)
		case 7<<3 | delimited:
			s.Optionals = append(s.Optionals, &Optional{})
			return d.optional(f.span, s.Optionals[len(s.Optionals)-1]).item("optional_values", len(s.Optionals)-1)
		}
		return err
	})
}

func (d *decoder) mapping(m span, v *Map) *fault {
	return d.each(m, func(f field) (err *fault) {
		switch f.tag {
		case 1<<3 | delimited:
			v.Name = d.text(f.span)
		case 2<<3 | varint:
			v.Key = dtypeOf(f.n)
		case 3<<3 | varint, 3<<3 | delimited:
			v.Ints, err = d.appendInts(v.Ints, f)
			err = err.in("keys")
		case 4<<3 | delimited:
			v.Strings = append(v.Strings, d.bytes(f.span))
		case 5<<3 | delimited:
			return d.sequence(f.span, one(&v.Values)).in("values")
		}
		return err
	})
}

func (d *decoder) optional(m span, o *Optional) *fault {
	return d.each(m, func(f field) (err *fault) {
		switch f.tag {
		case 1<<3 | delimited:
			o.Name = d.text(f.span)
		case 2<<3 | varint:
			o.Elem, err = d.valueKind(f)
		case 3<<3 | delimited:
			return d.tensor(f.span, one(&o.Tensor)).in("tensor_value")
		case 4<<3 | delimited:
			return d.sparse(f.span, one(&o.Sparse)).in("sparse_tensor_value")
		case 5<<3 | delimited:
			return d.sequence(f.span, one(&o.Sequence)).in("sequence_value")
		case 6<<3 | delimited:
			return d.mapping(f.span, one(&o.Map)).in("map_value")
		case 7<<3 | delimited:
			return d.optional(f.span, one(&o.Optional)).in("optional_value")
		}
		return err
	})
}

// one returns the message that *p points to, a new one where there is none: a
// single message that occurs twice is merged.
func one[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}
