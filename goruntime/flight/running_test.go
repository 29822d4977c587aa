package flight

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

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
