package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collected starts a collector of spans by HTTP; the channel has what it was sent.
func collected(t *testing.T) (url string, sent <-chan *collector.ExportTraceServiceRequest) {
	ch := make(chan *collector.ExportTraceServiceRequest, 8)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s was sent %d bytes: %v", r.URL.Path, len(body), err)
		}
		ch <- request
	}))
	t.Cleanup(s.Close)
	return s.URL, ch
}

// cleared takes what the machine's environment says away.
func cleared(t *testing.T) {
	for _, name := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_TRACES_SAMPLER", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES",
	} {
		t.Setenv(name, "")
	}
}

func TestSpansGoWhereTheEnvironmentSays(t *testing.T) {
	cleared(t)
	url, sent := collected(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	tracer, end, err := tracer(context.Background(), slog.New(slog.DiscardHandler))
	if err != nil || tracer == nil {
		t.Fatal(tracer, err)
	}
	_, span := tracer.Start(context.Background(), "work")
	span.End()
	end()
	select {
	case request := <-sent:
		r := request.ResourceSpans[0]
		if name := r.ScopeSpans[0].Spans[0].Name; name != "work" {
			t.Errorf("the span is named %q", name)
		}
		about := map[string]string{}
		for _, a := range r.Resource.Attributes {
			about[a.Key] = a.Value.GetStringValue()
		}
		if about["service.name"] != "goruntime" || about["deployment.environment"] != "test" {
			t.Errorf("the resource is %v", about)
		}
	default:
		t.Error("end has sent no span")
	}
}

func TestWithoutTheEnvironmentThereIsNoTracer(t *testing.T) {
	for name, set := range map[string]map[string]string{
		"nothing is said":     {},
		"the SDK is disabled": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
		"no exporter":         {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
	} {
		t.Run(name, func(t *testing.T) {
			cleared(t)
			for k, v := range set {
				t.Setenv(k, v)
			}
			tracer, end, err := tracer(context.Background(), slog.New(slog.DiscardHandler))
			if tracer != nil || err != nil {
				t.Errorf("%v, %v", tracer, err)
			}
			end()
		})
	}
	cleared(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon")
	if _, _, err := tracer(context.Background(), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), `the protocol "carrier-pigeon": grpc or http/protobuf expected`) {
		t.Errorf("an unknown protocol: %v", err)
	}
}

func TestSpansThatCannotBeSentAreLogged(t *testing.T) {
	cleared(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1") // where nobody listens
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	var text bytes.Buffer
	tracer, end, err := tracer(context.Background(), slog.New(slog.NewJSONHandler(&text, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(context.Background(), "work")
	span.End()
	end()
	if !strings.Contains(text.String(), `"msg":"spans not sent","error":"traces export:`) {
		t.Errorf("logged: %s", text.String())
	}
}
