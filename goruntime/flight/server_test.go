package flight

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func TestBatchesAreAnsweredInOrder(t *testing.T) {
	r := start(t, Options{}, nil, "double", "sum")
	k := r.talk(context.Background(), r.connect(nil), "double")
	defer k.end()
	for i := range 20 {
		got, err := k.ask(fmt.Sprint("batch ", i), float32(i), 1)
		if err != nil || !same(got, []float32{2 * float32(i), 2}) {
			t.Fatalf("batch %d: %v, %v", i, got, err)
		}
	}
}

func TestModelsDescribeThemselves(t *testing.T) {
	rows := &arrowio.Manifest{
		Inputs:  map[string]arrowio.InputRule{"x": {Columns: strings.Split("abcdefg", ""), Fill: 0.0}},
		Outputs: []arrowio.OutputRule{{Value: "y", Column: "score"}},
	}
	r := start(t, Options{}, map[string]*arrowio.Manifest{"rows": rows}, "double", "fixed", "rows")
	c := r.connect(nil)
	list, err := c.ListFlights(context.Background(), &aflight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for {
		f, err := list.Recv()
		if err != nil {
			break
		}
		names = append(names, strings.Join(f.FlightDescriptor.Path, "/"))
	}
	if fmt.Sprint(names) != "[double/1 fixed/1 rows/1]" {
		t.Errorf("flights %v", names)
	}
	s, err := c.GetSchema(context.Background(), &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"fixed"}})
	if err != nil {
		t.Fatal(err)
	}
	schema, err := aflight.DeserializeSchema(s.Schema, memory.DefaultAllocator)
	if err != nil || schema.Field(0).Type.String() != arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32).String() {
		t.Errorf("schema %v, %v", schema, err)
	}
	info, err := c.GetFlightInfo(context.Background(), &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"rows"}})
	if err != nil {
		t.Fatal(err)
	}
	schema, err = aflight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil || schema.NumFields() != 7 {
		t.Fatalf("by a manifest, the columns are %v, %v", schema, err)
	}
	for i, want := range schemaColumns.Fields() {
		if got := schema.Field(i); got.Name != want.Name || got.Type.ID() != want.Type.ID() || !got.Nullable {
			t.Errorf("by a manifest, column %d is %v, want %v", i, got, want)
		}
	}
	if i := schema.Metadata().FindKey("goruntime.output.score"); i < 0 {
		t.Errorf("by a manifest, the answers are %v", schema.Metadata())
	}
}

func TestWhatIsRefused(t *testing.T) {
	limits := map[string]*arrowio.Manifest{"double": {Limits: arrowio.Limits{Rows: 2}}, "chain": {Limits: arrowio.Limits{InFlightBytes: 4}}}
	r := start(t, Options{}, limits, "double", "sum", "chain")
	c := r.connect(nil)
	for _, k := range []struct {
		path []string
		rows int
		code codes.Code
		text string
	}{
		{[]string{"none"}, 1, codes.NotFound, `no model "none"`},
		{[]string{"double", "7"}, 1, codes.NotFound, `version "7"`},
		{nil, 1, codes.InvalidArgument, "the path [NAME] or [NAME, VERSION]"},
		{[]string{"sum"}, 1, codes.NotFound, "no columns for the inputs y"},
		{[]string{"double"}, 3, codes.InvalidArgument, "3 rows given, at most 2 allowed"},
		{[]string{"chain"}, 3, codes.ResourceExhausted, "bytes are in flight"},
	} {
		x := r.talk(context.Background(), c, k.path...)
		_, err := x.ask("m", make([]float32, k.rows)...)
		if status.Code(err) != k.code || !strings.Contains(fmt.Sprint(err), k.text) {
			t.Errorf("%v: %v, want %v with %q", k.path, err, k.code, k.text)
		}
		x.end()
	}
	x := r.talk(context.Background(), c, "double")
	defer x.end()
	if got, err := x.ask("", 1); err != nil || got[0] != 2 {
		t.Errorf("after refusals: %v, %v", got, err)
	}
}

