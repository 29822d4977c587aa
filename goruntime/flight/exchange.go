package flight

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// DoExchange scores a stream of batches. Answers come in order, each with the app
// metadata of its batch. A client that neither sends nor reads for too long is told so.
func (s *service) DoExchange(stream aflight.FlightService_DoExchangeServer) error {
	p := newPatience(s.options.Idle)
	ended := make(chan error, 1)
	s.exchanges.Go(func() {
		ended <- statusOf(s.guarded(func() error { return s.exchange(stream, p) }))
	})
	select {
	case err := <-ended:
		return err
	case <-p.over: // what still waits for the client ends with the stream
		return status.Errorf(codes.DeadlineExceeded, "the client neither sent nor read a message for %v: the stream is ended", s.options.Idle)
	}
}

// exchange scores a stream of batches.
func (s *service) exchange(stream aflight.FlightService_DoExchangeServer, wait *patience) (err error) {
	in := newMessages(stream, wait, expander{s.io, int64(s.options.MaxMessage)})
	r, err := ipc.NewReaderFromMessageReader(in, ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		in.Release() // else the reader's
		return errs.New(errs.Argument, "the stream does not begin with a schema: %w", err)
	}
	defer r.Release()
	m, err := s.named(in.descriptor)
	if err != nil {
		return err
	}
	defer m.leave()
	if err := s.allowed(stream.Context(), m); err != nil {
		return err
	}
	p, err := m.plan(r.Schema())
	if err != nil {
		return err
	}
	if l := m.manifest.Limits.Bytes; l > 0 {
		in.expander.limit = min(in.expander.limit, l)
	}
	in.counter = m.session.IO()
	x := &exchange{stream: stream, m: m, p: p, out: outgoing{stream: stream, patience: wait, counter: m.session.IO()}}
	defer x.close()
	for r.Next() {
		t := spent{stageDecode: in.gathering + time.Since(in.arrived)}
		err := x.answer(stream.Context(), r.RecordBatch(), in.metadata, &t)
		s.tracing.batch(stream.Context(), m, r.RecordBatch().NumRows(), &t, err)
		if err != nil {
			return err
		}
		m.stages.add(&t)
	}
	err = r.Err()
	if _, grpc := status.FromError(err); err == nil || errors.Is(err, io.EOF) || grpc {
		return err
	}
	return errs.New(errs.Argument, "a message of the stream: %w", err)
}

// named returns the model that a descriptor names.
func (s *service) named(d *aflight.FlightDescriptor) (*Model, error) {
	if d == nil || d.Type != aflight.DescriptorPATH || len(d.Path) < 1 || len(d.Path) > 2 {
		return nil, errs.New(errs.Argument, "a descriptor with the path [NAME] or [NAME, VERSION] expected")
	}
	version := ""
	if len(d.Path) == 2 {
		version = d.Path[1]
	}
	return s.repository.Get(d.Path[0], version)
}

// exchange is one stream that is under way.
type exchange struct {
	stream aflight.FlightService_DoExchangeServer
	m      *Model
	p      *planned
	out    outgoing
	w      *ipc.Writer
	schema *arrow.Schema
}

// answer scores a batch and sends the answer; its times are added to t.
func (x *exchange) answer(ctx context.Context, b arrow.RecordBatch, metadata []byte, t *spent) error {
	out, err := x.m.score(ctx, x.p, b, t)
	if err != nil {
		return err
	}
	defer out.Release()
	if x.w == nil {
		x.schema = out.Schema()
		x.w = ipc.NewWriterWithPayloadWriter(&x.out, ipc.WithSchema(x.schema))
	}
	if !out.Schema().Equal(x.schema) {
		return errs.New(errs.Shape, "the answer's schema changed from %v to %v: rows of one shape expected in a stream", x.schema, out.Schema())
	}
	x.out.hold = newHold(out)
	defer x.out.hold.done()
	x.out.metadata = metadata
	return t.timed(stageEncode, func() error { return x.w.Write(out) })
}

func (x *exchange) close() {
	if x.w != nil {
		_ = x.w.Close() // the stream ends with its status
	}
}
