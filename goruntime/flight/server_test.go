package flight

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

// running is a server under test with its folder.
type running struct {
	t          *testing.T
	dir, addr  string
	repository *Repository
	server     *Server
}

// start serves copies of small models, each with a manifest where one is given.
func start(t *testing.T, o Options, manifests map[string]*arrowio.Manifest, models ...string) *running {
	t.Helper()
	testkit.NoLeaks(t)
	r := &running{t: t, dir: t.TempDir()}
	for _, m := range models {
		r.put(m, m)
		if manifests[m] != nil {
			if err := manifests[m].Write(filepath.Join(r.dir, m+".manifest.json")); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.repository = NewRepository(r.dir, exec.Options{})
	if failed := r.repository.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	r.server = New(r.repository, o)
	ended := make(chan error, 1)
	go func() { ended <- r.server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r.server.Stop(ctx)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		r.nothingIsHeld()
		r.repository.Close()
	})
	return r
}

// held returns what requests hold, all models together: bodies, blocks, bytes in
// flight, requests.
func (r *running) held() [5]int64 {
	runtime.GC() // ends segments that gRPC lost
	h := [5]int64{r.server.wire.io.Stats().LiveBlocks}
	for _, m := range r.repository.All() {
		for i, n := range []int64{m.session.IO().Stats().LiveBlocks, m.session.Execution().Stats().LiveBlocks, m.gate.bytes.Load(), m.gate.waiting.Load()} {
			h[i+1] += n
		}
		m.leave()
	}
	return h
}

// nothingIsHeld fails the test where requests that have ended hold something.
func (r *running) nothingIsHeld() {
	r.t.Helper()
	if !testkit.Settles(func() bool { return r.held() == [5]int64{} }) {
		r.t.Errorf("still held: %v bodies, blocks of I/O and execution, bytes in flight, requests", r.held())
	}
}

// put copies a small model of the tests into the folder under a name.
func (r *running) put(model, name string) {
	r.t.Helper()
	text, err := os.ReadFile("../../tests/models/" + model + ".onnx")
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, name+".onnx"), text, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) connect(creds credentials.TransportCredentials) aflight.Client {
	r.t.Helper()
	if creds == nil {
		creds = insecure.NewCredentials()
	}
	c, err := aflight.NewClientWithMiddleware(r.addr, nil, nil, grpc.WithTransportCredentials(creds))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

var schemaX = arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32, Nullable: true}}, nil)

func batchX(xs ...float32) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schemaX)
	defer b.Release()
	b.Field(0).(*array.Float32Builder).AppendValues(xs, nil)
	return b.NewRecordBatch()
}

// talk is one DoExchange of a client.
type talk struct {
	stream aflight.FlightService_DoExchangeClient
	w      *aflight.Writer
	r      *aflight.Reader
}

func (r *running) talk(ctx context.Context, c aflight.Client, path ...string) *talk {
	r.t.Helper()
	k, err := begin(ctx, c, path...)
	if err != nil {
		r.t.Fatal(err)
	}
	return k
}

func begin(ctx context.Context, c aflight.Client, path ...string) (*talk, error) {
	s, err := c.DoExchange(ctx)
	if err != nil {
		return nil, err
	}
	w := aflight.NewRecordWriter(s, ipc.WithSchema(schemaX))
	w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: path})
	return &talk{stream: s, w: w}, nil
}

// ask sends a batch and returns the first column of the answer.
func (k *talk) ask(metadata string, xs ...float32) ([]float32, error) {
	b := batchX(xs...)
	defer b.Release()
	// A stream that the server ended tells why when it is read.
	sent := k.w.WriteWithAppMetadata(b, []byte(metadata))
	if k.r == nil {
		var err error
		if k.r, err = aflight.NewRecordReader(k.stream); err != nil {
			return nil, err
		}
	}
	if !k.r.Next() {
		if err := k.r.Err(); err != nil {
			return nil, err
		}
		return nil, sent
	}
	if got := string(k.r.LatestAppMetadata()); got != metadata {
		return nil, fmt.Errorf("the answer has the metadata %q, want %q", got, metadata)
	}
	return bytes2floats(k.r.RecordBatch().Column(0)), nil
}

func bytes2floats(a arrow.Array) []float32 {
	return append([]float32(nil), a.(*array.Float32).Float32Values()...)
}

