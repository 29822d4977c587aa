package flight

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/pool"
)

// Model is a loaded model with its plans.
//
// Ownership: counted: Repository.Get and All enter, leave ends; the last one closes.
// Concurrency: all methods are safe from any goroutine.
type Model struct {
	file     found
	external map[string]stamp // the files of its weights that lie beside it
	manifest *arrowio.Manifest
	session  *exec.Session
	gate     *gate
	metrics  *metrics
	stages   *stages
	crew     *crew
	pace     pace
	counts   counts
	users    atomic.Int64 // streams, and the repository

	mu    sync.Mutex // protects plans
	plans map[string]*planned
}

// planned is a plan with the batcher of its schema.
type planned struct {
	*arrowio.Plan
	batcher *batcher // nil where requests run alone
}

// maxPlans bounds the schemas that a model keeps plans for: clients choose schemas.
const maxPlans = 64

func openModel(f found, o exec.Options, ms *metrics, c *crew) (*Model, error) {
	manifest := &arrowio.Manifest{}
	var err error
	if f.manifest != "" {
		if manifest, err = arrowio.ReadManifest(f.manifest); err != nil {
			return nil, err
		}
	}
	model, err := onnx.Read(f.path)
	if err != nil {
		return nil, err
	}
	external := map[string]stamp{}
	for _, place := range model.External() {
		path := filepath.Join(filepath.Dir(f.path), place)
		external[path] = stampOf(path)
	}
	model.Fetch()
	if err := verify(f, model, manifest); err != nil {
		model.Close()
		return nil, err
	}
	s, err := exec.New(model, o)
	if err != nil {
		model.Close()
		return nil, err
	}
	if err := manifest.Check(s); err != nil {
		s.Close()
		return nil, errs.New(errs.CodeOf(err), "%s: %w", f.manifest, err)
	}
	m := &Model{
		file: f, external: external, manifest: manifest, session: s, gate: newGate(manifest.Limits), metrics: ms, crew: c,
		plans: map[string]*planned{},
	}
	m.stages, m.counts = newStages(ms, m.Name(), m.Version()), ms.countsOf(m)
	m.users.Store(1)
	return m, nil
}

// stale reports whether weights beside the model were written since it was read.
func (m *Model) stale() bool {
	for path, then := range m.external {
		if stampOf(path) != then {
			return true
		}
	}
	return false
}

// Name returns the model's name, Version its version.
func (m *Model) Name() string { return m.file.model }

// Version returns the model's version.
func (m *Model) Version() string { return m.file.version }

func (m *Model) enter() { m.users.Add(1) }

// Leave ends the use of a model that Repository.Get or All returned.
func (m *Model) Leave() { m.leave() }

func (m *Model) leave() {
	if m.users.Add(-1) == 0 {
		m.session.Close()
	}
}

// plan returns the plan for batches of a schema, made once.
func (m *Model) plan(schema *arrow.Schema) (*planned, error) {
	key := schema.Fingerprint()
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.plans[key]; p != nil && key != "" && p.Schema().Equal(schema) {
		return p, nil
	}
	plan, err := arrowio.Compile(m.session, schema, m.manifest)
	if err != nil {
		return nil, err
	}
	p := &planned{Plan: plan}
	if m.manifest.Batch.MaxRows > 0 {
		p.batcher = newBatcher(m, plan)
	}
	if key != "" && len(m.plans) < maxPlans {
		m.plans[key] = p
	}
	return p, nil
}

// caller is whoever waits for answers.
type caller struct {
	context.Context
	stop *exec.Stop // ends with the context
}

// newCaller returns the caller of a context, until end.
func newCaller(ctx context.Context) (c caller, end func()) {
	stop, end := arrowio.StopWith(ctx)
	return caller{ctx, stop}, end
}

