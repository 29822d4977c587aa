package flight

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	dto "github.com/prometheus/client_model/go"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// A batch is closed by rows and by bytes, not by requests; by what does not fit to it; by
// the time; at once where nobody is to be waited for. Each is counted under its reason.
func TestDispatchesAreCountedByReason(t *testing.T) {
	testkit.NoLeaks(t)
	const never = 3600 * 1000 * 1000 // microseconds
	type ask struct {
		schema *arrow.Schema
		rows   int
	}
	rows := func(n int) ask { return ask{schemaRows, n} }
	for _, c := range []struct {
		name   string
		limits arrowio.Batching
		asks   []ask
		want   map[string]float64
		sizes  []float64 // requests of each run
	}{
		{"rows fill a batch", arrowio.Batching{MaxRows: 10, DelayMicros: never}, []ask{rows(4), rows(5), rows(3), rows(7)}, map[string]float64{"full": 2}, []float64{2, 2}},
		{"one request may be larger", arrowio.Batching{MaxRows: 10, DelayMicros: never}, []ask{rows(25)}, map[string]float64{"full": 1}, []float64{1}},
		{"bytes fill one too", arrowio.Batching{MaxRows: 1000, MaxBytes: 4 * 28, DelayMicros: never}, []ask{rows(3), rows(2), rows(2)}, map[string]float64{"full": 2}, []float64{1, 2}},
		{"columns do not go with rows", arrowio.Batching{MaxRows: 10, DelayMicros: never}, []ask{rows(1), {schemaColumns, 10}}, map[string]float64{"shape": 1, "full": 1}, []float64{1, 1}},
		{"the time is over", arrowio.Batching{MaxRows: 1000, DelayMicros: 20000}, []ask{rows(1), rows(1)}, map[string]float64{"deadline": 1}, []float64{2}},
		{"nobody is waited for", arrowio.Batching{MaxRows: 1000}, []ask{rows(1), rows(1)}, map[string]float64{"idle": 2}, []float64{1, 1}},
	} {
		m, err := openModel(found{name: name{"rows", "1"}, path: "../../tests/models/rows.onnx"}, exec.Options{}, newMetrics(), newCrew(0))
		if err != nil {
			t.Fatal(err)
		}
		var b *batcher
		answers := make([]*request, len(c.asks))
		for i, a := range c.asks {
			p, err := m.plan(a.schema)
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				b = newBatcher(m, p.Plan)
				b.limits = c.limits
			}
			xs := make([]float32, 7*a.rows)
			batch := rowsOf(xs)
			if a.schema == schemaColumns {
				batch = columnsOf(xs)
			}
			f, err := p.Feeds(batch, m.session.IO())
			batch.Release()
			if err != nil {
				t.Fatal(err)
			}
			answers[i] = &request{ctx: context.Background(), feeds: f, answer: make(chan answer, 1)}
			b.add(answers[i])
		}
		for i, r := range answers {
			a := <-r.answer
			if a.err != nil || a.batch.NumRows() != int64(c.asks[i].rows) {
				t.Fatalf("%s: request %d of %d rows: %v, %v", c.name, i, c.asks[i].rows, a.batch, a.err)
			}
			a.batch.Release()
		}
		got := map[string]float64{}
		for _, reason := range []string{"full", "deadline", "idle", "shape"} {
			var d dto.Metric
			if err := m.metrics.dispatch.WithLabelValues("rows", "1", reason).Write(&d); err != nil {
				t.Fatal(err)
			}
			if n := d.Counter.GetValue(); n > 0 {
				got[reason] = n
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: dispatched by %v, want %v", c.name, got, c.want)
		}
		families, err := m.metrics.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, n := range c.sizes {
			sum += n
		}
		for _, f := range families {
			if f.GetName() == "goruntime_coalesced_requests" {
				if h := f.Metric[0].Histogram; h.GetSampleCount() != uint64(len(c.sizes)) || h.GetSampleSum() != sum {
					t.Errorf("%s: %d runs of %v requests, want %v", c.name, h.GetSampleCount(), h.GetSampleSum(), c.sizes)
				}
			}
		}
		m.leave()
	}
}