func (k *talk) end() {
	_ = k.stream.CloseSend()
	for k.r != nil && k.r.Next() {
		continue
	}
	if k.r != nil {
		k.r.Release()
	}
}

func same(a, b []float32) bool {
	return fmt.Sprint(a) == fmt.Sprint(b)
}

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

func TestAModelIsReplacedWhileItServes(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	old := r.talk(context.Background(), c, "double")
	defer old.end()
	if got, err := old.ask("", 3); err != nil || got[0] != 6 {
		t.Fatal(got, err)
	}
	time.Sleep(10 * time.Millisecond) // another time of the file
	r.put("chain", "double")
	if failed := r.repository.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	fresh := r.talk(context.Background(), c, "double")
	defer fresh.end()
	if got, err := fresh.ask("", 3); err != nil || got[0] != 12 {
		t.Errorf("the new model gives %v, %v, want 12", got, err)
	}
	if got, err := old.ask("", 3); err != nil || got[0] != 6 {
		t.Errorf("the stream that began before gives %v, %v, want 6", got, err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "double.onnx"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if failed := r.repository.Refresh(); len(failed) != 1 {
		t.Errorf("a damaged file gives %v", failed)
	}
	still := r.talk(context.Background(), c, "double")
	defer still.end()
	if got, err := still.ask("", 3); err != nil || got[0] != 12 {
		t.Errorf("after a damaged file: %v, %v, want 12", got, err)
	}
}

func TestManifestsOfOtherModelsAreRefused(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	text, err := os.ReadFile("../../tests/models/double.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.onnx"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	for _, c := range []struct {
		m    arrowio.Manifest
		text string
	}{
		{arrowio.Manifest{Checksum: strings.Repeat("0", 64)}, "the manifest says 0000"},
		{arrowio.Manifest{Name: "n"}, "the manifest is of the model n, version 1, the file is served as m, version 1"},
		{arrowio.Manifest{Name: "m", Version: "2"}, "the manifest is of the model m, version 2, the file is served as m, version 1"},
		{arrowio.Manifest{Name: "m", Version: "1"}, ""},
	} {
		path := filepath.Join(dir, "m.manifest.json")
		if err := c.m.Write(path); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later.Add(time.Duration(len(c.text))*time.Second)); err != nil {
			t.Fatal(err)
		}
		failed := r.Refresh()
		if c.text == "" && len(failed) > 0 || c.text != "" && (len(failed) != 1 || !strings.Contains(failed[0].Error(), c.text)) {
			t.Errorf("failures %v, want %q", failed, c.text)
		}
	}
}

func TestTokens(t *testing.T) {
	tokens := []Token{{Secret: "all", Admin: true}, {Secret: "one", Models: []string{"double"}}}
	r := start(t, Options{Tokens: tokens}, nil, "double", "chain")
	c := r.connect(nil)
	for _, k := range []struct {
		token, model string
		code         codes.Code
	}{
		{"", "double", codes.Unauthenticated},
		{"wrong", "double", codes.Unauthenticated},
		{"one", "double", codes.OK},
		{"one", "chain", codes.PermissionDenied},
		{"all", "chain", codes.OK},
	} {
		ctx := context.Background()
		if k.token != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+k.token)
		}
		x := r.talk(ctx, c, k.model)
		_, err := x.ask("", 1)
		if status.Code(err) != k.code {
			t.Errorf("token %q, model %s: %v, want %v", k.token, k.model, err, k.code)
		}
		x.end()
	}
	for token, want := range map[string]codes.Code{"one": codes.PermissionDenied, "all": codes.OK} {
		ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
		s, err := c.DoAction(ctx, &aflight.Action{Type: "refresh"})
		if err == nil {
			_, err = s.Recv()
		}
		if status.Code(err) != want {
			t.Errorf("refresh with %q: %v, want %v", token, err, want)
		}
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{TLS: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"h2"}}}, nil, "double")
	known := x509.NewCertPool()
	known.AddCert(certificate)
	k := r.talk(context.Background(), r.connect(credentials.NewClientTLSFromCert(known, "")), "double")
	defer k.end()
	if got, err := k.ask("", 4); err != nil || got[0] != 8 {
		t.Errorf("over TLS: %v, %v", got, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s, err := r.connect(nil).DoExchange(ctx); err == nil {
		if _, err := s.Recv(); err == nil {
			t.Error("plain text is answered")
		}
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
