package flight

import (
	"encoding/binary"
	"io"
	"time"
	"unsafe"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of all other messages
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// The fields of FlightData (Flight.proto).
const (
	fieldDescriptor = 1
	fieldHeader     = 2
	fieldMetadata   = 3
	fieldBody       = 1000
)

// wire is the codec of the server: FlightData is read from the received frames
// straight into one off-heap block, and answers are handed to gRPC where they lie. All
// other messages are protobuf's.
type wire struct {
	encoding.CodecV2
	io *arena.IOArena // what bodies are received into
}

// newWire returns a codec that receives bodies of at most so many bytes together.
func newWire(limit int64) *wire {
	return &wire{encoding.GetCodecV2("proto"), arena.NewIO(arena.Options{Limit: limit})}
}

// Name is proto's: clients know no other.
func (w *wire) Name() string { return "proto" }

// received is a FlightData that came in.
//
// Ownership: body is the receiver's to release.
type received struct {
	descriptor       *aflight.FlightDescriptor
	header, metadata []byte
	body             arena.Handle
	size             int           // of the body
	plain            []byte        // the body, where it came through protobuf's codec
	arrived          time.Duration // when all of it was there, by clock
	err              error         // what is wrong with it; gRPC would tell it as a bug of the server
}

// Unmarshal implements encoding.CodecV2.
func (w *wire) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(*received)
	if !ok {
		return w.CodecV2.Unmarshal(data, v)
	}
	reader := data.Reader()
	defer reader.Close()
	r.arrived = clock()
	if r.err = r.read(reader, w.io); r.err != nil {
		r.body.Release()
		r.body = arena.Handle{}
	}
	return nil
}

// read decodes the fields of a FlightData.
func (r *received) read(from *mem.Reader, io *arena.IOArena) error {
	for from.Remaining() > 0 {
		tag, err := binary.ReadUvarint(from)
		if err != nil {
			return malformed("a field number", err)
		}
		number, kind := protowire.DecodeTag(tag)
		if kind != protowire.BytesType {
			return errs.New(errs.Argument, "a FlightData has a field of wire type %d, all of its fields have a length", kind)
		}
		n, err := binary.ReadUvarint(from)
		if err != nil {
			return malformed("a length", err)
		}
		if n > uint64(from.Remaining()) {
			return errs.New(errs.Argument, "a FlightData has a field of %d bytes and %d left", n, from.Remaining())
		}
		if err := r.field(number, int(n), from, io); err != nil {
			return err
		}
	}
	return nil
}

func malformed(what string, err error) error {
	return errs.New(errs.Argument, "a FlightData ends within %s: %w", what, err)
}

// field decodes one field of n bytes; unknown ones are passed over.
func (r *received) field(number protowire.Number, n int, from *mem.Reader, to *arena.IOArena) error {
	if number == fieldBody {
		return r.readBody(n, from, to)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(from, b); err != nil {
		return malformed("a field", err)
	}
	switch number {
	case fieldDescriptor:
		r.descriptor = &aflight.FlightDescriptor{}
		if err := proto.Unmarshal(b, r.descriptor); err != nil {
			return errs.New(errs.Argument, "a FlightDescriptor: %w", err)
		}
	case fieldHeader:
		r.header = b
	case fieldMetadata:
		r.metadata = b
	}
	return nil
}

// readBody gathers the body out of the frames: the one copy on the way in.
func (r *received) readBody(n int, from *mem.Reader, to *arena.IOArena) error {
	r.body.Release()
	h, err := to.Acquire(n)
	if err != nil {
		r.body = arena.Handle{}
		return errs.New(errs.CodeOf(err), "receiving a body, try again later: %w", err)
	}
	r.body, r.size = h, n
	if _, err := io.ReadFull(from, r.bytes()); err != nil {
		return malformed("the body", err)
	}
	return nil
}

// bytes returns the body, and not one byte of what the block held before.
func (r *received) bytes() []byte {
	if r.size == 0 {
		return nil
	}
	// SAFETY: the block has at least size bytes and lives until the body is released.
	return unsafe.Slice((*byte)(r.body.Data()), r.size)[:r.size:r.size]
}

// sent is a FlightData that goes out: parts are the body, in place.
type sent struct {
	header, metadata []byte
	parts            [][]byte
	size             int // of the body
	hold             *hold
	segments         segments
}

// begin forgets the message before.
func (s *sent) begin(header, metadata []byte, h *hold) {
	s.header, s.metadata, s.hold = header, metadata, h
	clear(s.parts)
	s.parts, s.size = s.parts[:0], 0
}

// add takes a part of the body as it lies.
func (s *sent) add(part []byte) {
	s.parts = append(s.parts, part)
	s.size += len(part)
}

// Marshal implements encoding.CodecV2.
func (w *wire) Marshal(v any) (mem.BufferSlice, error) {
	s, ok := v.(*sent)
	if !ok {
		return w.CodecV2.Marshal(v)
	}
	room := len(s.header) + len(s.metadata) + 32
	for _, part := range s.parts {
		if mem.IsBelowBufferPoolingThreshold(len(part)) {
			room += len(part)
		}
	}
	head := make([]byte, 0, room)
	head = protowire.AppendBytes(protowire.AppendTag(head, fieldHeader, protowire.BytesType), s.header)
	if len(s.metadata) > 0 {
		head = protowire.AppendBytes(protowire.AppendTag(head, fieldMetadata, protowire.BytesType), s.metadata)
	}
	head = protowire.AppendVarint(protowire.AppendTag(head, fieldBody, protowire.BytesType), uint64(s.size))
	out := make(mem.BufferSlice, 0, 2*len(s.parts)+1)
	for _, part := range s.parts {
		if mem.IsBelowBufferPoolingThreshold(len(part)) {
			head = append(head, part...) // gRPC would not tell when it is done with it
			continue
		}
		lent := s.segments.take(s.hold, part)
		out = append(out, mem.SliceBuffer(head), mem.NewBuffer(&lent.part, lent))
		head = nil
	}
	if len(head) > 0 {
		out = append(out, mem.SliceBuffer(head))
	}
	return out, nil
}
