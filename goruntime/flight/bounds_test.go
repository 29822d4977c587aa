package flight

import (
	"bytes"
	"context"
	"strings"
	"testing"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// What is received is bounded over all streams: one more is refused, and taken when there is
// room again.
func TestBodiesTogetherAreBounded(t *testing.T) {
	waits := map[string]*arrowio.Manifest{"double": {Batch: arrowio.Batching{MaxRows: 1 << 20, DelayMicros: 3600 * 1000 * 1000}}}
	r := start(t, Options{Received: 1 << 20}, waits, "double", "chain")
	c := r.connect(nil)
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	first := r.talk(ctx, c, "double")
	answered := make(chan error, 1)
	go func() {
		_, err := first.ask("", make([]float32, 150_000)...) // which waits for others
		answered <- err
	}()
	if !testkit.Settles(func() bool { return r.counted("goruntime_in_flight_batches") == 1 }) {
		t.Fatal("the first batch does not wait")
	}
	second := r.talk(context.Background(), c, "chain")
	_, err := second.ask("", make([]float32, 150_000)...)
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "receiving a body, try again later") {
		t.Errorf("the second batch: %v", err)
	}
	second.end()
	leave()
	if err := <-answered; status.Code(err) != codes.Canceled {
		t.Errorf("the first batch: %v", err)
	}
	r.nothingIsHeld()
	third := r.talk(context.Background(), c, "chain")
	defer third.end()
	if got, err := third.ask("", make([]float32, 150_000)...); err != nil || len(got) != 150_000 {
		t.Errorf("the third batch: %d rows, %v", len(got), err)
	}
}

// What comes beside the columns of a batch counts as they do: app metadata, and a body that
// is longer than its header says.
func TestWhatComesBesideColumnsIsBounded(t *testing.T) {
	r := start(t, Options{}, map[string]*arrowio.Manifest{"double": {Limits: arrowio.Limits{Bytes: 1000, InFlightBytes: 1500}}}, "double")
	c := r.connect(nil)
	for _, k := range []struct {
		metadata int
		rows     int
		code     codes.Code
		says     string
	}{
		{1000, 100, codes.OK, ""},
		{1001, 1, codes.InvalidArgument, "1001 bytes of app metadata given, at most 1000 allowed"},
		{900, 200, codes.ResourceExhausted, "bytes are in flight, at most 1500 allowed"},
	} {
		x := r.talk(context.Background(), c, "double")
		got, err := x.ask(strings.Repeat("m", k.metadata), make([]float32, k.rows)...)
		if status.Code(err) != k.code || err == nil && len(got) != k.rows || err != nil && !strings.Contains(err.Error(), k.says) {
			t.Errorf("%d bytes beside %d rows: %d rows, %v", k.metadata, k.rows, len(got), err)
		}
		x.end()
	}
	if n := r.counted("goruntime_refusals_total"); n != 2 {
		t.Errorf("%v refusals are counted, want 2", n)
	}
	schema, batch := sentAs(t, 1, 2, 3)
	for more, want := range map[int]codes.Code{0: codes.OK, 64: codes.OK, 200: codes.InvalidArgument, 1 << 20: codes.InvalidArgument} {
		s, err := c.DoExchange(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Send(schema)
		_ = s.Send(&aflight.FlightData{DataHeader: batch.DataHeader, DataBody: append(bytes.Clone(batch.DataBody), make([]byte, more)...)})
		_ = s.CloseSend()
		_, err = s.Recv() // the schema
		if status.Code(err) != want {
			t.Errorf("%d bytes more than the header says: %v, want %v", more, err, want)
		}
		for err == nil {
			_, err = s.Recv()
		}
	}
}

// collected are the messages that a writer sends.
type collected []*aflight.FlightData

func (c *collected) Send(d *aflight.FlightData) error {
	*c = append(*c, proto.CloneOf(d))
	return nil
}

// sentAs returns the messages by which a client has double score numbers.
func sentAs(t *testing.T, xs ...float32) (schema, batch *aflight.FlightData) {
	t.Helper()
	b := batchX(xs...)
	defer b.Release()
	var list collected
	w := aflight.NewRecordWriter(&list, ipc.WithSchema(schemaX))
	w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}})
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	return list[0], list[1]
}

// raw is a codec whose messages are bytes.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (raw) Unmarshal(mem.BufferSlice, any) error { return nil }

// A message that is no FlightData is its client's mistake.
func TestWhatIsNoFlightDataIsTheClientsMistake(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	for name, text := range map[string][]byte{
		"a field number without an end": bytes.Repeat([]byte{0xff}, 12), "a field that is longer than the message": {0x12, 0x7f, 1}, "a number for bytes": {0x10, 1},
	} {
		s, err := r.dial().NewStream(context.Background(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/"+flightService+"/DoExchange", grpc.ForceCodecV2(raw{}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SendMsg(text); err != nil {
			t.Fatal(err)
		}
		if err := s.RecvMsg(nil); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "a FlightData") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
