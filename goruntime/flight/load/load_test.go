package load_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/flight"
	"github.com/goruntime/goruntime/goruntime/flight/load"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

// serve serves the model double and returns its target.
func serve(t *testing.T, o flight.Options) load.Target {
	t.Helper()
	testkit.NoLeaks(t)
	dir := testkit.ModelFolder(t, "../../../tests/models/double.onnx", "double.onnx")
	r := flight.NewRepository(dir, exec.Options{})
	if failed := r.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	server := flight.New(r, o)
	address := listen(t, server.Serve)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		server.Stop(ctx)
		r.Close()
	})
	return load.Target{Address: address, Path: []string{"double"}}
}

// listen serves a listener until the test ends, whose other cleanups stop the server.
func listen(t *testing.T, serve func(net.Listener) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(l) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

const briefly = 100 * time.Millisecond

// measured runs a case for as long as it takes this machine to answer a batch.
func measured(ctx context.Context, t *testing.T, target load.Target, c load.Case) *load.Result {
	t.Helper()
	for c.Time = briefly; ; c.Time *= 4 {
		r, err := load.Run(ctx, target, c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if r.Batches > 0 || c.Time > time.Minute {
			return r
		}
	}
}

func TestServersAreMeasured(t *testing.T) {
	target := serve(t, flight.Options{})
	for _, c := range []load.Case{
		{Streams: 1, Rows: 1},
		{Streams: 3, Rows: 100, InFlight: 4},
		{Streams: 2, Rows: 1 << 20, InFlight: 2}, // messages of more bytes than the first window
	} {
		c.Warmup = time.Millisecond
		r := measured(context.Background(), t, target, c)
		most := c.Streams * max(1, c.InFlight) // answered, and not yet counted by the server
		if r.Batches == 0 || r.Server.Batches < int64(r.Batches-most) || r.Bytes < 4*c.Rows || r.P50 <= 0 || r.Max < r.P99 {
			t.Errorf("%+v: %+v with %+v", c, r, r.Server)
		}
	}
}

func TestServersAreMeasuredWithCertificatesAndTokens(t *testing.T) {
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	pool := x509.NewCertPool()
	pool.AddCert(web.Certificate())
	certificates := web.TLS.Certificates
	web.Close()
	target := serve(t, flight.Options{
		TLS:    &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}},
		Tokens: []flight.Token{{Secret: "open"}},
	})
	target.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}
	c := load.Case{Streams: 2, Rows: 1000}
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer open")
	if r := measured(ctx, t, target, c); r.Batches == 0 {
		t.Errorf("%+v", r)
	}
	if _, err := load.Run(context.Background(), target, c); status.Code(err) != codes.Unauthenticated {
		t.Errorf("without a token: %v", err)
	}
}

func TestWhatEndsAStreamEndsAMeasurement(t *testing.T) {
	target := serve(t, flight.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), briefly)
	defer cancel()
	if _, err := load.Run(ctx, target, load.Case{Streams: 2, Rows: 1, Time: time.Hour}); !strings.Contains(fmt.Sprint(err), context.DeadlineExceeded.Error()) {
		t.Errorf("canceled: %v", err)
	}
}

// doubtful answers what it is sent, and after some batches something else.
type doubtful struct {
	aflight.BaseFlightServer
	after  int64 // batches of all streams that are answered well
	what   string
	served atomic.Int64
}

var schema = arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int32}}, nil)

func (*doubtful) GetSchema(context.Context, *aflight.FlightDescriptor) (*aflight.SchemaResult, error) {
	return &aflight.SchemaResult{Schema: aflight.SerializeSchema(schema, memory.DefaultAllocator)}, nil
}

func (d *doubtful) DoExchange(stream aflight.FlightService_DoExchangeServer) error {
	in, err := aflight.NewRecordReader(stream)
	if err != nil {
		return err
	}
	defer in.Release()
	out := aflight.NewRecordWriter(stream, ipc.WithSchema(in.Schema()))
	defer out.Close()
	for in.Next() {
		b := in.RecordBatch()
		if d.served.Add(1) > d.after {
			if d.what == "status" {
				return status.Error(codes.DataLoss, "100% of it, ünder way")
			}
			b = others(b, d.what)
		}
		if err := out.Write(b); err != nil {
			return err
		}
	}
	return in.Err()
}

// others returns a batch that is not b.
func others(b arrow.RecordBatch, what string) arrow.RecordBatch {
	x := append([]int32(nil), b.Column(0).(*array.Int32).Int32Values()...)
	if what == "row" {
		x = append(x, 1)
	} else {
		x[0]++
	}
	text := make([]byte, 0, 4*len(x))
	for _, v := range x {
		text = binary.LittleEndian.AppendUint32(text, uint32(v))
	}
	data := array.NewData(arrow.PrimitiveTypes.Int32, len(x), []*memory.Buffer{nil, memory.NewBufferBytes(text)}, nil, 0, 0)
	return array.NewRecordBatch(b.Schema(), []arrow.Array{array.NewInt32Data(data)}, int64(len(x)))
}

func TestWrongAnswersAreNoNumbers(t *testing.T) {
	for _, k := range []struct {
		after int64
		what  string
		want  string
	}{
		{0, "row", "21 rows for a batch of 20"},
		{50, "row", "wrong answer: "},
		{50, "byte", "wrong answer: "},
		{50, "status", "100% of it, ünder way"},
	} {
		t.Run(fmt.Sprint(k.what, " after ", k.after), func(t *testing.T) {
			testkit.NoLeaks(t)
			g := grpc.NewServer()
			aflight.RegisterFlightServiceServer(g, &doubtful{after: k.after, what: k.what})
			target := load.Target{Address: listen(t, g.Serve), Path: []string{"any"}}
			t.Cleanup(g.Stop)
			_, err := load.Run(context.Background(), target, load.Case{Streams: 1, Rows: 20, Time: time.Minute})
			if !strings.Contains(fmt.Sprint(err), k.want) {
				t.Errorf("%v, want %q", err, k.want)
			}
			if k.what == "status" && status.Code(err) != codes.DataLoss {
				t.Errorf("the code is %v", status.Code(err))
			}
		})
	}
}
