package flight

import (
	"bytes"
	"errors"
	"sync/atomic"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// messages reads the messages of a stream; it is an ipc.MessageReader. Bodies lie in
// blocks of the wire's arena, which go with the last column of them.
//
// The stream's model is not known until its schema was read: what is copied for it is
// counted from then on.
type messages struct {
	line
	expander   expander
	counter    *arena.IOArena // of the model
	refs       atomic.Int64
	last       *ipc.Message
	descriptor *aflight.FlightDescriptor
	metadata   []byte        // of the last message
	arrived    time.Duration // when it was there, by clock
}

func newMessages(l line, x expander) *messages {
	m := &messages{line: l, expander: x}
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
		err := m.patience.during(func() error { return m.receive(r) })
		if err != nil {
			return nil, err
		}
		m.arrived = r.arrived
		if r.descriptor != nil {
			m.descriptor = r.descriptor
		}
		m.metadata = r.metadata
	}
	body := memory.NewBufferBytes(r.plain)
	if r.body.Valid() {
		body = memory.NewBufferWithAllocator(r.bytes(), blockOwner{r.body})
	}
	defer body.Release()
	msg, err := newMessage(r.header, body, m.expander)
	if err != nil {
		return nil, err
	}
	m.count(arena.CopyReceive, r.size)
	m.count(arena.CopyReceive, len(r.plain)) // out of the frames
	m.count(arena.CopyReceive, len(r.plain)) // out of the message
	if msg.expanded > 0 {
		m.count(arena.CopyDecompress, msg.expanded)
	}
	m.last = msg.Message
	return msg.Message, nil
}

// receive reads the next message.
func (m *messages) receive(r *received) error {
	if !m.stock {
		if err := m.stream.RecvMsg(r); err != nil {
			return err
		}
		return r.err
	}
	d := &aflight.FlightData{}
	if err := m.stream.RecvMsg(d); err != nil {
		return err
	}
	r.arrived = clock()
	r.descriptor, r.header, r.metadata, r.plain = d.FlightDescriptor, d.DataHeader, d.AppMetadata, d.DataBody
	return nil
}

func (m *messages) count(why arena.CopyReason, n int) {
	if n > 0 && m.counter != nil {
		m.counter.CountCopy(why, n)
	}
}

// message is a message with the bytes that it was expanded to, 0 where it came
// uncompressed.
type message struct {
	*ipc.Message
	expanded int
}

// slack is how much longer a body may be than its header says: what aligns a buffer.
const slack = 64

// newMessage reads a header, which may be any bytes; it is changed where the body is
// compressed.
func newMessage(header []byte, body *memory.Buffer, x expander) (msg message, err error) {
	if len(header) < 8 {
		return msg, errs.New(errs.Argument, "a message with a header of %d bytes", len(header))
	}
	length, err := bodyLength(header)
	if err != nil {
		return msg, err
	}
	if n := int64(body.Len()); length < 0 || length > n || n-length > slack {
		return msg, errs.New(errs.Argument, "a message that says %d bytes of body and has %d", length, body.Len())
	}
	block, plain, err := x.expand(header, body.Bytes())
	if err != nil {
		return msg, err
	}
	if block.Valid() {
		body = memory.NewBufferWithAllocator(plain, blockOwner{block})
		defer body.Release()
	}
	return message{ipc.NewMessage(memory.NewBufferBytes(header), body), len(plain)}, nil
}

// bodyLength returns the bytes of body that a header says it has. It reports what is
// wrong with one.
func bodyLength(header []byte) (n int64, err error) {
	err = looking(func() error {
		if err := checkHeader(header); err != nil {
			return err
		}
		message := rootOf(header)
		n = message.GetInt64Slot(offset(messageBodyLength), 0)
		return nil
	})
	return n, err
}

// looking calls a function that reads a header. Damaged ones make readers of
// flatbuffers panic, which is an error here; the function must hold nothing meanwhile.
func looking(read func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errs.New(errs.Argument, "a message whose header is no Arrow message")
		}
	}()
	return read()
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
	line
	counter  *arena.IOArena // of the model
	metadata []byte
	hold     *hold // of the batch that is written
	message  sent
}

// Start implements ipc.PayloadWriter.
func (o *outgoing) Start() error { return nil }

// Close implements ipc.PayloadWriter.
func (o *outgoing) Close() error { return nil }

// WritePayload implements ipc.PayloadWriter.
func (o *outgoing) WritePayload(p ipc.Payload) error {
	meta := p.Meta()
	defer meta.Release()
	o.message.begin(meta.Bytes(), o.metadata, o.hold)
	if err := p.SerializeBody(&o.message); err != nil {
		return err
	}
	return o.send()
}

// send sends the message that was begun, which gRPC has encoded when it returns.
func (o *outgoing) send() error {
	s := &o.message
	if len(s.parts) > 0 && s.hold == nil {
		return errors.New("goruntime bug: a body without a batch")
	}
	if s.size > 0 {
		o.counter.CountCopy(arena.CopySend, s.size)
	}
	if o.stock {
		return o.sendStock()
	}
	return o.patience.during(func() error { return o.stream.SendMsg(s) })
}

// sendStock sends the message that was begun as protobuf has it.
func (o *outgoing) sendStock() error {
	s := &o.message
	d := &aflight.FlightData{DataHeader: s.header, AppMetadata: s.metadata, DataBody: bytes.Join(s.parts, nil)}
	for range 2 { // into one body, and into the message
		if s.size > 0 {
			o.counter.CountCopy(arena.CopySend, s.size)
		}
	}
	return o.patience.during(func() error { return o.stream.SendMsg(d) })
}

// Write takes a part of the body; SerializeBody calls it.
func (s *sent) Write(b []byte) (int, error) {
	s.add(b)
	return len(b), nil
}
