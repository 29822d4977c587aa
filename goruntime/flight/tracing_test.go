package flight

import (
	"context"
	"slices"
	"testing"
	"time"

	otelcodes "go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc/metadata"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func TestSpansContinueTheTraceOfTheClient(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	r := start(t, Options{Tracer: provider.Tracer("test")}, nil, "double")
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	ctx := metadata.AppendToOutgoingContext(context.Background(), "traceparent", "00-"+id+"-"+parent+"-01")
	k := r.talk(ctx, r.connect(nil), "double")
	for range 2 {
		if _, err := k.ask("", 1, 2, 3); err != nil {
			t.Fatal(err)
		}
	}
	k.end()
	none := r.talk(context.Background(), r.connect(nil), "none")
	if _, err := none.ask("", 1); err == nil {
		t.Fatal("a model that is not there answers")
	}
	if !testkit.Settles(func() bool { return len(spans.Ended()) >= 15 }) {
		t.Fatalf("%d spans have ended, want 2 calls and 2 batches with 6 stages each at least", len(spans.Ended()))
	}
	const method = "arrow.flight.protocol.FlightService/DoExchange"
	byID := map[string]sdktrace.ReadOnlySpan{}
	names := map[string]int{}
	for _, s := range spans.Ended() {
		byID[s.SpanContext().SpanID().String()] = s
		names[s.Name()]++
	}
	if names[method] != 2 || names["score"] != 2 || names["infer"] != 2 || names["encode"] != 2 {
		t.Errorf("spans %v", names)
	}
	for _, s := range spans.Ended() {
		up, known := byID[s.Parent().SpanID().String()]
		switch {
		case s.Name() == method && s.Status().Code == otelcodes.Error:
			if s.SpanContext().TraceID().String() == id || s.Parent().IsValid() {
				t.Error("a call without a trace continues one")
			}
		case s.Name() == method:
			if s.SpanContext().TraceID().String() != id || s.Parent().SpanID().String() != parent {
				t.Errorf("the call's span has the trace %v and the parent %v", s.SpanContext().TraceID(), s.Parent().SpanID())
			}
		case s.Name() == "score":
			if !known || up.Name() != method {
				t.Errorf("a batch's span is not in its call's")
			}
		default:
			if !slices.Contains(stageNames[:], s.Name()) || !known || up.Name() != "score" || s.StartTime().Before(up.StartTime()) || s.EndTime().After(up.EndTime()) {
				t.Errorf("the span %s of %v is not within its batch", s.Name(), s.EndTime().Sub(s.StartTime()).Round(time.Microsecond))
			}
		}
	}
}

func TestWithoutATracerNothingIsPaid(t *testing.T) {
	var off tracing
	if n := testing.AllocsPerRun(100, func() {
		ctx, end := off.call(context.Background(), "/service/method")
		off.batch(ctx, &Model{}, 1, &spent{}, nil)
		end(nil)
	}); n != 0 {
		t.Errorf("a call makes %v allocations, want none", n)
	}
}
