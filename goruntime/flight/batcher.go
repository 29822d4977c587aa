package flight

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// batcher runs requests of one model and schema together: until a number of rows or
// bytes is reached, or the first has waited long enough. Answers are slices of one.
//
// It is used where a manifest sets max_rows, which says that rows do not influence
// each other; kernels then give each row the bits it has alone. Nor do errors: where a run
// of several fails, each runs alone.
type batcher struct {
	m      *Model
	plan   *arrowio.Plan
	limits arrowio.Batching

	mu      sync.Mutex // protects all below
	waiting []*request
	rows    int64
	bytes   int64
	timer   *time.Timer
	round   int // of the timer, so that a late one closes nothing
}

// request is one batch that waits for its answer.
type request struct {
	ctx    context.Context
	feeds  *arrowio.Feeds
	asked  time.Duration // by clock
	answer chan answer   // of length 1: the sender never waits
}

type answer struct {
	batch arrow.RecordBatch
	spent spent // that of all who ran together, but for the wait before
	err   error
}

func newBatcher(m *Model, p *arrowio.Plan) *batcher {
	return &batcher{m: m, plan: p, limits: m.manifest.Batch}
}

// score adds a request and waits for its answer, whose times it adds to t. Feeds are
// taken.
func (b *batcher) score(ctx context.Context, f *arrowio.Feeds, t *spent) (arrow.RecordBatch, error) {
	r := &request{ctx: ctx, feeds: f, asked: clock(), answer: make(chan answer, 1)}
	b.add(r)
	select {
	case a := <-r.answer:
		t.join(&a.spent)
		return a.batch, a.err
	case <-ctx.Done():
		if !b.withdraw(r) {
			go func() { // the answer comes all the same, and holds memory
				if a := <-r.answer; a.batch != nil {
					a.batch.Release()
				}
			}()
		}
		return nil, errs.New(errs.Canceled, "while waiting for an answer: %w", context.Cause(ctx))
	}
}

// withdraw ends a request that still waits for others, and reports whether it did.
func (b *batcher) withdraw(r *request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.waiting, r)
	if at < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, at, at+1)
	b.rows -= int64(r.feeds.Rows)
	b.bytes -= r.feeds.Bytes()
	r.feeds.Release()
	if len(b.waiting) == 0 {
		b.begin()
	}
	return true
}

// begin begins a new round. The lock is held.
func (b *batcher) begin() {
	b.waiting, b.rows, b.bytes = nil, 0, 0
	b.round++
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

func (b *batcher) add(r *request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows, bytes := int64(r.feeds.Rows), r.feeds.Bytes()
	if len(b.waiting) > 0 && (b.rows+rows > b.limits.MaxRows || !b.alike(r) || b.limits.MaxBytes > 0 && b.bytes+bytes > b.limits.MaxBytes) {
		reason := "full"
		if !b.alike(r) {
			reason = "shape"
		}
		b.close(reason)
	}
	b.waiting = append(b.waiting, r)
	b.rows += rows
	b.bytes += bytes
	switch {
	case b.rows >= b.limits.MaxRows, b.limits.MaxBytes > 0 && b.bytes >= b.limits.MaxBytes:
		b.close("full")
	case b.limits.DelayMicros <= 0:
		b.close("idle")
	case len(b.waiting) == 1:
		round := b.round
		b.timer = time.AfterFunc(time.Duration(b.limits.DelayMicros)*time.Microsecond, func() { b.late(round) })
	}
}

// alike reports whether a request's rows have the shapes of those that wait.
func (b *batcher) alike(r *request) bool { return r.feeds.Alike(b.waiting[0].feeds) }

// late closes the round that a timer was set for.
func (b *batcher) late(round int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round == b.round && len(b.waiting) > 0 {
		b.close("deadline")
	}
}

// close sends what waits off to run. The lock is held.
func (b *batcher) close(reason string) {
	list := b.waiting
	b.begin()
	b.m.metrics.dispatched(b.m, reason, len(list))
	b.m.enter()
	go func() {
		defer b.m.leave()
		b.run(list)
	}()
}

// run runs requests together and answers each. Those whose clients are gone are left
// out.
func (b *batcher) run(list []*request) {
	live := list[:0:0]
	for _, r := range list {
		if err := context.Cause(r.ctx); err != nil {
			r.end(answer{err: errs.New(errs.Canceled, "%w", err)})
			continue
		}
		live = append(live, r)
	}
	if len(live) == 0 {
		return
	}
	ctx, stop := together(live)
	defer stop()
	t := *spending(clock())
	start := t.since
	out, err := b.joined(ctx, live, &t)
	if err != nil && len(live) > 1 && ctx.Err() == nil {
		b.apart(live)
		return
	}
	lo := int64(0)
	for _, r := range live {
		n := int64(r.feeds.Rows)
		own := t
		own.stages[stageQueue] += start - r.asked
		a := answer{err: err, spent: own}
		if err == nil {
			a.batch = out.NewSlice(lo, lo+n)
		}
		lo += n
		r.end(a)
	}
	if out != nil {
		out.Release()
	}
}

// end answers a request, whose feeds nobody reads any more.
func (r *request) end(a answer) {
	r.feeds.Release()
	r.answer <- a
}

// apart runs requests each alone: what is wrong with the rows of one, or with all of them at
// once, is not the others' concern.
func (b *batcher) apart(list []*request) {
	for _, r := range list {
		b.m.metrics.dispatched(b.m, "error", 1)
		ctx, end := newCaller(r.ctx)
		t := spending(clock())
		t.stages[stageQueue] += t.since - r.asked
		out, err := b.m.run(ctx, b.plan, r.feeds, t)
		end()
		r.end(answer{out, *t, err})
	}
}

// together returns a caller that ends when all requests have ended.
func together(list []*request) (caller, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan struct{}, len(list))
	var stops []func() bool
	for _, r := range list {
		stops = append(stops, context.AfterFunc(r.ctx, func() {
			left <- struct{}{}
			if len(left) == len(list) {
				cancel()
			}
		}))
	}
	c, end := newCaller(ctx)
	return c, func() {
		end()
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// joined runs the rows of all requests as one batch.
func (b *batcher) joined(ctx caller, list []*request, t *spent) (arrow.RecordBatch, error) {
	if len(list) == 1 {
		return b.m.run(ctx, b.plan, list[0].feeds, t)
	}
	feeds := make([]*arrowio.Feeds, len(list))
	for i, r := range list {
		feeds[i] = r.feeds
	}
	all, err := arrowio.Join(feeds)
	t.ends(stageInput)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	return b.m.run(ctx, b.plan, all, t)
}
