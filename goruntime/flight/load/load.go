package load

import (
	"context"
	"crypto/tls"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Target is a model on a server.
type Target struct {
	Address string      // host:port
	Path    []string    // NAME, or NAME and VERSION
	TLS     *tls.Config // nil is plain text
}

// Case is how a target is asked.
type Case struct {
	Streams  int
	Rows     int // of a batch
	InFlight int // batches of a stream that wait for answers; 0 is one
	Length   int // of lists whose length the model leaves open
	Warmup   time.Duration
	Time     time.Duration
}

// Result is what a case measured. Times are in seconds.
type Result struct {
	Streams int     `json:"streams"`
	Rows    int     `json:"rows"`
	Bytes   int     `json:"bytes"` // of a batch
	Batches int     `json:"batches"`
	Seconds float64 `json:"seconds"`
	P50     float64 `json:"p50"`
	P90     float64 `json:"p90"`
	P99     float64 `json:"p99"`
	Max     float64 `json:"max"`
	Server  *Stats  `json:"server"` // what it counted in the meantime
}

// BatchesPerSecond is how many batches were answered in a second.
func (r *Result) BatchesPerSecond() float64 { return float64(r.Batches) / r.Seconds }

// Run asks a target for the time of a case. Metadata that ctx has for outgoing calls goes
// with each call.
//
// Errors: what a stream ended with; errs.Argument for a wrong answer.
func Run(ctx context.Context, t Target, c Case) (*Result, error) {
	creds := insecure.NewCredentials()
	if t.TLS != nil {
		creds = credentials.NewTLS(t.TLS)
	}
	control, err := aflight.NewClientWithMiddleware(t.Address, nil, nil, grpc.WithTransportCredentials(creds))
	if err != nil {
		return nil, err
	}
	defer control.Close()
	schema, err := schemaOf(ctx, control, t.Path)
	if err != nil {
		return nil, err
	}
	list, body, err := messages(schema, t.Path, c.Rows, c.Length)
	if err != nil {
		return nil, err
	}
	m := &meter{begin: make(chan struct{}), ready: make(chan struct{}, c.Streams)}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	failed := make(chan error, c.Streams)
	for range c.Streams {
		running.Go(func() {
			if err := stream(ctx, t, list, c, m); err != nil {
				failed <- err
				stop()
			}
		})
	}
	before, after, err := m.over(ctx, c, func() (*Stats, error) { return stats(ctx, control, t.Path) })
	running.Wait()
	close(failed)
	for e := range failed {
		err = e
		break
	}
	if err != nil {
		return nil, err
	}
	r := m.result()
	r.Streams, r.Rows, r.Bytes, r.Server = c.Streams, c.Rows, body, after.since(before)
	return r, nil
}

func schemaOf(ctx context.Context, c aflight.Client, path []string) (*arrow.Schema, error) {
	s, err := c.GetSchema(ctx, &aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: path})
	if err != nil {
		return nil, err
	}
	return aflight.DeserializeSchema(s.Schema, memory.DefaultAllocator)
}

// meter gathers what the streams measure between begin and end.
type meter struct {
	ready chan struct{} // a stream has its first answer
	begin chan struct{} // closed when measuring begins
	end   time.Time     // set before begin

	mu    sync.Mutex // protects times
	times []time.Duration
	start time.Time
}

// over lets the streams run warm, measures, and asks for statistics before and after.
func (m *meter) over(ctx context.Context, c Case, ask func() (*Stats, error)) (before, after *Stats, err error) {
	for range c.Streams {
		select {
		case <-m.ready:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
	if err := sleep(ctx, c.Warmup); err != nil {
		return nil, nil, err
	}
	if before, err = ask(); err != nil {
		return nil, nil, err
	}
	m.start = time.Now()
	m.end = m.start.Add(c.Time)
	close(m.begin)
	if err := sleep(ctx, c.Time); err != nil {
		return nil, nil, err
	}
	after, err = ask()
	return before, after, err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// begun reports whether measuring has begun, and over whether it has ended.
func (m *meter) begun() (begun, over bool) {
	select {
	case <-m.begin:
		return true, !time.Now().Before(m.end)
	default:
		return false, false
	}
}

func (m *meter) add(times []time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.times = append(m.times, times...)
}

func (m *meter) result() *Result {
	slices.Sort(m.times)
	at := func(q float64) float64 {
		if len(m.times) == 0 {
			return 0
		}
		return m.times[min(len(m.times)-1, int(q*float64(len(m.times))))].Seconds()
	}
	return &Result{
		Batches: len(m.times), Seconds: m.end.Sub(m.start).Seconds(),
		P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: at(1),
	}
}

// wrong is an answer that is not the one that a batch has.
func wrong(format string, args ...any) error {
	return errs.New(errs.Argument, "wrong answer: "+format, args...)
}
