package flight

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Of Flight SQL the server speaks prepared statements, which is what an ADBC client
// needs to score: the query is a model, NAME or NAME/VERSION, its parameters are the
// batches, and the result set has the answers.
//
//	CreatePreparedStatement  a handle for the model
//	DoPut                    batches in; answers are kept under the handle
//	GetFlightInfo            their schema, and a ticket for them
//	DoGet                    answers out, once
//	ClosePreparedStatement   frees what was not fetched
//	GetSqlInfo               who the server is, which clients ask when they connect

// prepare makes a statement: CreatePreparedStatement.
func (s *service) prepare(ctx context.Context, body []byte) ([]byte, error) {
	request := &pb.ActionCreatePreparedStatementRequest{}
	if err := unwrap(body, request); err != nil {
		return nil, err
	}
	model, version, _ := strings.Cut(strings.TrimSpace(request.Query), "/")
	m, err := s.repository.Get(model, version)
	if err != nil {
		return nil, errs.New(errs.CodeOf(err), "a query is the name of a model, NAME or NAME/VERSION: %w", err)
	}
	defer m.leave()
	if err := s.allowed(ctx, m); err != nil {
		return nil, err
	}
	st, err := s.statements.add(tokenOf(ctx), model, version)
	if err != nil {
		return nil, err
	}
	return wrap(&pb.ActionCreatePreparedStatementResult{
		PreparedStatementHandle: []byte(st.handle), ParameterSchema: aflight.SerializeSchema(schemaOf(m), memory.DefaultAllocator),
		IsUpdate: proto.Bool(false),
	})
}

// unprepare ends a statement: ClosePreparedStatement.
func (s *service) unprepare(ctx context.Context, body []byte) ([]byte, error) {
	request := &pb.ActionClosePreparedStatementRequest{}
	if err := unwrap(body, request); err != nil {
		return nil, err
	}
	st, err := s.statements.get(tokenOf(ctx), string(request.PreparedStatementHandle))
	if err != nil {
		return nil, err
	}
	s.statements.close(st)
	s.statements.put(st)
	return nil, nil
}

// DoPut scores the parameters of a statement and keeps the answers.
func (s *service) DoPut(stream aflight.FlightService_DoPutServer) error {
	return s.patiently(func(p *patience) error {
		var st *statement
		r := &results{of: s.statements}
		defer func() {
			if st != nil {
				s.statements.put(st)
			}
			r.release() // where it was not bound
		}()
		named := func(d *aflight.FlightDescriptor) (m *Model, err error) {
			if st, err = s.query(stream.Context(), d); err != nil {
				return nil, err
			}
			st.rebind()
			return s.repository.Get(st.model, st.version)
		}
		// Clients leave batches without rows out.
		err := s.scored(stream, p, scored{named: named, none: true, schema: func() *arrow.Schema { return r.schema }, do: func(m *Model, out arrow.RecordBatch, _ []byte, _ *spent) error { return r.add(m, out) }})
		if err != nil {
			return err
		}
		bound := r
		r = nil
		if err := st.bind(bound); err != nil {
			return err
		}
		text, err := proto.Marshal(&pb.DoPutPreparedStatementResult{PreparedStatementHandle: []byte(st.handle)})
		if err != nil {
			return errs.New(errs.Internal, "%w", err)
		}
		return stream.Send(&aflight.PutResult{AppMetadata: text})
	})
}

// results describes the answers that a statement has: GetFlightInfo.
func (s *service) results(ctx context.Context, d *aflight.FlightDescriptor) (*aflight.FlightInfo, error) {
	if infoCommand(d.Cmd) != nil {
		return describeInfo(d), nil
	}
	st, err := s.query(ctx, d)
	if err != nil {
		return nil, err
	}
	defer s.statements.put(st)
	t, ok, err := st.bound()
	if err == nil && !ok {
		if err = s.unbound(ctx, st); err == nil {
			t, ok, err = st.bound()
		}
		if err == nil && !ok {
			err = errs.New(errs.Canceled, "the statement was executed by another call at once")
		}
	}
	if err != nil {
		return nil, err
	}
	return &aflight.FlightInfo{
		Schema: aflight.SerializeSchema(t.schema, memory.DefaultAllocator), FlightDescriptor: d, TotalRecords: t.rows, TotalBytes: t.bytes, Ordered: true,
		Endpoint: []*aflight.FlightEndpoint{{Ticket: &aflight.Ticket{Ticket: t.ticket}}},
	}, nil
}

