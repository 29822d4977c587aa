package flight

import (
	"errors"
	"sync/atomic"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// messages reads the messages of a stream; it is an ipc.MessageReader. Bodies lie in
// blocks of the wire's arena, which go with the last column of them.
type messages struct {
	stream     grpc.ServerStream
	refs       atomic.Int64
	last       *ipc.Message
	descriptor *aflight.FlightDescriptor
	metadata   []byte // of the last message
}

func newMessages(s grpc.ServerStream) *messages {
	m := &messages{stream: s}
	m.refs.Store(1)
	return m
}

// blockOwner is the Arrow allocator of one received body.
type blockOwner struct{ block arena.Handle }

// Allocate and Reallocate are never called: the buffer is not resizable.
func (blockOwner) Allocate(int) []byte           { return nil }
func (blockOwner) Reallocate(int, []byte) []byte { return nil }

// Free gives the block back.
func (o blockOwner) Free([]byte) { o.block.Release() }

// Message implements ipc.MessageReader. The last message is released. A FlightData
// without a header carries a descriptor or metadata alone, and is passed over.
func (m *messages) Message() (*ipc.Message, error) {
	m.drop()
	r := &received{}
	for len(r.header) == 0 {
		r.body.Release()
		*r = received{}
		if err := m.stream.RecvMsg(r); err != nil {
			return nil, err
		}
		if r.descriptor != nil {
			m.descriptor = r.descriptor
		}
		m.metadata = r.metadata
	}
	body := memory.NewBufferBytes(nil)
	if r.body.Valid() {
		body = memory.NewBufferWithAllocator(r.bytes(), blockOwner{r.body})
	}
	defer body.Release()
	msg, err := newMessage(r.header, body)
	if err != nil {
		return nil, err
	}
	m.last = msg
	return msg, nil
}

// newMessage reads a header, which may be any bytes.
func newMessage(header []byte, body *memory.Buffer) (msg *ipc.Message, err error) {
	if len(header) < 8 {
		return nil, errs.New(errs.Argument, "a message with a header of %d bytes", len(header))
	}
	if err := readable(header); err != nil {
		return nil, err
	}
	msg = ipc.NewMessage(memory.NewBufferBytes(header), body)
	if n := msg.BodyLen(); n > int64(body.Len()) || n < 0 {
		msg.Release()
		return nil, errs.New(errs.Argument, "a message that says %d bytes of body and has %d", n, body.Len())
	}
	return msg, nil
}

// readable reports what is wrong with a header; damaged ones make its readers panic.
func readable(header []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errs.New(errs.Argument, "a message whose header is no Arrow message")
		}
	}()
	if err := checkHeader(header); err != nil {
		return err
	}
	ipc.NewMessage(memory.NewBufferBytes(header), memory.NewBufferBytes(nil)).BodyLen()
	return nil
}

func (m *messages) drop() {
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
}

// Retain implements ipc.MessageReader.
func (m *messages) Retain() { m.refs.Add(1) }

// Release implements ipc.MessageReader.
func (m *messages) Release() {
	if m.refs.Add(-1) == 0 {
		m.drop()
	}
}

// outgoing writes the messages of a stream; it is an ipc.PayloadWriter. Bodies are
// handed to gRPC in place.
type outgoing struct {
	stream   grpc.ServerStream
	metadata []byte
	hold     *hold // of the batch that is written
}

// Start implements ipc.PayloadWriter.
func (o *outgoing) Start() error { return nil }

// Close implements ipc.PayloadWriter.
func (o *outgoing) Close() error { return nil }

// WritePayload implements ipc.PayloadWriter.
func (o *outgoing) WritePayload(p ipc.Payload) error {
	meta := p.Meta()
	defer meta.Release()
	s := &sent{header: append([]byte(nil), meta.Bytes()...), metadata: o.metadata, hold: o.hold}
	if err := p.SerializeBody(s); err != nil {
		return err
	}
	if len(s.parts) > 0 && o.hold == nil {
		return errors.New("goruntime bug: a body without a batch")
	}
	return o.stream.SendMsg(s)
}

// Write takes a part of the body as it lies; SerializeBody calls it.
func (s *sent) Write(b []byte) (int, error) {
	s.parts = append(s.parts, b)
	s.size += len(b)
	return len(b), nil
}
