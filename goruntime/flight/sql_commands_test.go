package flight

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func TestCommandsThatAreNotServed(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	a := r.sql()
	wrapped, err := wrap(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: []byte("made up")})
	if err != nil {
		t.Fatal(err)
	}
	describe := func(d *aflight.FlightDescriptor) error {
		_, err := a.Client.Client.GetFlightInfo(a.ctx, d)
		return err
	}
	for name, c := range map[string]struct {
		err  error
		code codes.Code
		text string
	}{
		"a query of no model":   {func() error { _, err := a.Prepare(a.ctx, "SELECT 1"); return err }(), codes.NotFound, `no model "SELECT 1"`},
		"a plain query":         {func() error { _, err := a.Execute(a.ctx, "double"); return err }(), codes.Unimplemented, "CommandStatementQuery is not served"},
		"tables":                {func() error { _, err := a.GetTableTypes(a.ctx); return err }(), codes.Unimplemented, "CommandGetTableTypes is not served"},
		"a handle of nothing":   {describe(&aflight.FlightDescriptor{Type: aflight.DescriptorCMD, Cmd: wrapped}), codes.NotFound, "no statement of that handle"},
		"a command of nonsense": {describe(&aflight.FlightDescriptor{Type: aflight.DescriptorCMD, Cmd: []byte{0xff}}), codes.InvalidArgument, "no google.protobuf.Any"},
		"a ticket of nonsense":  {func() error { _, err := a.fetch(&aflight.Ticket{Ticket: []byte("x")}); return err }(), codes.InvalidArgument, "a ticket of 1 bytes"},
		"a ticket of no handle": {func() error { _, err := a.fetch(&aflight.Ticket{Ticket: make([]byte, 40)}); return err }(), codes.NotFound, "no statement of that handle"},
		"columns that do not fit": {func() error {
			p := a.prepare("double")
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
			p.SetParameters(array.NewRecordBatch(schema, []arrow.Array{array.MakeArrayOfNull(memory.DefaultAllocator, arrow.PrimitiveTypes.Float64, 1)}, 1))
			_, err := p.answers()
			return err
		}(), codes.InvalidArgument, "f64, f32 expected"},
		"the answers to columns that did not fit": {func() error {
			p := a.prepare("double")
			command, err := wrap(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: p.Handle()})
			if err != nil {
				return err
			}
			d := &aflight.FlightDescriptor{Type: aflight.DescriptorCMD, Cmd: command}
			s, err := a.Client.Client.DoPut(a.ctx)
			if err != nil {
				return err
			}
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
			w := aflight.NewRecordWriter(s, ipc.WithSchema(schema))
			w.SetFlightDescriptor(d)
			_ = w.Write(noRows(schema)) // a stream that the server ended tells why when it is read
			if _, err := s.Recv(); status.Code(err) != codes.InvalidArgument {
				return err
			}
			return describe(d)
		}(), codes.InvalidArgument, "were not scored: bind them again"},
		"a path where a command belongs": {func() error {
			s := a.put(a.ctx, &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}}, 1)
			_, err := s.Recv()
			return err
		}(), codes.InvalidArgument, "a descriptor with a command expected"},
	} {
		if status.Code(c.err) != c.code || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v, want %v %q", name, c.err, c.code, c.text)
		}
	}
}

func TestTheServerTellsWhoItIs(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	a := r.sql()
	for _, c := range []struct {
		asked []flightsql.SqlInfo
		want  string
	}{
		{nil, "[0 goruntime] [2 " + arrow.PkgVersion + "] [3 true] [4 false] [5 false] [8 0] [9 false]"},
		{[]flightsql.SqlInfo{flightsql.SqlInfoFlightSqlServerName, flightsql.SqlInfoFlightSqlServerTransaction}, "[0 goruntime] [8 0]"},
		{[]flightsql.SqlInfo{flightsql.SqlInfoDDLCatalog}, ""},
	} {
		info, err := a.GetSqlInfo(a.ctx, c.asked)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := a.DoGet(a.ctx, info.Endpoint[0].Ticket)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for rows.Next() {
			b := rows.RecordBatch()
			values := b.Column(1).(*array.DenseUnion)
			for i := range int(b.NumRows()) {
				value := values.Field(values.ChildID(i)).ValueStr(int(values.ValueOffset(i)))
				got = append(got, fmt.Sprint([]any{b.Column(0).(*array.Uint32).Value(i), value}))
			}
		}
		if err := rows.Err(); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("asked for %v: %v, %v, want %s", c.asked, got, err, c.want)
		}
		rows.Release()
	}
}

func TestActionsOfStatementsAreChecked(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	do := func(kind string, body []byte) error {
		s, err := c.DoAction(context.Background(), &aflight.Action{Type: kind, Body: body})
		if err == nil {
			_, err = s.Recv()
		}
		return err
	}
	other, err := wrap(&pb.ActionBeginTransactionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := wrap(&pb.ActionClosePreparedStatementRequest{PreparedStatementHandle: []byte("made up")})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := proto.Marshal(&pb.ActionCreatePreparedStatementRequest{Query: "double"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind string
		body []byte
		code codes.Code
	}{
		"another message":        {"CreatePreparedStatement", other, codes.Unimplemented},
		"no Any":                 {"CreatePreparedStatement", []byte{0xff}, codes.InvalidArgument},
		"the message by itself":  {"CreatePreparedStatement", bare, codes.Unimplemented},
		"a handle of nothing":    {"ClosePreparedStatement", unknown, codes.NotFound},
		"closing by other means": {"ClosePreparedStatement", other, codes.Unimplemented},
	} {
		if err := do(c.kind, c.body); status.Code(err) != c.code {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
	}
}
