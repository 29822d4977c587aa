package onnx

import "google.golang.org/protobuf/encoding/protowire"

// Marshal returns the type as a TypeProto.
func (t *Type) Marshal() []byte { return marshal(t.write) }

func (e *encoder) values(num protowire.Number, list []ValueInfo) {
	for i := range list {
		e.message(num, list[i].write)
	}
}

func (v *ValueInfo) write(e *encoder) {
	e.text(1, v.Name)
	e.typ(2, &v.Type)
	e.text(3, v.Doc)
	e.metadata(4, v.Metadata)
}

// typ writes a type that says something.
func (e *encoder) typ(num protowire.Number, t *Type) {
	if t != nil && (t.Kind != KindUndefined || t.Denotation != "") {
		e.message(num, t.write)
	}
}

func (t *Type) write(e *encoder) {
	switch t.Kind {
	case KindTensor:
		e.message(1, t.writeTensor)
	case KindSequence:
		e.message(4, t.writeOf)
	case KindMap:
		e.message(5, func(e *encoder) {
			e.int(1, int64(t.Key))
			e.typ(2, t.Of)
		})
	case KindOpaque:
		e.message(7, func(e *encoder) {
			e.text(1, t.OpaqueDomain)
			e.text(2, t.OpaqueName)
		})
	case KindSparseTensor:
		e.message(8, t.writeTensor)
	case KindOptional:
		e.message(9, t.writeOf)
	}
	e.text(6, t.Denotation)
}

func (t *Type) writeOf(e *encoder) { e.typ(1, t.Of) }

func (t *Type) writeTensor(e *encoder) {
	e.int(1, int64(t.Elem))
	if !t.HasShape {
		return
	}
	e.message(2, func(e *encoder) {
		for _, v := range t.Dims {
			e.message(1, v.write)
		}
	})
}

func (v Dim) write(e *encoder) {
	if v.Known {
		e.number(1, v.Value)
	} else {
		e.text(2, v.Param)
	}
	e.text(3, v.Denotation)
}
