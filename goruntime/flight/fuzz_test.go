package flight

import (
	"bytes"
	"context"
	"io"
	"testing"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
)

// recorder keeps what a writer sends.
type recorder struct{ list [][]byte }

func (r *recorder) Send(d *aflight.FlightData) error {
	b, err := proto.Marshal(d)
	r.list = append(r.list, b)
	return err
}

// stream returns the FlightData of a schema and a batch.
func stream(t testing.TB) [][]byte {
	t.Helper()
	r := &recorder{}
	w := aflight.NewRecordWriter(r, ipc.WithSchema(schemaX))
	w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}})
	b := batchX(1, 2, 3)
	defer b.Release()
	if err := w.WriteWithAppMetadata(b, []byte("m")); err != nil {
		t.Fatal(err)
	}
	return r.list
}

// What a client sends may be any bytes, in any cuts: an error or a message, never a
// crash, and no block is kept.
func FuzzReceived(f *testing.F) {
	for _, b := range stream(f) {
		f.Add(b, 7)
	}
	f.Add([]byte{0xc2, 0x3e, 0xff, 0xff, 0xff, 0xff, 0x0f}, 1) // a body of 4 GiB
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		w := newWire(0)
		defer w.io.Close()
		var slice mem.BufferSlice
		for rest := data; len(rest) > 0; {
			n := min(max(1, cut), len(rest))
			slice = append(slice, mem.SliceBuffer(rest[:n]))
			rest = rest[n:]
		}
		r := &received{}
		if err := w.Unmarshal(slice, r); err == nil {
			body := memory.NewBufferBytes(nil)
			if r.body.Valid() {
				body = memory.NewBufferWithAllocator(r.bytes(), blockOwner{r.body})
			}
			if msg, err := newMessage(r.header, body, expander{w.io, 1 << 20}); err == nil {
				msg.Release()
			}
			body.Release()
		}
		if n := w.io.Stats().LiveBlocks; n != 0 {
			t.Errorf("%d blocks are kept", n)
		}
	})
}

// messageList gives messages to an ipc.Reader as the server does.
type messageList struct {
	list     [][2][]byte // header and body
	expander expander
	last     *ipc.Message
}

func (l *messageList) Retain() {}

func (l *messageList) Release() {
	if l.last != nil {
		l.last.Release()
		l.last = nil
	}
}

func (l *messageList) Message() (*ipc.Message, error) {
	l.Release()
	if len(l.list) == 0 {
		return nil, io.EOF
	}
	m := l.list[0]
	l.list = l.list[1:]
	body := memory.NewBufferBytes(m[1])
	defer body.Release()
	msg, err := newMessage(bytes.Clone(m[0]), body, l.expander)
	l.last = msg.Message
	return msg.Message, err
}

// A schema, a dictionary or batch, and a body of any bytes are scored or refused.
func FuzzBatches(f *testing.F) {
	s, err := exec.Open("../../tests/models/double.onnx", exec.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	w := newWire(0)
	f.Cleanup(func() { w.io.Close() })
	var seed [][2][]byte
	for _, b := range stream(f) {
		r := &received{}
		if err := w.Unmarshal(sliceOf(b), r); err != nil {
			f.Fatal(err)
		}
		body := []byte{}
		if r.body.Valid() {
			body = bytes.Clone(r.bytes())
			r.body.Release()
		}
		seed = append(seed, [2][]byte{r.header, body})
	}
	f.Add(seed[0][0], seed[1][0], seed[1][1])
	f.Fuzz(func(t *testing.T, schema, batch, body []byte) {
		r, err := ipc.NewReaderFromMessageReader(&messageList{list: [][2][]byte{{schema, nil}, {batch, body}}, expander: expander{w.io, 1 << 20}})
		if err != nil {
			return
		}
		defer r.Release()
		p, err := arrowio.Compile(s, r.Schema(), &arrowio.Manifest{Limits: arrowio.Limits{Rows: 1 << 16, Bytes: 1 << 20}})
		if err != nil {
			return
		}
		for r.Next() {
			if feeds, err := p.Feeds(r.RecordBatch(), s.IO()); err == nil {
				feeds.Release()
			}
		}
		if n := s.IO().Stats().LiveBlocks; n != 0 {
			t.Errorf("%d blocks are kept", n)
		}
	})
}

// Commands and the bodies of actions may be any bytes too: an error that is the
// client's, or what was asked for.
func FuzzCommands(f *testing.F) {
	repository := NewRepository("../../tests/models/double.onnx", exec.Options{})
	defer repository.Close()
	if failed := repository.Refresh(); len(failed) > 0 {
		f.Fatal(failed)
	}
	for _, m := range []proto.Message{
		&pb.ActionCreatePreparedStatementRequest{Query: "double"}, &pb.ActionClosePreparedStatementRequest{PreparedStatementHandle: []byte("handle")},
		&pb.CommandPreparedStatementQuery{PreparedStatementHandle: []byte("handle")}, &pb.CommandGetSqlInfo{Info: []uint32{0, 8}}, &pb.CommandGetTables{},
	} {
		text, err := wrap(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &service{repository: repository, statements: newStatements(1<<20, 0)}
		defer s.statements.closeAll()
		ctx := context.Background()
		made, err := s.prepare(ctx, text)
		if err == nil && (len(made) == 0 || s.statements.open() != 1) {
			t.Error("a statement was made that is not there")
		}
		_, closing := s.unprepare(ctx, text)
		_, describing := s.results(ctx, &aflight.FlightDescriptor{Type: aflight.DescriptorCMD, Cmd: text})
		for _, err := range []error{err, closing, describing} {
			if c := status.Code(statusOf(err)); c == codes.Internal || c == codes.Unknown {
				t.Error(err)
			}
		}
	})
}
