package load

import (
	"hash/crc32"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of all other messages
	"google.golang.org/grpc/mem"
)

// raw is the codec of the load: bytes that were encoded before go out as they are, and
// of what comes in a sum is taken.
type raw struct{ encoding.CodecV2 }

func newRaw() raw { return raw{encoding.GetCodecV2("proto")} }

// Name is proto's: servers know no other.
func (raw) Name() string { return "proto" }

// encoded is a message in its bytes.
type encoded []byte

// reply is a message that came in.
type reply struct {
	keep bool // whether the bytes are wanted
	text []byte
	size int
	sum  uint32 // of all bytes
}

// Marshal implements encoding.CodecV2.
func (c raw) Marshal(v any) (mem.BufferSlice, error) {
	if b, ok := v.(encoded); ok {
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	}
	return c.CodecV2.Marshal(v)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Unmarshal implements encoding.CodecV2.
func (c raw) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(*reply)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	r.size, r.sum = data.Len(), 0
	if r.keep {
		r.text = data.Materialize()
	}
	for _, b := range data {
		r.sum = crc32.Update(r.sum, castagnoli, b.ReadOnlyData())
	}
	return nil
}