// unbound binds no rows: ADBC's client sends nothing of a batch that has none, so
// a statement without parameters is one with no rows of them.
func (s *service) unbound(ctx context.Context, st *statement) error {
	m, err := s.repository.Get(st.model, st.version)
	if err != nil {
		return err
	}
	defer m.leave()
	if err := s.allowed(ctx, m); err != nil {
		return err
	}
	b := noRows(schemaOf(m))
	defer b.Release()
	p, err := m.plan(b.Schema())
	if err != nil {
		return errs.New(errs.CodeOf(err), "no parameters are bound, and the model %q does not tell what no rows of them are: %w", st.model, err)
	}
	r := &results{of: s.statements}
	c, end := newCaller(ctx)
	defer end()
	if err := m.answer(c, p, b, 0, spending(clock()), func(out arrow.RecordBatch) error { return r.add(m, out) }); err != nil {
		r.release()
		return err
	}
	return st.bind(r)
}

// DoGet sends the answers of a statement, each of which ends when it was sent, or what
// the server tells about itself.
func (s *service) DoGet(ticket *aflight.Ticket, stream aflight.FlightService_DoGetServer) error {
	if command := infoCommand(ticket.Ticket); command != nil {
		return statusOf(sendInfo(command, stream))
	}
	return s.patiently(func(p *patience) error {
		at := len(ticket.Ticket) - 8
		if at < 0 {
			return errs.New(errs.Argument, "a ticket of %d bytes: one that GetFlightInfo gave expected", len(ticket.Ticket))
		}
		st, err := s.statements.get(tokenOf(stream.Context()), string(ticket.Ticket[:at]))
		if err != nil {
			return err
		}
		defer s.statements.put(st)
		r, err := st.take(binary.BigEndian.Uint64(ticket.Ticket[at:]))
		if err != nil {
			return err
		}
		defer r.release()
		var x answers
		defer x.close()
		if err := x.begin(s.line(stream, p), r.model, r.schema); err != nil {
			return err
		}
		for b := r.next(); b != nil; b = r.next() {
			err := x.send(b, nil)
			b.Release()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// query returns the statement that a command executes, in use until it is put.
func (s *service) query(ctx context.Context, d *aflight.FlightDescriptor) (*statement, error) {
	command := &pb.CommandPreparedStatementQuery{}
	if d == nil || d.Type != aflight.DescriptorCMD {
		return nil, errs.New(errs.Argument, "a descriptor with a command expected: batches are scored by DoExchange, or as the parameters of a prepared statement")
	}
	if err := unwrap(d.Cmd, command); err != nil {
		return nil, err
	}
	return s.statements.get(tokenOf(ctx), string(command.PreparedStatementHandle))
}

// unwrap reads a message out of the google.protobuf.Any that commands travel in.
//
// Errors: errs.Unsupported for another message.
func unwrap(body []byte, into proto.Message) error {
	box := &anypb.Any{}
	if err := proto.Unmarshal(body, box); err != nil {
		return errs.New(errs.Argument, "a command that is no google.protobuf.Any: %w", err)
	}
	if !box.MessageIs(into) {
		return errs.New(errs.Unsupported, "%s is not served, of Flight SQL only queries by prepared statement: the query is a model, its parameters are the rows", box.MessageName().Name())
	}
	if err := box.UnmarshalTo(into); err != nil {
		return errs.New(errs.Argument, "a %s: %w", box.MessageName().Name(), err)
	}
	return nil
}

func wrap(m proto.Message) ([]byte, error) {
	box, err := anypb.New(m)
	if err != nil {
		return nil, errs.New(errs.Internal, "%w", err)
	}
	text, err := proto.Marshal(box)
	if err != nil {
		return nil, errs.New(errs.Internal, "%w", err)
	}
	return text, nil
}
