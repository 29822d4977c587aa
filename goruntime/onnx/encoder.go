package onnx

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// encoder appends messages in wire format to b. Like proto2 without presence,
// it leaves out a value that is zero.
type encoder struct{ b []byte }

func marshal(write func(e *encoder)) []byte {
	var e encoder
	write(&e)
	return e.b
}

func (e *encoder) tag(num protowire.Number, kind protowire.Type) {
	e.b = protowire.AppendTag(e.b, num, kind)
}

// number writes an integer also where it is zero.
func (e *encoder) number(num protowire.Number, v int64) {
	e.tag(num, protowire.VarintType)
	e.b = protowire.AppendVarint(e.b, uint64(v))
}

func (e *encoder) int(num protowire.Number, v int64) {
	if v != 0 {
		e.number(num, v)
	}
}

func (e *encoder) ints(num protowire.Number, list []int64) {
	for _, v := range list {
		e.number(num, v)
	}
}

// float writes a float also where it is zero.
func (e *encoder) float(num protowire.Number, v float32) {
	e.tag(num, protowire.Fixed32Type)
	e.b = protowire.AppendFixed32(e.b, math.Float32bits(v))
}

// bytes writes bytes also where there are none.
func (e *encoder) bytes(num protowire.Number, v []byte) {
	e.tag(num, protowire.BytesType)
	e.b = protowire.AppendBytes(e.b, v)
}

func (e *encoder) text(num protowire.Number, s string) {
	if s != "" {
		e.tag(num, protowire.BytesType)
		e.b = protowire.AppendString(e.b, s)
	}
}

// texts writes a list of strings, the empty ones too: they are omitted inputs.
func (e *encoder) texts(num protowire.Number, list []string) {
	for _, s := range list {
		e.tag(num, protowire.BytesType)
		e.b = protowire.AppendString(e.b, s)
	}
}

// message writes a message whose fields body writes.
func (e *encoder) message(num protowire.Number, body func(e *encoder)) {
	e.tag(num, protowire.BytesType)
	start := len(e.b)
	body(e)
	var size [10]byte
	e.b = slices.Insert(e.b, start, protowire.AppendVarint(size[:0], uint64(len(e.b)-start))...)
}

// filled writes a message that has at least one field, nothing else.
func (e *encoder) filled(num protowire.Number, body func(e *encoder)) {
	before := len(e.b)
	e.message(num, body)
	if e.b[len(e.b)-1] == 0 && len(e.b) == before+protowire.SizeTag(num)+1 {
		e.b = e.b[:before]
	}
}
