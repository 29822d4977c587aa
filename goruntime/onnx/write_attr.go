package onnx

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

func (e *encoder) attrs(num protowire.Number, list []Attr) {
	for i := range list {
		e.message(num, list[i].write)
	}
}

// write writes each value that is there, and the one that Type names also where
// it is zero.
func (a *Attr) write(e *encoder) {
	e.text(1, a.Name)
	if a.Type == AttrFloat || math.Float32bits(a.F) != 0 {
		e.float(2, a.F)
	}
	if a.Type == AttrInt || a.I != 0 {
		e.number(3, a.I)
	}
	if a.Type == AttrString || len(a.S) > 0 {
		e.bytes(4, a.S)
	}
	if a.T != nil {
		e.message(5, a.T.write)
	}
	if a.G != nil {
		e.message(6, a.G.write)
	}
	a.writeLists(e)
	e.text(13, a.Doc)
	if a.TP != nil {
		e.message(14, a.TP.write)
	}
	for i := range a.Types {
		e.message(15, a.Types[i].write)
	}
	e.int(20, int64(a.Type))
	e.text(21, a.RefName)
	if a.Sparse != nil {
		e.message(22, a.Sparse.write)
	}
	e.sparses(23, a.Sparses)
}

func (a *Attr) writeLists(e *encoder) {
	for _, v := range a.Floats {
		e.float(7, v)
	}
	e.ints(8, a.Ints)
	for _, s := range a.Strings {
		e.bytes(9, s)
	}
	e.tensors(10, a.Tensors)
	for _, g := range a.Graphs {
		e.message(11, g.write)
	}
}