// Requests that run together get the bits that each gets alone, and the whole answer.
func TestBatchedAnswersAreThoseOfSingleOnes(t *testing.T) {
	batching := map[string]*arrowio.Manifest{"chain": {Batch: arrowio.Batching{MaxRows: 64, DelayMicros: 2000}}}
	r := start(t, Options{}, batching, "chain", "double")
	c := r.connect(nil)
	var wg sync.WaitGroup
	for client := range 8 {
		wg.Go(func() {
			k := r.talk(context.Background(), c, "chain")
			defer k.end()
			for i := range 30 {
				xs := make([]float32, 1+(client*7+i)%40)
				want := make([]float32, len(xs))
				for j := range xs {
					// Rounded after each step, also where Go may fuse two.
					xs[j] = float32(float32(client*1000+i*10+j) * 0.37)
					want[j] = float32(xs[j]*xs[j]) + xs[j]
				}
				got, err := k.ask(fmt.Sprint(client, i), xs...)
				if err != nil || !same(got, want) {
					t.Errorf("client %d, batch %d: %v, %v, want %v", client, i, got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
	families, err := r.server.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			if m.Counter != nil {
				seen[f.GetName()] += m.Counter.GetValue()
			}
		}
	}
	if seen["goruntime_batches_total"] != 240 || seen["goruntime_dispatches_total"] >= 240 || seen["goruntime_dispatches_total"] == 0 {
		t.Errorf("counted %v: 240 batches in fewer dispatches expected", seen)
	}
}

func TestClientsThatVanishLeaveNothing(t *testing.T) {
	batching := map[string]*arrowio.Manifest{"double": {Batch: arrowio.Batching{MaxRows: 1 << 20, DelayMicros: 50000}}}
	r := start(t, Options{}, batching, "double", "slow")
	for range 5 {
		c := r.connect(nil)
		ctx, cancel := context.WithCancel(context.Background())
		k := r.talk(ctx, c, "double")
		b := batchX(make([]float32, 1000)...)
		if err := k.w.Write(b); err != nil {
			t.Fatal(err)
		}
		b.Release()
		cancel()
	}
	if !testkit.Settles(func() bool {
		m, err := r.repository.Get("double", "")
		if err != nil {
			return false
		}
		defer m.leave()
		return m.gate.waiting.Load() == 0 && m.session.IO().Stats().LiveBlocks == 0
	}) {
		t.Error("requests of clients that are gone are still held")
	}
}

func TestActions(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	do := func(kind, body string) (map[string]any, error) {
		s, err := c.DoAction(context.Background(), &aflight.Action{Type: kind, Body: []byte(body)})
		if err != nil {
			return nil, err
		}
		result, err := s.Recv()
		if err != nil {
			return nil, err
		}
		out := map[string]any{}
		return out, json.NewDecoder(bytes.NewReader(result.Body)).Decode(&out)
	}
	if got, err := do("health", ""); err != nil || got["models"] != 1.0 {
		t.Errorf("health: %v, %v", got, err)
	}
	if got, err := do("stats", `{"model": "double"}`); err != nil || got["version"] != "1" {
		t.Errorf("stats: %v, %v", got, err)
	}
	if _, err := do("stats", `{"model": "none"}`); status.Code(err) != codes.NotFound {
		t.Errorf("stats of no model: %v", err)
	}
	if _, err := do("stats", `[`); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a body that is no JSON: %v", err)
	}
	if _, err := do("dance", ""); status.Code(err) != codes.NotFound {
		t.Errorf("an unknown action: %v", err)
	}
	if got, err := do("unload", `{"model": "double"}`); err != nil || got["models"] != 0.0 {
		t.Errorf("unload: %v, %v", got, err)
	}
	if got, err := do("refresh", ""); err != nil || got["models"] != 0.0 {
		t.Errorf("refresh: %v, %v, which is no word to load it", got, err)
	}
	if got, err := do("load", `{"model": "double"}`); err != nil || got["models"] != 1.0 {
		t.Errorf("load: %v, %v", got, err)
	}
	if _, err := do("load", `{"model": "none"}`); status.Code(err) != codes.NotFound {
		t.Errorf("load of no model: %v", err)
	}
	if _, err := do("unload", `{"model": "double"}`); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(r.dir, "double.onnx"), later, later); err != nil {
		t.Fatal(err)
	}
	if got, err := do("refresh", ""); err != nil || got["models"] != 1.0 {
		t.Errorf("refresh after the file changed: %v, %v", got, err)
	}
	if _, err := do("unload", `{"model": "double"}`); err != nil {
		t.Fatal(err)
	}
	if got, err := do("load", ""); err != nil || got["models"] != 1.0 {
		t.Errorf("load of all: %v, %v", got, err)
	}
}

// Some clients send the descriptor before the schema, and metadata without a batch.
func TestMessagesWithoutAHeaderArePassedOver(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	s, err := r.connect(nil).DoExchange(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	first := &aflight.FlightData{FlightDescriptor: &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}}}
	for _, d := range []*aflight.FlightData{first, {AppMetadata: []byte("alone")}} {
		if err := s.Send(d); err != nil {
			t.Fatal(err)
		}
	}
	k := &talk{stream: s, w: aflight.NewRecordWriter(s, ipc.WithSchema(schemaX))}
	defer k.end()
	if got, err := k.ask("m", 3); err != nil || got[0] != 6 {
		t.Errorf("got %v, %v", got, err)
	}
}

// Bodies are received into one block each and sent as they lie: one copy in, one out.
func TestPayloadsAreCopiedOnceEachWay(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	k := r.talk(context.Background(), r.connect(nil), "double")
	defer k.end()
	xs := make([]float32, 250000)
	for range 3 {
		if _, err := k.ask("", xs...); err != nil {
			t.Fatal(err)
		}
	}
	m, err := r.repository.Get("double", "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	before, bodies := m.session.IO().Stats(), r.server.wire.io.Stats()
	for range 10 {
		if _, err := k.ask("", xs...); err != nil {
			t.Fatal(err)
		}
	}
	after := m.session.IO().Stats()
	for why := range arena.NumCopyReasons {
		want := int64(0)
		if why == arena.CopyReceive || why == arena.CopySend {
			want = 10
		}
		if n := after.Copies[why] - before.Copies[why]; n != want {
			t.Errorf("%d copies %v for 10 batches, want %d", n, why, want)
		}
		if n := after.CopiedBytes[why] - before.CopiedBytes[why]; n < want*1000000 || n > want*1000100 {
			t.Errorf("%d bytes copied %v for 10 batches of a million", n, why)
		}
	}
	if n := r.server.wire.io.Stats().SystemAllocations - bodies.SystemAllocations; n != 0 {
		t.Errorf("%d system allocations in steady state", n)
	}
	if !testkit.Settles(func() bool { return r.server.wire.io.Stats().LiveBlocks <= 1 }) {
		t.Errorf("%d bodies are still held", r.server.wire.io.Stats().LiveBlocks)
	}
}

// Through protobuf's codec the same is answered, with more copies, all of them counted.
func TestTheStockCodecAnswersAlike(t *testing.T) {
	r := start(t, Options{Stock: true}, nil, "double")
	c := r.connect(nil)
	k := r.talk(context.Background(), c, "double")
	defer k.end()
	for i := range 5 {
		got, err := k.ask(fmt.Sprint("batch ", i), float32(i), 1)
		if err != nil || !same(got, []float32{2 * float32(i), 2}) {
			t.Fatalf("batch %d: %v, %v", i, got, err)
		}
	}
	m, err := r.repository.Get("double", "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	if c := m.session.IO().Stats().Copies; c[arena.CopyReceive] != 10 || c[arena.CopySend] != 15 {
		t.Errorf("%d copies in and %d out of 5 batches, want 2 and 3 of each", c[arena.CopyReceive], c[arena.CopySend])
	}
	refused := r.talk(context.Background(), c, "none")
	defer refused.end()
	if _, err := refused.ask("", 1); status.Code(err) != codes.NotFound {
		t.Errorf("no model: %v", err)
	}
	a := r.sql().prepare("double")
	defer a.close()
	a.bind([]float32{1, 2}, []float32{3})
	if got, err := a.answers(); err != nil || len(got) != 2 || !same(got[0], []float32{2, 4}) || !same(got[1], []float32{6}) {
		t.Errorf("a statement: %v, %v", got, err)
	}
}

// Lists that are not there do not tell how long they are: a batch without rows is answered by
// the schema of the answers before it, and cannot be the first.
func TestBatchesWithoutRowsAmongLists(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)}}, nil)
	batch := func(text string) arrow.RecordBatch {
		b, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	begin := func() (*aflight.Writer, aflight.FlightService_DoExchangeClient) {
		s, err := c.DoExchange(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		w := aflight.NewRecordWriter(s, ipc.WithSchema(schema))
		w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}})
		return w, s
	}
	w, s := begin()
	var answers *aflight.Reader
	for i, k := range []struct{ text, want string }{{`[{"x":[1,2]},{"x":[3,4]}]`, `[[2 4] [6 8]]`}, {`[]`, `[]`}, {`[{"x":[5,6]}]`, `[[10 12]]`}} {
		b := batch(k.text)
		if err := w.WriteWithAppMetadata(b, []byte(k.text)); err != nil {
			t.Fatal(err)
		}
		b.Release()
		if answers == nil {
			var err error
			if answers, err = aflight.NewRecordReader(s); err != nil {
				t.Fatal(err)
			}
			defer answers.Release()
		}
		if !answers.Next() {
			t.Fatal(i, answers.Err())
		}
		if got := fmt.Sprint(answers.RecordBatch().Column(0)); got != k.want || string(answers.LatestAppMetadata()) != k.text {
			t.Errorf("%s gives %s with %s, want %s", k.text, got, answers.LatestAppMetadata(), k.want)
		}
	}
	_ = s.CloseSend()
	w, s = begin()
	b := batch(`[]`)
	defer b.Release()
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "begin with rows") {
		t.Errorf("no rows first: %v", err)
	}
}

// What is sent need not be Arrow at all.
func TestHostileStreams(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	path := &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}}
	b := batchX(1, 2, 3)
	defer b.Release()
	schema := aflight.SerializeSchema(schemaX, memory.DefaultAllocator)
	for name, list := range map[string][]*aflight.FlightData{
		"nothing":          {},
		"an empty message": {{FlightDescriptor: path}},
		"bytes":            {{FlightDescriptor: path, DataHeader: []byte("no flatbuffer at all"), DataBody: []byte("x")}},
		"half a schema":    {{FlightDescriptor: path, DataHeader: schema[8 : len(schema)/2]}},
	} {
		s, err := c.DoExchange(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			_ = s.Send(d)
		}
		_ = s.CloseSend()
		if _, err := s.Recv(); err == nil || status.Code(err) == codes.OK {
			t.Errorf("%s is answered", name)
		}
	}
	k := r.talk(context.Background(), c, "double")
	defer k.end()
	if got, err := k.ask("", 2); err != nil || got[0] != 4 {
		t.Errorf("after hostile streams: %v, %v", got, err)
	}
}