// answer scores one batch, which came with so many bytes of app metadata, and lends do the
// answer.
func (m *Model) answer(ctx caller, p *planned, b arrow.RecordBatch, beside int, t *spent, do func(arrow.RecordBatch) error) error {
	if l := m.manifest.Limits.Bytes; l > 0 && int64(beside) > l {
		err := errs.New(errs.Argument, "%d bytes of app metadata given, at most %d allowed, as of columns", beside, l)
		m.metrics.refused(m, err)
		return err
	}
	out, err := m.score(ctx, p, b, beside, t)
	if err != nil {
		return err
	}
	defer out.Release()
	return do(out)
}

// score runs one batch, alone or with others, and adds its times to t. What came beside it
// is in flight as long.
func (m *Model) score(ctx caller, p *planned, b arrow.RecordBatch, beside int, t *spent) (arrow.RecordBatch, error) {
	done, err := m.gate.enter(ctx, arrowio.Size(b)+int64(beside))
	if err != nil {
		m.metrics.refused(m, err)
		return nil, err
	}
	defer done()
	f, err := p.Feeds(b, m.session.IO())
	t.ends(stageInput)
	if err != nil {
		m.metrics.refused(m, err)
		return nil, err
	}
	var out arrow.RecordBatch
	rows := f.Rows
	if p.batcher != nil {
		out, err = p.batcher.score(ctx, f, t)
	} else {
		defer f.Release()
		out, err = m.run(ctx, p.Plan, f, t)
	}
	if err != nil {
		m.metrics.refused(m, err)
		return nil, err
	}
	m.counts.scored(rows)
	return out, nil
}

// run runs feeds and returns the answer.
func (m *Model) run(ctx caller, p *arrowio.Plan, f *arrowio.Feeds, t *spent) (out arrow.RecordBatch, err error) {
	err = m.gate.turn(ctx)
	t.ends(stageQueue)
	if err != nil {
		return nil, err
	}
	defer m.gate.next()
	results, err := m.infer(ctx, p, f, t)
	if err != nil {
		return nil, err
	}
	defer t.ends(stageOutput)
	return p.Batch(results, f.Rows)
}

// infer runs feeds on the threads that are theirs.
func (m *Model) infer(ctx caller, p *arrowio.Plan, f *arrowio.Feeds, t *spent) ([]exec.Result, error) {
	threads := m.crew.begin(m.pace.work(f.Rows))
	defer m.crew.end()
	results, err := p.RunUntil(ctx, ctx.stop, f, threads)
	took := t.ends(stageInfer)
	if err == nil {
		m.pace.ran(f.Rows, threads, took)
	}
	return results, err
}

// gate bounds what a model's requests hold, how many wait and how many run.
type gate struct {
	limits  arrowio.Limits
	turns   chan struct{}
	waiting atomic.Int64
	bytes   atomic.Int64
}

func newGate(l arrowio.Limits) *gate {
	n := l.Concurrency
	if n <= 0 {
		n = pool.Width()
	}
	return &gate{limits: l, turns: make(chan struct{}, n)}
}

// enter admits a request of n bytes; done ends it.
//
// Errors: errs.Memory where the bytes in flight would pass their bound, or the queue
// is full.
func (g *gate) enter(_ context.Context, n int64) (done func(), err error) {
	total := g.bytes.Add(n)
	if l := g.limits.InFlightBytes; l > 0 && total > l {
		g.bytes.Add(-n)
		return nil, errs.New(errs.Memory, "%d bytes are in flight, at most %d allowed: try again later", total, l)
	}
	waiting := g.waiting.Add(1)
	if l := int64(g.limits.Queue); l > 0 && waiting > l+int64(cap(g.turns)) {
		g.waiting.Add(-1)
		g.bytes.Add(-n)
		return nil, errs.New(errs.Memory, "%d requests wait, at most %d allowed: try again later", waiting, l)
	}
	return func() {
		g.waiting.Add(-1)
		g.bytes.Add(-n)
	}, nil
}

// turn waits until one more run may begin; next ends it.
func (g *gate) turn(ctx context.Context) error {
	select {
	case g.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errs.New(errs.Canceled, "while waiting for a turn: %w", context.Cause(ctx))
	}
}

func (g *gate) next() {
	<-g.turns
}
