package flight

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// asker is arrow-go's own Flight SQL client.
type asker struct {
	*flightsql.Client
	t   *testing.T
	ctx context.Context
}

func (r *running) sql() *asker {
	return &asker{&flightsql.Client{Client: r.connect(nil)}, r.t, context.Background()}
}

// with returns the client with a bearer token.
func (a *asker) with(secret string) *asker {
	return &asker{a.Client, a.t, metadata.AppendToOutgoingContext(a.ctx, "authorization", "Bearer "+secret)}
}

// prepared is a statement of a client.
type prepared struct {
	*flightsql.PreparedStatement
	a *asker
}

func (a *asker) prepare(query string) *prepared {
	a.t.Helper()
	p, err := a.Prepare(a.ctx, query)
	if err != nil {
		a.t.Fatal(err)
	}
	return &prepared{p, a}
}

// bind gives the statement batches, each of some values of x.
func (p *prepared) bind(lists ...[]float32) {
	p.a.t.Helper()
	var list []arrow.RecordBatch
	for _, xs := range lists {
		list = append(list, batchX(xs...))
	}
	r, err := array.NewRecordReader(schemaX, list)
	if err != nil {
		p.a.t.Fatal(err)
	}
	p.SetRecordReader(r)
	r.Release()
	for _, b := range list {
		b.Release()
	}
}

// fetch reads the answers of a ticket.
func (a *asker) fetch(ticket *aflight.Ticket) ([][]float32, error) {
	r, err := a.DoGet(a.ctx, ticket)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var got [][]float32
	for r.Next() {
		got = append(got, bytes2floats(r.RecordBatch().Column(0)))
	}
	return got, r.Err()
}

// answers executes the statement and reads what it gives.
func (p *prepared) answers() ([][]float32, error) {
	info, err := p.Execute(p.a.ctx)
	if err != nil {
		return nil, err
	}
	return p.a.fetch(info.Endpoint[0].Ticket)
}

func (p *prepared) close() {
	p.a.t.Helper()
	if err := p.Close(p.a.ctx); err != nil {
		p.a.t.Error(err)
	}
}

// keeps returns the answers that statements hold: bytes and blocks.
func (r *running) keeps() (bytes, blocks int64) {
	for _, m := range r.repository.All() {
		blocks += m.session.IO().Stats().LiveBlocks
		m.leave()
	}
	return r.server.service.statements.held.Load(), blocks
}

