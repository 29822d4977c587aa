package flight

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// DoExchange scores a stream of batches. Answers come in order, each with the app
// metadata of its batch. A client that neither sends nor reads for too long is told so.
func (s *service) DoExchange(stream aflight.FlightService_DoExchangeServer) error {
	return s.patiently(func(p *patience) error { return s.exchange(stream, p) })
}

// patiently serves a stream until it ends, or until its client let it wait too long.
func (s *service) patiently(serve func(*patience) error) error {
	p := newPatience(s.options.Idle)
	defer p.end()
	ended := make(chan error, 1)
	s.exchanges.Go(func() {
		ended <- statusOf(s.guarded(func() error { return serve(p) }))
	})
	select {
	case err := <-ended:
		return err
	case <-p.over: // what still waits for the client ends with the stream
		return status.Errorf(codes.DeadlineExceeded, "the client neither sent nor read a message for %v: the stream is ended", s.options.Idle)
	}
}

// line is what messages come and go on.
type line struct {
	stream   grpc.ServerStream
	patience *patience // with the client
	stock    bool      // messages go through protobuf's codec
}

func (s *service) line(stream grpc.ServerStream, wait *patience) line {
	return line{stream, wait, s.options.Stock}
}

// exchange scores a stream of batches and sends the answers.
func (s *service) exchange(stream aflight.FlightService_DoExchangeServer, wait *patience) error {
	var x answers
	defer x.close()
	return s.scored(stream, wait, scored{named: s.named, schema: func() *arrow.Schema { return x.schema }, do: func(m *Model, out arrow.RecordBatch, metadata []byte, t *spent) error {
		defer t.ends(stageEncode)
		if x.schema == nil {
			if err := x.begin(s.line(stream, wait), m, out.Schema()); err != nil {
				return err
			}
		}
		return x.send(out, metadata)
	}})
}

// scored is what becomes of a stream of batches.
type scored struct {
	named func(*aflight.FlightDescriptor) (*Model, error) // by what comes with the schema
	do    func(m *Model, out arrow.RecordBatch, metadata []byte, t *spent) error
	none  bool // score no rows where no batch comes
	// schema is that of the answers before, nil where there are none. Batches without rows
	// are answered by it: lists that are not there do not tell how long they are.
	schema func() *arrow.Schema
}

// scored reads the batches of a stream, scores each, and lends the answers to what.do.
func (s *service) scored(stream grpc.ServerStream, wait *patience, what scored) error {
	ctx, end := newCaller(stream.Context())
	defer end()
	in := newMessages(s.line(stream, wait), expander{s.io, int64(s.options.MaxMessage)})
	r, err := ipc.NewReaderFromMessageReader(in, ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		in.Release() // else the reader's
		return unread("the stream does not begin with a schema", err)
	}
	defer r.Release()
	m, err := what.named(in.descriptor)
	if err != nil {
		return err
	}
	defer m.leave()
	if err := s.allowed(ctx, m); err != nil {
		return err
	}
	p, err := m.plan(r.Schema())
	if err != nil {
		m.metrics.refused(m, err)
		return err
	}
	if l := m.manifest.Limits.Bytes; l > 0 {
		in.expander.limit = min(in.expander.limit, l)
	}
	in.counter = m.session.IO()
	one := func(b arrow.RecordBatch, t *spent) error {
		give := func(out arrow.RecordBatch) error { return what.do(m, out, in.metadata, t) }
		var err error
		if like := what.schema(); like != nil && b.NumRows() == 0 {
			none := noRows(like)
			defer none.Release()
			m.counts.scored(0)
			err = give(none)
		} else {
			err = m.answer(ctx, p, b, len(in.metadata), t, give)
		}
		s.tracing.batch(ctx, m, b.NumRows(), t, err)
		if err == nil {
			m.stages.add(t)
		}
		return err
	}
	for r.Next() {
		what.none = false
		t := spending(in.arrived)
		t.ends(stageDecode)
		if err := one(r.RecordBatch(), t); err != nil {
			return err
		}
	}
	err = r.Err()
	if err == nil || errors.Is(err, io.EOF) {
		if !what.none {
			return nil
		}
		b := noRows(r.Schema())
		defer b.Release()
		return one(b, spending(clock()))
	}
	if _, grpc := status.FromError(err); grpc {
		return err
	}
	return unread("a message of the stream", err)
}

// unread is the error of a message that could not be read: Arrow's are the client's.
func unread(what string, err error) error {
	code := errs.Argument
	if own := (*errs.Error)(nil); errors.As(err, &own) {
		code = own.Code
	}
	return errs.New(code, "%s: %w", what, err)
}

// noRows returns a batch without rows.
func noRows(schema *arrow.Schema) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	return b.NewRecordBatch()
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

// answers are the batches that a stream sends.
type answers struct {
	out     outgoing
	records records
	w       *ipc.Writer // nil where the columns are numbers, which records encodes
	schema  *arrow.Schema
}

// begin sends the schema, or has it sent with the first batch.
func (a *answers) begin(l line, m *Model, schema *arrow.Schema) error {
	a.out.line, a.out.counter = l, m.session.IO()
	a.schema = schema
	if !plain(schema) {
		a.w = ipc.NewWriterWithPayloadWriter(&a.out, ipc.WithSchema(schema))
		return nil
	}
	p := ipc.GetSchemaPayload(schema, memory.DefaultAllocator)
	defer p.Release()
	return a.out.WritePayload(p)
}

// send sends a batch with app metadata.
func (a *answers) send(out arrow.RecordBatch, metadata []byte) error {
	if err := oneSchema(out.Schema(), a.schema); err != nil {
		return err
	}
	h := newHold(out)
	defer h.done()
	if a.w != nil {
		a.out.hold, a.out.metadata = h, metadata
		return a.w.Write(out)
	}
	a.out.message.begin(nil, metadata, h)
	var err error
	if a.out.message.header, err = a.records.encode(out, a.out.message.add); err != nil {
		return err
	}
	return a.out.send()
}

// oneSchema compares the schema of an answer with that of the ones before it.
func oneSchema(got, before *arrow.Schema) error {
	if !got.Equal(before) {
		return errs.New(errs.Shape, "the answer's schema changed from %v to %v: rows of one shape expected in a stream", before, got)
	}
	return nil
}

func (a *answers) close() {
	if a.w != nil {
		_ = a.w.Close() // the stream ends with its status
	}
}
