package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// flushing bounds how long the end of the server waits for spans to be sent.
const flushing = 5 * time.Second

// tracer returns where spans go: by OTLP, as the environment variables of
// OpenTelemetry say (OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _PROTOCOL,
// OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME and more). Where they name no endpoint the
// tracer is nil. end sends what waits; what cannot be sent is logged.
func tracer(ctx context.Context, log *slog.Logger) (t trace.Tracer, end func(), err error) {
	end = func() {}
	if !tracesAsked() {
		return nil, end, nil
	}
	to, err := exporter(ctx)
	if err != nil {
		return nil, end, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "goruntime")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, end, fmt.Errorf("traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Error("spans not sent", "error", err.Error()) }))
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(to), sdktrace.WithResource(about))
	end = func() {
		grace, cancel := context.WithTimeout(context.Background(), flushing)
		defer cancel()
		if err := p.Shutdown(grace); err != nil {
			log.Error("spans not sent", "error", err.Error())
		}
	}
	return p.Tracer("github.com/goruntime/goruntime"), end, nil
}

// tracesAsked reports whether the environment names an endpoint, and does not turn
// tracing off.
func tracesAsked() bool {
	endpoint := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	return endpoint != "" && os.Getenv("OTEL_SDK_DISABLED") != "true" && os.Getenv("OTEL_TRACES_EXPORTER") != "none"
}

// exporter speaks the protocol that the environment names, http/protobuf by default.
func exporter(ctx context.Context) (*otlptrace.Exporter, error) {
	protocol := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
	if protocol == "" {
		protocol = os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	switch protocol {
	case "", "http/protobuf":
		return otlptracehttp.New(ctx)
	case "grpc":
		return otlptracegrpc.New(ctx)
	}
	return nil, fmt.Errorf("the protocol %q: grpc or http/protobuf expected in OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
}