func TestStatementsScoreTheirParameters(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	for _, query := range []string{"double", " double/1 "} {
		p := r.sql().prepare(query)
		if f := p.ParameterSchema().Field(0); f.Name != "x" {
			t.Errorf("%q: the parameters are %v", query, p.ParameterSchema())
		}
		for i := range 3 {
			x := float32(i)
			p.bind([]float32{x, 2}, nil, []float32{3})
			info, err := p.Execute(p.a.ctx)
			if err != nil || info.TotalRecords != 3 {
				t.Fatalf("%v, %v", info, err)
			}
			got, err := p.a.fetch(info.Endpoint[0].Ticket)
			if err != nil || len(got) != 3 || !same(got[0], []float32{2 * x, 4}) || len(got[1]) != 0 || !same(got[2], []float32{6}) {
				t.Errorf("%q, execution %d: %v, %v", query, i, got, err)
			}
			if bytes, blocks := r.keeps(); bytes != 0 || blocks != 0 {
				t.Errorf("%d bytes, %d blocks are held after the answers were fetched", bytes, blocks)
			}
		}
		p.bind()
		if got, err := p.answers(); err != nil || len(got) != 1 || len(got[0]) != 0 {
			t.Errorf("%q: no batches give %v, %v, want a batch without rows", query, got, err)
		}
		if got, err := p.answers(); err != nil || len(got) != 1 || len(got[0]) != 0 {
			t.Errorf("%q: no parameters give %v, %v, want a batch without rows", query, got, err)
		}
		p.close()
	}
	m, err := r.repository.Get("double", "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	// 2 queries, 3 executions each, of two batches with rows.
	if c := m.session.IO().Stats().Copies; c[arena.CopyReceive] != 12 || c[arena.CopySend] != 12 {
		t.Errorf("copies %v, want 12 in and 12 out", c)
	}
}

// heldHere is what an answer of 1000 numbers counts.
const heldHere = 4000 + answerBytes

func TestWhatAStatementHoldsEnds(t *testing.T) {
	r := start(t, Options{Idle: 400 * time.Millisecond}, nil, "double")
	a := r.sql()
	held := func(want int64) {
		t.Helper()
		if !testkit.Settles(func() bool { bytes, blocks := r.keeps(); return bytes == heldHere*want && blocks == want }) {
			bytes, blocks := r.keeps()
			t.Errorf("%d bytes in %d blocks are held, want %d answers", bytes, blocks, want)
		}
	}
	execute := func(p *prepared) *aflight.Ticket {
		t.Helper()
		p.bind(make([]float32, 1000), make([]float32, 1000))
		info, err := p.Execute(a.ctx)
		if err != nil {
			t.Fatal(err)
		}
		return info.Endpoint[0].Ticket
	}
	p := a.prepare("double")
	stale := execute(p)
	held(2)
	ticket := execute(p) // ends what was not fetched
	held(2)
	if _, err := a.fetch(stale); status.Code(err) != codes.NotFound {
		t.Errorf("answers that others replaced: %v", err)
	}
	if _, err := a.fetch(ticket); err != nil {
		t.Error(err)
	}
	held(0)
	if _, err := a.fetch(ticket); status.Code(err) != codes.NotFound {
		t.Errorf("answers that were fetched: %v", err)
	}
	execute(p)
	p.close()
	held(0)
	execute(a.prepare("double")) // whose client vanishes
	held(2)
	time.Sleep(time.Second)
	held(0)
	execute(a.prepare("double")) // which the end of the server ends: see start
}

func TestAnswersOutliveTheirModel(t *testing.T) {
	r := start(t, Options{}, nil, "double", "sum")
	a := r.sql()
	p := a.prepare("double")
	p.bind([]float32{1}, []float32{2, 3})
	info, err := p.Execute(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.repository.Unload("double", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := a.fetch(info.Endpoint[0].Ticket); err != nil || len(got) != 2 || !same(got[1], []float32{4, 6}) {
		t.Errorf("fetched after the model went: %v, %v", got, err)
	}
	p.bind([]float32{1})
	if _, err := p.answers(); status.Code(err) != codes.NotFound {
		t.Errorf("executed after the model went: %v", err)
	}
	p.close()
}

// However long its parameters take to arrive.
func TestAStatementInUseStays(t *testing.T) {
	r := start(t, Options{Idle: 3 * time.Second}, nil, "double")
	a := r.sql()
	p := a.prepare("double")
	command, err := wrap(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: p.Handle()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Client.Client.DoPut(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := aflight.NewRecordWriter(s, ipc.WithSchema(schemaX))
	w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorCMD, Cmd: command})
	b := batchX(1, 2)
	defer b.Release()
	for range 8 {
		time.Sleep(500 * time.Millisecond)
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err != nil {
		t.Fatal(err)
	}
	if got, err := p.answers(); err != nil || len(got) != 8 {
		t.Errorf("%v, %v, want 8 batches", got, err)
	}
}

func TestStatementsAreBounded(t *testing.T) {
	r := start(t, Options{Held: 15_000}, nil, "double")
	a := r.sql()
	first, second := a.prepare("double"), a.prepare("double")
	first.bind(make([]float32, 1000))
	info, err := first.Execute(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	second.bind(make([]float32, 1000), make([]float32, 1000))
	_, err = second.Execute(a.ctx)
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "statements hold 15072 bytes of answers, at most 15000 allowed") {
		t.Errorf("answers beyond the bound: %v", err)
	}
	if open, bytes := r.counted("goruntime_statements"), r.counted("goruntime_statement_bytes"); open != 2 || bytes != heldHere {
		t.Errorf("the metrics say %v statements with %v bytes, want 2 and %d", open, bytes, heldHere)
	}
	if bytes, blocks := r.keeps(); bytes != heldHere || blocks != 1 {
		t.Errorf("%d bytes, %d blocks are held, want those of the first statement", bytes, blocks)
	}
	if _, err := a.fetch(info.Endpoint[0].Ticket); err != nil {
		t.Error(err)
	}
	second.bind(make([]float32, 1000), make([]float32, 1000))
	if got, err := second.answers(); err != nil || len(got) != 2 {
		t.Errorf("there is room again: %d batches, %v", len(got), err)
	}
	second.bind(make([][]float32, 15)...)
	if _, err := second.Execute(a.ctx); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("answers without rows beyond the bound: %v", err)
	}
	for range maxStatements - 2 {
		a.prepare("double")
	}
	if _, err := a.Prepare(a.ctx, "double"); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a statement too many: %v", err)
	}
}

func TestStatementsBelongToTheirCaller(t *testing.T) {
	r := start(t, Options{Tokens: []Token{{Secret: "a"}, {Secret: "b"}, {Secret: "c", Models: []string{"sum"}}}}, nil, "double", "sum")
	a := r.sql()
	if _, err := a.Prepare(a.ctx, "double"); status.Code(err) != codes.Unauthenticated {
		t.Errorf("without a token: %v", err)
	}
	if _, err := a.Prepare(a.with("c").ctx, "double"); status.Code(err) != codes.PermissionDenied {
		t.Errorf("with a token for another model: %v", err)
	}
	p := a.with("a").prepare("double")
	p.bind([]float32{1})
	info, err := p.Execute(p.a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	b := a.with("b")
	if _, err := b.fetch(info.Endpoint[0].Ticket); status.Code(err) != codes.NotFound {
		t.Errorf("another's answers: %v", err)
	}
	if got, err := p.a.fetch(info.Endpoint[0].Ticket); err != nil || !same(got[0], []float32{2}) {
		t.Errorf("one's own answers: %v, %v", got, err)
	}
}

// put begins a DoPut with batches.
func (a *asker) put(ctx context.Context, d *aflight.FlightDescriptor, batches int) grpc.BidiStreamingClient[aflight.FlightData, aflight.PutResult] {
	a.t.Helper()
	s, err := a.Client.Client.DoPut(ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	w := aflight.NewRecordWriter(s, ipc.WithSchema(schemaX))
	w.SetFlightDescriptor(d)
	b := batchX(make([]float32, 1000)...)
	defer b.Release()
	for range batches {
		_ = w.Write(b) // a stream that the server ended tells why when it is read
	}
	return s
}

// A client that goes while its parameters are scored leaves nothing; its statement
// lives on, without answers.
func TestClientsThatVanishWhileTheyBind(t *testing.T) {
	manifests := map[string]*arrowio.Manifest{"double": {Batch: arrowio.Batching{MaxRows: 1 << 20, DelayMicros: 20000}}}
	r := start(t, Options{}, manifests, "double")
	a := r.sql()
	p := a.prepare("double")
	command, err := wrap(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: p.Handle()})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		ctx, cancel := context.WithCancel(a.ctx)
		a.put(ctx, &aflight.FlightDescriptor{Type: aflight.DescriptorCMD, Cmd: command}, 3)
		cancel()
	}
	r.nothingIsHeld()
	// Where not one of the calls reached the server, no parameters have come.
	if got, err := p.answers(); status.Code(err) != codes.InvalidArgument && (err != nil || len(got[0]) != 0) {
		t.Errorf("executed without parameters: %v, %v", got, err)
	}
	p.bind([]float32{5})
	if got, err := p.answers(); err != nil || !same(got[0], []float32{10}) {
		t.Errorf("bound again: %v, %v", got, err)
	}
}

// Statements run together where the manifest says so, and each has its own rows.
func TestStatementsTogetherGetTheirOwnRows(t *testing.T) {
	manifests := map[string]*arrowio.Manifest{"chain": {Batch: arrowio.Batching{MaxRows: 64, DelayMicros: 2000}}}
	r := start(t, Options{}, manifests, "chain")
	var wg sync.WaitGroup
	for client := range 4 {
		p := r.sql().prepare("chain")
		defer p.close()
		wg.Go(func() {
			for i := range 20 {
				xs, want := make([]float32, 1+(client+i)%9), make([]float32, 1+(client+i)%9)
				for j := range xs {
					xs[j] = float32(client*1000+i*10+j) * 0.37
					want[j] = xs[j]*xs[j] + xs[j]
				}
				p.bind(xs, xs[:1])
				got, err := p.answers()
				if err != nil || len(got) != 2 || !same(got[0], want) || !same(got[1], want[:1]) {
					t.Errorf("client %d, execution %d: %v, %v, want %v", client, i, got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
	if batches, runs := r.counted("goruntime_batches_total"), r.counted("goruntime_dispatches_total"); batches != 160 || runs == 0 || runs >= batches {
		t.Errorf("%v batches in %v runs, want 160 in fewer", batches, runs)
	}
}
