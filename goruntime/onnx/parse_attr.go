package onnx

import (
	"encoding/binary"
	"math"
)

func (d *decoder) attr(m span, a *Attr) *fault {
	var held AttrType
	err := d.each(m, func(f field) *fault {
		if t := heldBy(f.tag); t != AttrUndefined {
			held = t
			m.lo = f.start // what is left, for counting
			return d.attrValue(f, m, t, a)
		}
		switch f.tag {
		case 1<<3 | delimited:
			a.Name = d.text(f.span)
		case 13<<3 | delimited:
			a.Doc = d.text(f.span)
		case 20<<3 | varint:
			a.Type = AttrType(f.n)
		case 21<<3 | delimited:
			a.RefName = d.text(f.span)
		}
		return nil
	})
	if a.Type == AttrUndefined {
		a.Type = held
	}
	return err
}

// heldBy returns the type of the value that a field of AttributeProto holds.
func heldBy(tag uint64) AttrType {
	switch tag {
	case 2<<3 | fixed32:
		return AttrFloat
	case 3<<3 | varint:
		return AttrInt
	case 4<<3 | delimited:
		return AttrString
	case 5<<3 | delimited:
		return AttrTensor
	case 6<<3 | delimited:
		return AttrGraph
	case 7<<3 | fixed32, 7<<3 | delimited:
		return AttrFloats
	case 8<<3 | varint, 8<<3 | delimited:
		return AttrInts
	case 9<<3 | delimited:
		return AttrStrings
	case 10<<3 | delimited:
		return AttrTensors
	case 11<<3 | delimited:
		return AttrGraphs
	case 14<<3 | delimited:
		return AttrTypeProto
	case 15<<3 | delimited:
		return AttrTypeProtos
	case 22<<3 | delimited:
		return AttrSparseTensor
	case 23<<3 | delimited:
		return AttrSparseTensors
	default:
		return AttrUndefined
	}
}

// attrValue reads the field of a value of type t; rest is the message from the
// field on.
func (d *decoder) attrValue(f field, rest span, t AttrType, a *Attr) (err *fault) {
	switch t {
	case AttrFloat:
		a.F = math.Float32frombits(uint32(f.n))
	case AttrInt:
		a.I = int64(f.n)
	case AttrString:
		a.S = d.bytes(f.span)
	case AttrFloats:
		if a.Floats == nil {
			a.Floats = make([]float32, 0, d.entries(f, rest))
		}
		a.Floats, err = d.appendFloats(a.Floats, f)
		err = err.in("floats")
	case AttrInts:
		if a.Ints == nil {
			a.Ints = d.ints.take(d.entries(f, rest))
		}
		a.Ints, err = d.appendInts(a.Ints, f)
		err = err.in("ints")
	case AttrStrings:
		if a.Strings == nil {
			a.Strings = make([][]byte, 0, d.count(rest, f.tag)[0])
		}
		a.Strings = append(a.Strings, d.bytes(f.span))
	default:
		return d.attrMessage(f.span, t, a)
	}
	return err
}

// attrMessage reads the field of a value that is a message.
func (d *decoder) attrMessage(m span, t AttrType, a *Attr) *fault {
	switch t {
	case AttrTensor:
		return d.tensor(m, one(&a.T)).in("t")
	case AttrGraph:
		return d.graph(m, one(&a.G)).in("g")
	case AttrSparseTensor:
		return d.sparse(m, one(&a.Sparse)).in("sparse_tensor")
	case AttrTypeProto:
		return d.typ(m, one(&a.TP)).in("tp")
	case AttrTensors:
		a.Tensors = append(a.Tensors, Tensor{})
		return d.tensor(m, &a.Tensors[len(a.Tensors)-1]).item("tensors", len(a.Tensors)-1)
	case AttrGraphs:
		a.Graphs = append(a.Graphs, &Graph{})
		return d.graph(m, a.Graphs[len(a.Graphs)-1]).item("graphs", len(a.Graphs)-1)
	case AttrSparseTensors:
		a.Sparses = append(a.Sparses, SparseTensor{})
		return d.sparse(m, &a.Sparses[len(a.Sparses)-1]).item("sparse_tensors", len(a.Sparses)-1)
	default:
		a.Types = append(a.Types, Type{})
		return d.typ(m, &a.Types[len(a.Types)-1]).item("type_protos", len(a.Types)-1)
	}
}

// appendFloats appends a repeated float field, packed or not.
func (d *decoder) appendFloats(dst []float32, f field) ([]float32, *fault) {
	if f.tag&7 == fixed32 {
		return append(dst, math.Float32frombits(uint32(f.n))), nil
	}
	if f.len()%4 != 0 {
		return dst, faultAt(f.lo, "%d bytes of packed floats are no multiple of 4", f.len())
	}
	for b := d.bytes(f.span); len(b) > 0; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst, nil
}

// entries returns how many numbers a list has that begins with the field f: all
// of its fields in rest, or those that f packs.
func (d *decoder) entries(f field, rest span) int {
	switch {
	case f.tag&7 != delimited:
		return d.count(rest, f.tag)[0]
	case heldBy(f.tag) == AttrFloats:
		return f.len() / 4
	default:
		return varints(d.bytes(f.span))
	}
}
