package flight

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

func (r *running) dial() *grpc.ClientConn {
	r.t.Helper()
	c, err := grpc.NewClient(r.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

func TestHealthIsToldWithoutAToken(t *testing.T) {
	r := start(t, Options{Tokens: []Token{{Secret: "secret"}}}, nil, "double")
	c := healthpb.NewHealthClient(r.dial())
	for _, name := range []string{"", flightService} {
		got, err := c.Check(context.Background(), &healthpb.HealthCheckRequest{Service: name})
		if err != nil || got.Status != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	watch, err := c.Watch(context.Background(), &healthpb.HealthCheckRequest{Service: flightService})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := watch.Recv(); err != nil || got.Status != healthpb.HealthCheckResponse_SERVING {
		t.Fatalf("watched: %v, %v", got, err)
	}
	r.server.health.Shutdown() // as Stop begins
	if got, err := watch.Recv(); err != nil || got.Status != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("watched while the server drains: %v, %v", got, err)
	}
}

func TestReflectionNamesTheServices(t *testing.T) {
	r := start(t, Options{Tokens: []Token{{Secret: "secret"}}}, nil, "double")
	ask := func(options ...grpc.CallOption) ([]string, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s, err := reflectpb.NewServerReflectionClient(r.dial()).ServerReflectionInfo(ctx, options...)
		if err != nil {
			return nil, err
		}
		// A server that refuses the call says why when it is read.
		_ = s.Send(&reflectpb.ServerReflectionRequest{MessageRequest: &reflectpb.ServerReflectionRequest_ListServices{}})
		got, err := s.Recv()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, service := range got.GetListServicesResponse().Service {
			names = append(names, service.Name)
		}
		return names, nil
	}
	if _, err := ask(); status.Code(err) != codes.Unauthenticated {
		t.Errorf("without a token: %v", err)
	}
	names, err := ask(grpc.PerRPCCredentials(bearer("secret")))
	if err != nil || !slices.Contains(names, flightService) || !slices.Contains(names, "grpc.health.v1.Health") {
		t.Errorf("the services %v, %v", names, err)
	}
}

// bearer are credentials of one token.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}
func (bearer) RequireTransportSecurity() bool { return false }

func TestMetricsCountCopiesByModelAndReason(t *testing.T) {
	r := start(t, Options{}, nil, "double", "sum")
	k := r.talk(context.Background(), r.connect(nil), "double")
	for range 3 {
		if _, err := k.ask("", make([]float32, 1000)...); err != nil {
			t.Fatal(err)
		}
	}
	k.end()
	families, err := r.server.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	parsed, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"goruntime_copies_total double receive": 3, "goruntime_copies_total double send": 3,
		"goruntime_copied_bytes_total double receive": 12000, "goruntime_copied_bytes_total double send": 12000,
		"goruntime_copies_total double interleave": 0, "goruntime_copies_total sum receive": 0,
	}
	for _, name := range []string{"goruntime_copies_total", "goruntime_copied_bytes_total"} {
		for _, m := range parsed[name].GetMetric() {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			key := name + " " + labels["model"] + " " + labels["reason"]
			if n, ok := want[key]; ok && n != m.Counter.GetValue() {
				t.Errorf("%s is %v, want %v", key, m.Counter.GetValue(), n)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("not counted: %v", want)
	}
	stages := map[string]uint64{}
	for _, m := range parsed["goruntime_stage_seconds"].GetMetric() {
		for _, l := range m.Label {
			if l.GetName() == "stage" {
				stages[l.GetValue()] += m.Histogram.GetSampleCount()
			}
		}
	}
	for _, name := range stageNames {
		if stages[name] != 3 {
			t.Errorf("the stage %s was timed %d times, want 3", name, stages[name])
		}
	}
}
