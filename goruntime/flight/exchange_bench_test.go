package flight

import (
	"context"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// memoryStream is a DoExchange without a network: it gives the messages that were
// encoded before, the last one n times, and drops what it is sent.
type memoryStream struct {
	aflight.FlightService_DoExchangeServer
	ctx      context.Context
	codec    *wire
	messages [][]byte
	next, n  int
	sent     int
}

func (s *memoryStream) Context() context.Context { return s.ctx }

func (s *memoryStream) RecvMsg(v any) error {
	if s.next == len(s.messages)-1+s.n {
		return io.EOF
	}
	b := s.messages[min(s.next, len(s.messages)-1)]
	s.next++
	return s.codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, v)
}

func (s *memoryStream) SendMsg(v any) error {
	list, err := s.codec.Marshal(v)
	list.Free()
	s.sent++
	return err
}

// encodedExchange returns the messages of a client that sends one batch to a model.
func encodedExchange(b *testing.B, model string, batch arrow.RecordBatch) [][]byte {
	b.Helper()
	k := &sentMessages{}
	w := aflight.NewRecordWriter(k, ipc.WithSchema(batch.Schema()))
	w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{model}})
	if err := w.Write(batch); err != nil {
		b.Fatal(err)
	}
	return k.list
}

type sentMessages struct{ list [][]byte }

func (k *sentMessages) Send(d *aflight.FlightData) error {
	b, err := proto.Marshal(d)
	k.list = append(k.list, b)
	return err
}

// BenchmarkExchange measures what a batch costs above gRPC.
func BenchmarkExchange(b *testing.B) {
	const rows, width = 683, 3
	dir := testkit.ModelFolder(b, "../../tests/models/fixed.onnx", "fixed.onnx")
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	r.Refresh()
	server := New(r, Options{})
	defer server.wire.io.Close()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedSizeListOf(width, arrow.PrimitiveTypes.Float32)}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	list := builder.Field(0).(*array.FixedSizeListBuilder)
	for range rows {
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{1, 2, 3}, nil)
	}
	batch := builder.NewRecordBatch()
	defer batch.Release()
	s := &memoryStream{ctx: context.Background(), codec: server.wire, messages: encodedExchange(b, "fixed", batch)}
	b.ReportAllocs()
	s.n = b.N
	b.ResetTimer()
	if err := server.service.exchange(s, newPatience(server.service.options.Idle)); err != nil {
		b.Fatal(err)
	}
	if s.sent != b.N+1 {
		b.Fatalf("%d messages for %d batches", s.sent, b.N)
	}
}
