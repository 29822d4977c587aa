package load

import (
	"context"
	"errors"
	"io"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
)

// exchange is one DoExchange of the load.
type exchange struct {
	call    *call
	rows    int64
	size    int // of every answer
	sum     uint32
	pending []time.Time // when the batches that wait for answers were sent
}

// stream asks on a connection of its own until the meter is over.
func stream(ctx context.Context, t Target, list []encoded, c Case, m *meter) error {
	k, err := dial(ctx, t)
	if err != nil {
		return err
	}
	defer k.close()
	defer context.AfterFunc(ctx, k.close)()
	x := &exchange{call: k, rows: int64(c.Rows)}
	if err := x.first(list); err != nil {
		return caused(ctx, err)
	}
	m.ready <- struct{}{}
	return caused(ctx, x.ask(list[1], max(1, c.InFlight), m))
}

// caused returns why ctx ended where it has, since that is why the connection broke.
func caused(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// first sends the schema and a batch, and reads the answer as Arrow.
func (x *exchange) first(list []encoded) error {
	for _, b := range list {
		if err := x.call.send(b); err != nil {
			return err
		}
	}
	answer := &collected{}
	for len(answer.list) < 2 {
		r, err := x.call.receive(true)
		if err != nil {
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
			if err := x.call.send(batch); err != nil {
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
	if err := x.call.closeSend(); err != nil {
		return err
	}
	switch _, err := x.call.receive(false); {
	case err == nil:
		return wrong("one more than batches were sent")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// receive takes one answer and returns how long it took.
func (x *exchange) receive() (time.Duration, error) {
	r, err := x.call.receive(false)
	if err != nil {
		return 0, err
	}
	took := time.Since(x.pending[0])
	x.pending = x.pending[1:]
	if r.size != x.size || r.sum != x.sum {
		return 0, wrong("%d bytes with the sum %08x, the first had %d and %08x", r.size, r.sum, x.size, x.sum)
	}
	return took, nil
}
