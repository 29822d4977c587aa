package load

import (
	"context"
	"errors"
	"io"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// window is the HTTP/2 window of a client that takes batches of some megabytes.
const window = 4 << 20

// exchange is one DoExchange of the load.
type exchange struct {
	stream  grpc.ClientStream
	rows    int64
	size    int // of every answer
	sum     uint32
	pending []time.Time // when the batches that wait for answers were sent
}

// stream asks on a connection of its own until the meter is over.
func stream(ctx context.Context, t Target, list []encoded, c Case, m *meter) error {
	dial := append([]grpc.DialOption{
		grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window), grpc.WithWriteBufferSize(256 << 10),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(newRaw()), grpc.MaxCallRecvMsgSize(1<<30), grpc.MaxCallSendMsgSize(1<<30)),
	}, t.Dial...)
	conn, err := grpc.NewClient(t.Address, dial...)
	if err != nil {
		return err
	}
	defer conn.Close()
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/arrow.flight.protocol.FlightService/DoExchange")
	if err != nil {
		return err
	}
	x := &exchange{stream: s, rows: int64(c.Rows)}
	if err := x.first(list); err != nil {
		return err
	}
	m.ready <- struct{}{}
	return x.ask(list[1], max(1, c.InFlight), m)
}

// first sends the schema and a batch, and reads the answer as Arrow.
func (x *exchange) first(list []encoded) error {
	for _, b := range list {
		if err := x.stream.SendMsg(b); err != nil && !errors.Is(err, io.EOF) {
			return err // the end of a stream is told by RecvMsg
		}
	}
	answer := &collected{}
	for len(answer.list) < 2 {
		r := &reply{keep: true}
		if err := x.stream.RecvMsg(r); err != nil {
			return err
		}
		d := &aflight.FlightData{}
		if err := proto.Unmarshal(r.text, d); err != nil {
			return err
		}
		answer.list = append(answer.list, d)
		x.size, x.sum = r.size, r.sum
	}
	got, err := aflight.NewRecordReader(answer, ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		return err
	}
	defer got.Release()
	if !got.Next() {
		return wrong("no batch: %w", got.Err())
	}
	if n := got.RecordBatch().NumRows(); n != x.rows {
		return wrong("%d rows for a batch of %d", n, x.rows)
	}
	return nil
}

// collected gives messages to a reader.
type collected struct {
	list []*aflight.FlightData
	next int
}

// Recv implements what a reader reads from.
func (c *collected) Recv() (*aflight.FlightData, error) {
	if c.next == len(c.list) {
		return nil, io.EOF
	}
	c.next++
	return c.list[c.next-1], nil
}

// ask sends a batch again and again, ahead of the answers by some, until the meter is
// over; then it waits for what is under way.
func (x *exchange) ask(batch encoded, ahead int, m *meter) error {
	var times []time.Duration
	for {
		begun, over := m.begun()
		if over {
			break
		}
		for len(x.pending) < ahead {
			x.pending = append(x.pending, time.Now())
			if err := x.stream.SendMsg(batch); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		took, err := x.receive()
		if err != nil {
			return err
		}
		if _, over := m.begun(); begun && !over {
			times = append(times, took)
		}
	}
	m.add(times)
	for len(x.pending) > 0 {
		if _, err := x.receive(); err != nil {
			return err
		}
	}
	if err := x.stream.CloseSend(); err != nil {
		return err
	}
	if err := x.stream.RecvMsg(&reply{}); !errors.Is(err, io.EOF) {
		return wrong("one more than batches were sent: %w", err)
	}
	return nil
}

// receive takes one answer and returns how long it took.
func (x *exchange) receive() (time.Duration, error) {
	r := &reply{}
	if err := x.stream.RecvMsg(r); err != nil {
		return 0, err
	}
	took := time.Since(x.pending[0])
	x.pending = x.pending[1:]
	if r.size != x.size || r.sum != x.sum {
		return 0, wrong("%d bytes with the sum %08x, the first had %d and %08x", r.size, r.sum, x.size, x.sum)
	}
	return took, nil
}