// A request that nobody joins runs on what it brought, also where its reader takes no parts.
func TestARequestAloneIsNotCopied(t *testing.T) {
	testkit.NoLeaks(t)
	m, err := openModel(found{name: name{"double", "1"}, path: "../../tests/models/double.onnx"}, exec.Options{}, newMetrics(), newCrew(0))
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	p, err := m.plan(schemaX)
	if err != nil {
		t.Fatal(err)
	}
	together := &planned{Plan: p.Plan, batcher: newBatcher(m, p.Plan)}
	c, end := newCaller(context.Background())
	defer end()
	for _, limits := range []arrowio.Batching{{MaxRows: 3, DelayMicros: 1 << 30}, {MaxRows: 100, DelayMicros: 1000}, {MaxRows: 100}} {
		together.batcher.limits = limits
		b := batchX(1, 2, 3)
		out, err := m.score(c, together, b, 0, spending(clock()))
		b.Release()
		if err != nil {
			t.Fatal(err)
		}
		out.Release()
	}
	if copies := m.session.IO().Stats().Copies; copies != [arena.NumCopyReasons]int64{} {
		t.Errorf("copies %v", copies)
	}
}

// What fails for the rows of one request does not fail for the others: they get what they
// get alone.
func TestOneRequestDoesNotSpoilOthers(t *testing.T) {
	const rows = 10
	for _, c := range []struct {
		name  string
		asks  [][]int64 // rows of the table
		wrong int       // the request that is refused, -1 for none
		alone float64   // runs of one
	}{
		{"rows of one", [][]int64{{1, 2}, {3, 99}, {4}}, 1, 3},
		{"rows of none", [][]int64{{1, 2}, {3}, {4}}, -1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.NoLeaks(t)
			dir := t.TempDir()
			putTable(t, dir, rows, 7, false)
			io := arena.NewIO(arena.Options{})
			defer io.Close()
			m, err := openModel(at(filepath.Join(dir, "table.onnx"), "table", "1"), exec.Options{IO: io}, newMetrics(), newCrew(0))
			if err != nil {
				t.Fatal(err)
			}
			defer m.leave()
			total := 0
			for _, a := range c.asks {
				total += len(a)
			}
			m.manifest.Batch = arrowio.Batching{MaxRows: int64(total), DelayMicros: 3600 * 1000 * 1000}
			var wg sync.WaitGroup
			for i, ask := range c.asks {
				wg.Go(func() {
					got, err := lookUp(m, ask...)
					if i == c.wrong {
						if err == nil || !strings.Contains(err.Error(), "99") {
							t.Errorf("request %d, which is wrong: %v, %v", i, got, err)
						}
						return
					}
					if err != nil || len(got) != len(ask) || got[len(got)-1] != 7 {
						t.Errorf("request %d: %d answers, %v", i, len(got), err)
					}
				})
			}
			wg.Wait()
			var d dto.Metric
			if err := m.metrics.dispatch.WithLabelValues("table", "1", "error").Write(&d); err != nil {
				t.Fatal(err)
			}
			if d.Counter.GetValue() != c.alone {
				t.Errorf("%v runs because of an error, want %v", d.Counter.GetValue(), c.alone)
			}
			if n := io.Stats().LiveBlocks; n != 0 {
				t.Errorf("%d blocks are live", n)
			}
		})
	}
}

// A request whose client is gone waits for nobody and holds nothing, however long the others
// may wait.
func TestCancelledRequestsDoNotWait(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	putTable(t, dir, 10, 7, false)
	m, err := openModel(at(filepath.Join(dir, "table.onnx"), "table", "1"), exec.Options{}, newMetrics(), newCrew(0))
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	m.manifest.Batch = arrowio.Batching{MaxRows: 3, DelayMicros: 3600 * 1000 * 1000}
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := make(chan error)
	go func() {
		_, err := lookUpFor(ctx, m, 1, 2)
		gone <- err
	}()
	waiting := func() (rows int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, p := range m.plans {
			p.batcher.mu.Lock()
			rows += p.batcher.rows
			p.batcher.mu.Unlock()
		}
		return rows
	}
	if !testkit.Settles(func() bool { return waiting() == 2 }) {
		t.Fatal("the request does not wait")
	}
	cancel(errors.New("the client left"))
	if err := <-gone; errs.CodeOf(err) != errs.Canceled || !strings.Contains(err.Error(), "the client left") {
		t.Error(err)
	}
	if n, bytes, calls := waiting(), m.gate.bytes.Load(), m.gate.waiting.Load(); n+bytes+calls != 0 {
		t.Errorf("%d rows wait, %d bytes and %d calls are in flight", n, bytes, calls)
	}
	var wg sync.WaitGroup
	for _, ask := range [][]int64{{1}, {2, 3}} { // which are three rows only without those that left
		wg.Go(func() {
			if got, err := lookUp(m, ask...); err != nil || len(got) != len(ask) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	wg.Wait()
}
