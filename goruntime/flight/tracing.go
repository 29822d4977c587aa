package flight

import (
	"context"
	"path"
	"time"

	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// tracing makes the spans of a server: one for each call, which continues the trace
// that the client sent with it, one for each batch, and one for each of its stages.
// Without a tracer it does nothing.
type tracing struct{ tracer trace.Tracer }

// carrier reads a trace out of a call's metadata.
type carrier metadata.MD

// Get implements propagation.TextMapCarrier.
func (c carrier) Get(key string) string {
	if list := metadata.MD(c).Get(key); len(list) > 0 {
		return list[0]
	}
	return ""
}

// Set and Keys are not called where a trace is read.
func (carrier) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (carrier) Keys() []string { return nil }

// call begins the span of a call; end ends it.
func (t tracing) call(ctx context.Context, method string) (_ context.Context, end func(error)) {
	if t.tracer == nil {
		return ctx, func(error) {}
	}
	md, _ := metadata.FromIncomingContext(ctx)
	ctx = propagation.TraceContext{}.Extract(ctx, carrier(md))
	ctx, span := t.tracer.Start(ctx, method[1:], trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(err error) {
		if span.IsRecording() {
			code := status.Code(err)
			span.SetAttributes(attribute.String("rpc.system", "grpc"), attribute.String("rpc.service", path.Dir(method[1:])),
				attribute.String("rpc.method", path.Base(method)), attribute.Int("rpc.grpc.status_code", int(code)))
			if err != nil {
				span.SetStatus(otelcodes.Error, err.Error())
			}
		}
		span.End()
	}
}

// batch makes the spans of a batch that has been answered, or failed, after the times
// t. Stages follow on each other.
func (t tracing) batch(ctx context.Context, m *Model, rows int64, spent *spent, err error) {
	if t.tracer == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	at := time.Now().Add(-spent.total())
	ctx, span := t.tracer.Start(ctx, "score", trace.WithTimestamp(at), trace.WithAttributes(
		attribute.String("goruntime.model", m.Name()), attribute.String("goruntime.version", m.Version()), attribute.Int64("goruntime.rows", rows)))
	for i, d := range spent.stages {
		if d > 0 {
			_, part := t.tracer.Start(ctx, stageNames[i], trace.WithTimestamp(at))
			at = at.Add(d)
			part.End(trace.WithTimestamp(at))
		}
	}
	if err != nil {
		span.SetStatus(otelcodes.Error, err.Error())
	}
	span.End(trace.WithTimestamp(at))
}
