package flight

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// cut is a connection that breaks when a number of bytes has been written to it.
type cut struct {
	net.Conn
	left atomic.Int64
}

func (c *cut) Write(b []byte) (int, error) {
	if left := c.left.Add(-int64(len(b))); left < 0 {
		if n := left + int64(len(b)); n > 0 {
			_, _ = c.Conn.Write(b[:n])
		}
		c.Close()
		return 0, io.ErrClosedPipe
	}
	return c.Conn.Write(b)
}

// connectCut connects by a connection that breaks after bytes.
func (r *running) connectCut(bytes int64) aflight.Client {
	r.t.Helper()
	dial := func(context.Context, string) (net.Conn, error) {
		n, err := net.Dial("tcp", r.addr)
		if err != nil {
			return nil, err
		}
		c := &cut{Conn: n}
		c.left.Store(bytes)
		return c, nil
	}
	c, err := aflight.NewClientWithMiddleware("passthrough:///"+r.addr, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

// beside keeps a stream busy while something goes wrong elsewhere: it must not notice.
func (r *running) beside(model string, want func(x float32) float32, do func()) {
	r.t.Helper()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		k := r.talk(context.Background(), r.connect(nil), model)
		defer k.end()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			x := float32(i)
			if got, err := k.ask(fmt.Sprint(i), x, -x); err != nil || !same(got, []float32{want(x), want(-x)}) {
				r.t.Errorf("the stream beside got %v, %v at %d", got, err, i)
				return
			}
		}
	})
	defer wg.Wait() // where do ends the test, too
	defer close(stop)
	do()
}

func double(x float32) float32 { return 2 * x }

// The connection breaks within a batch, at its begin, or with answers on their way.
func TestHalfABatchIsNoBatch(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	before := r.counted("goruntime_batches_total")
	for _, at := range []int64{200, 5_000, 100_000, 999_000} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		k := r.talk(ctx, r.connectCut(at), "double")
		if _, err := k.ask("", make([]float32, 250000)...); status.Code(err) != codes.Unavailable {
			t.Errorf("a connection that breaks after %d bytes: %v", at, err)
		}
		cancel()
	}
	r.nothingIsHeld()
	if n := r.counted("goruntime_batches_total") - before; n != 0 {
		t.Errorf("%v batches were scored, none was whole", n)
	}
}

// counted returns the sum of a counter or a gauge over its labels.
func (r *running) counted(name string) (sum float64) {
	r.t.Helper()
	families, err := r.server.Metrics().Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.Metric {
			if f.GetName() == name {
				sum += m.Counter.GetValue() + m.Gauge.GetValue() // one of them is there
			}
		}
	}
	return sum
}

func TestClientsThatDieWithAnswersOnTheWay(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	xs := make([]float32, 250000)
	b := batchX(xs...)
	defer b.Release()
	r.beside("double", double, func() {
		for range 8 {
			c := r.connectCut(1 << 40)
			k := r.talk(context.Background(), c, "double")
			for range 3 { // of which none is read
				if err := k.w.Write(b); err != nil {
					t.Fatal(err)
				}
			}
			c.Close()
		}
	})
	r.nothingIsHeld()
}

// runs reports whether a model runs.
func (r *running) runs(model string) bool {
	m, err := r.repository.Get(model, "")
	if err != nil {
		r.t.Fatal(err)
	}
	defer m.leave()
	return len(m.gate.turns) > 0
}

// A call that is cancelled, or whose deadline passes, ends the run itself.
func TestCancelledCallsEndTheirRuns(t *testing.T) {
	r := start(t, Options{}, nil, "endless_rows", "double")
	r.beside("double", double, func() {
		for want, timeout := range map[codes.Code]time.Duration{codes.Canceled: time.Hour, codes.DeadlineExceeded: 2 * time.Second} {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			k := r.talk(ctx, r.connect(nil), "endless_rows")
			b := batchX(1, 2, 3)
			if err := k.w.Write(b); err != nil {
				t.Fatal(err)
			}
			b.Release()
			if !testkit.Settles(func() bool { return r.runs("endless_rows") }) {
				t.Error("the batch does not run")
			}
			if want == codes.Canceled {
				cancel()
			}
			if _, err := k.stream.Recv(); status.Code(err) != want {
				t.Errorf("the call ends with %v, want %v", err, want)
			}
			cancel()
			r.nothingIsHeld()
		}
	})
	if n := r.counted("goruntime_refusals_total"); n != 2 {
		t.Errorf("%v batches ended without an answer, want 2", n)
	}
}

