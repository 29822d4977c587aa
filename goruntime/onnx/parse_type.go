package onnx

func (d *decoder) valueInfo(m span, list *[]ValueInfo) *fault {
	*list = append(*list, ValueInfo{})
	v := &(*list)[len(*list)-1]
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			v.Name = d.text(f.span)
		case 2<<3 | delimited:
			return d.typ(f.span, &v.Type).in("type")
		case 3<<3 | delimited:
			v.Doc = d.text(f.span)
		case 4<<3 | delimited:
			i := len(v.Metadata)
			return d.keyValue(f.span, &v.Metadata).item("metadata_props", i)
		}
		return nil
	})
}

func (d *decoder) typ(m span, t *Type) *fault {
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			t.become(KindTensor)
			return d.tensorType(f.span, t).in("tensor_type")
		case 4<<3 | delimited:
			t.become(KindSequence)
			return d.elemType(f.span, t).in("sequence_type")
		case 5<<3 | delimited:
			t.become(KindMap)
			return d.mapType(f.span, t).in("map_type")
		case 6<<3 | delimited:
			t.Denotation = d.text(f.span)
		case 7<<3 | delimited:
			t.become(KindOpaque)
			return d.opaqueType(f.span, t).in("opaque_type")
		case 8<<3 | delimited:
			t.become(KindSparseTensor)
			return d.tensorType(f.span, t).in("sparse_tensor_type")
		case 9<<3 | delimited:
			t.become(KindOptional)
			return d.elemType(f.span, t).in("optional_type")
		}
		return nil
	})
}

// become makes t of a kind. The kinds are alternatives: the last one holds, and
// one that occurs twice is merged.
func (t *Type) become(k Kind) {
	if t.Kind != k {
		*t = Type{Kind: k, Denotation: t.Denotation}
	}
}

func (d *decoder) tensorType(m span, t *Type) *fault {
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | varint:
			t.Elem = dtypeOf(f.n)
		case 2<<3 | delimited:
			t.HasShape = true
			return d.each(f.span, func(f field) *fault {
				if f.tag != 1<<3|delimited {
					return nil
				}
				i := len(t.Dims)
				return d.dim(f.span, &t.Dims).item("dim", i)
			}).in("shape")
		}
		return nil
	})
}

func (d *decoder) dim(m span, list *[]Dim) *fault {
	var v Dim
	err := d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | varint:
			v.Known, v.Value, v.Param = true, int64(f.n), ""
		case 2<<3 | delimited:
			v.Known, v.Value, v.Param = false, 0, d.text(f.span)
		case 3<<3 | delimited:
			v.Denotation = d.text(f.span)
		}
		return nil
	})
	*list = append(*list, v)
	return err
}

// elemType reads the TypeProto.Sequence or TypeProto.Optional of t.
func (d *decoder) elemType(m span, t *Type) *fault {
	one(&t.Of)
	return d.each(m, func(f field) *fault {
		if f.tag == 1<<3|delimited {
			return d.typ(f.span, t.Of).in("elem_type")
		}
		return nil
	})
}

func (d *decoder) mapType(m span, t *Type) *fault {
	one(&t.Of)
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | varint:
			t.Key = dtypeOf(f.n)
		case 2<<3 | delimited:
			return d.typ(f.span, t.Of).in("value_type")
		}
		return nil
	})
}

func (d *decoder) opaqueType(m span, t *Type) *fault {
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			t.OpaqueDomain = d.text(f.span)
		case 2<<3 | delimited:
			t.OpaqueName = d.text(f.span)
		}
		return nil
	})
}
