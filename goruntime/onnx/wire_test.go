package onnx

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Messages of tests are written field by field, so that they can be what no
// writer writes.

// msg joins fields to a message.
func msg(fields ...[]byte) []byte {
	var b []byte
	for _, f := range fields {
		b = append(b, f...)
	}
	return b
}

// num is an integer field.
func num(n protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), uint64(v))
}

// str is a length-delimited field: text, bytes, a message or a packed list.
func str[T string | []byte](n protowire.Number, v T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), []byte(v))
}

// flt is a float field.
func flt(n protowire.Number, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(nil, n, protowire.Fixed32Type), math.Float32bits(v))
}

// packed is the payload of a packed list of integers.
func packed(list ...int64) []byte {
	var b []byte
	for _, v := range list {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return b
}
