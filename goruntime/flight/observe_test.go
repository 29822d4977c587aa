package flight

import (
	"bytes"
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
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

// Every metric is named as Prometheus has it and is on the page for operators, with its
// labels; the page lists no other.
func TestMetricsAreNamedAndDocumented(t *testing.T) {
	r := start(t, Options{}, map[string]*arrowio.Manifest{"double": {Batch: arrowio.Batching{MaxRows: 4}, Limits: arrowio.Limits{Rows: 2}}}, "double")
	c := r.connect(nil)
	for _, rows := range []int{1, 3} { // the second is refused
		k := r.talk(context.Background(), c, "double")
		_, _ = k.ask("", make([]float32, rows)...)
		k.end()
	}
	families, err := r.server.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("names: %v, %v", problems, err)
	}
	page, err := os.ReadFile("../../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(goruntime_[a-z_]+)` \\| ([a-z]+) \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		listed[row[1]] = row[2] + " " + strings.ReplaceAll(row[3], "`", "")
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "goruntime_") {
			continue
		}
		var labels []string
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		if is := strings.ToLower(f.GetType().String()) + " " + strings.Join(labels, ", "); listed[f.GetName()] != is {
			t.Errorf("%s is listed as %q, it is %q", f.GetName(), listed[f.GetName()], is)
		}
		delete(listed, f.GetName())
	}
	if len(listed) > 0 {
		t.Errorf("listed, but not there: %v", listed)
	}
}

// What is refused is counted, whatever refuses it.
func TestRefusalsAreCounted(t *testing.T) {
	r := start(t, Options{}, map[string]*arrowio.Manifest{"double": {Limits: arrowio.Limits{Rows: 2}}}, "double", "sum")
	c := r.connect(nil)
	for range 3 {
		k := r.talk(context.Background(), c, "double")
		if _, err := k.ask("", 1, 2, 3); err == nil {
			t.Fatal("three rows are taken")
		}
		k.end()
		for _, name := range []string{"sum", "none"} { // a column is missing, a model is missing
			k := r.talk(context.Background(), c, name)
			if _, err := k.ask("", 1); err == nil {
				t.Fatal(name, "is scored")
			}
			k.end()
		}
	}
	want := map[string]float64{
		"goruntime_refusals_total ARGUMENT double 1": 3, "goruntime_refusals_total NAME sum 1": 3,
		"goruntime_calls_total InvalidArgument DoExchange": 3, "goruntime_calls_total NotFound DoExchange": 6,
	}
	got := map[string]float64{}
	settled := testkit.Settles(func() bool { // calls are counted when they have ended
		families, err := r.server.Metrics().Gather()
		if err != nil {
			t.Fatal(err)
		}
		clear(got)
		for _, f := range families {
			if name := f.GetName(); name == "goruntime_refusals_total" || name == "goruntime_calls_total" {
				for _, m := range f.Metric {
					key := name
					for _, l := range m.Label {
						key += " " + l.GetValue()
					}
					got[key] = m.Counter.GetValue()
				}
			}
		}
		return maps.Equal(got, want)
	})
	if !settled {
		t.Errorf("counted %v, want %v", got, want)
	}
}