// A client that does not read holds a bounded part of the server, and no one else up.
func TestSlowReadersHoldLittle(t *testing.T) {
	r := start(t, Options{Idle: time.Second}, nil, "double")
	xs := make([]float32, 250000)
	b := batchX(xs...)
	defer b.Release()
	r.beside("double", double, func() {
		k := r.talk(context.Background(), r.connect(nil), "double")
		written := make(chan error, 1)
		go func() {
			var err error
			for range 100 {
				if err = k.w.Write(b); err != nil {
					break
				}
			}
			written <- err
		}()
		most := int64(0)
		for range 150 {
			h := r.held()
			most = max(most, h[0]+h[1])
			time.Sleep(10 * time.Millisecond)
		}
		if most == 0 || most > 12 {
			t.Errorf("%d blocks of a megabyte were held for a client that does not read", most)
		}
		var err error
		answers := 0
		for err == nil { // what was on its way, then why that is all
			var d *aflight.FlightData
			if d, err = k.stream.Recv(); len(d.GetDataBody()) > 0 {
				answers++
			}
		}
		if status.Code(err) != codes.DeadlineExceeded || !strings.Contains(err.Error(), "neither sent nor read a message for 1s") {
			t.Errorf("the stream ends with %v", err)
		}
		if err := <-written; err == nil || answers > 12 {
			t.Errorf("%d answers were read, all was written: %v", answers, err == nil)
		}
	})
	r.nothingIsHeld()
}

// A stream that sends nothing is ended; one that sends in time is not.
func TestIdleStreamsAreEnded(t *testing.T) {
	r := start(t, Options{Idle: time.Second}, nil, "double")
	c := r.connect(nil)
	silent, err := c.DoExchange(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	begun := r.talk(context.Background(), c, "double")
	if _, err := begun.ask("", 1); err != nil {
		t.Fatal(err)
	}
	busy := r.talk(context.Background(), c, "double")
	defer busy.end()
	for range 5 {
		if got, err := busy.ask("", 3); err != nil || got[0] != 6 {
			t.Errorf("a stream that is not idle: %v, %v", got, err)
		}
		time.Sleep(250 * time.Millisecond)
	}
	for name, s := range map[string]aflight.FlightService_DoExchangeClient{"that sent nothing": silent, "that sent one batch": begun.stream} {
		if _, err := s.Recv(); status.Code(err) != codes.DeadlineExceeded || !strings.Contains(err.Error(), "neither sent nor read a message for 1s") {
			t.Errorf("the stream %s ends with %v", name, err)
		}
	}
	r.nothingIsHeld()
}

// Under load a model is replaced again and again: a stream has one model to its end.
func TestModelsAreReplacedUnderLoad(t *testing.T) {
	batching := map[string]*arrowio.Manifest{"double": {Batch: arrowio.Batching{MaxRows: 64, DelayMicros: 500}}}
	r := start(t, Options{}, batching, "double")
	c := r.connect(nil)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var old, fresh atomic.Int64
	for client := range 6 {
		wg.Go(func() {
			for n := 0; ; n++ {
				k := r.talk(context.Background(), c, "double")
				factor := float32(0)
				for i := range 10 {
					x := float32(1 + client*100 + i)
					got, err := k.ask(fmt.Sprint(client, n, i), x)
					// double gives 2x, chain x*x+x
					if err != nil || len(got) != 1 || got[0] != 2*x && got[0] != x*x+x {
						t.Errorf("client %d: %v, %v for %v", client, got, err, x)
						return
					}
					if x == 1 {
						continue // 2 both ways
					}
					mine := float32(1)
					if got[0] != 2*x {
						mine = 2
					}
					if factor != 0 && factor != mine {
						t.Errorf("client %d: the model changed within a stream", client)
					}
					factor = mine
				}
				k.end()
				if factor == 1 {
					old.Add(1)
				} else {
					fresh.Add(1)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 20 {
		time.Sleep(15 * time.Millisecond)
		r.put([]string{"chain", "double"}[i%2], "double")
		if failed := r.repository.Refresh(); len(failed) > 0 {
			t.Error(failed)
		}
	}
	close(stop)
	wg.Wait()
	if old.Load() == 0 || fresh.Load() == 0 {
		t.Errorf("%d streams had the old model, %d the new one", old.Load(), fresh.Load())
	}
	r.nothingIsHeld()
}

// A server that stops under load answers what it took, and says Unavailable to the rest.
func TestStopUnderLoad(t *testing.T) {
	r := start(t, Options{}, map[string]*arrowio.Manifest{"double": {Batch: arrowio.Batching{MaxRows: 16, DelayMicros: 1000}}}, "double")
	var wg sync.WaitGroup
	var answered atomic.Int64
	for client := range 8 {
		wg.Go(func() {
			c := r.connect(nil)
			for n := 0; ; n++ {
				x := float32(client*1000 + n)
				var got []float32
				k, err := begin(context.Background(), c, "double")
				if err == nil {
					got, err = k.ask("", x)
					k.end()
				}
				if err != nil {
					if code := status.Code(err); code != codes.Unavailable && code != codes.Canceled {
						t.Errorf("a call during the stop ends with %v", err)
					}
					return
				}
				if got[0] != 2*x {
					t.Errorf("client %d: %v for %v", client, got, x)
				}
				answered.Add(1)
			}
		})
	}
	if !testkit.Settles(func() bool { return answered.Load() > 50 }) {
		t.Fatal("nothing is answered")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r.server.Stop(ctx)
	if ctx.Err() != nil {
		t.Error("the server did not drain")
	}
	wg.Wait()
	r.nothingIsHeld()
}
