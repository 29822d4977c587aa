package arrowio

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
)

// Score runs the model on a batch.
//
// Ownership: the batch is borrowed for the call; the answer is the caller's to
// Release, and holds its memory alone.
// Errors: those of Feeds, of the run and of Batch; errs.Canceled and errs.Timeout by
// ctx.
func (p *Plan) Score(ctx context.Context, b arrow.RecordBatch) (arrow.RecordBatch, error) {
	f, err := p.Feeds(b, p.session.IO())
	if err != nil {
		return nil, err
	}
	defer f.Release()
	results, err := p.Run(ctx, f, 0)
	if err != nil {
		return nil, err
	}
	return p.Batch(results, f.Rows)
}

// Run runs the model on feeds, which stay the caller's; 0 threads are the session's
// number.
func (p *Plan) Run(ctx context.Context, f *Feeds, threads int) ([]exec.Result, error) {
	stop, end := StopWith(ctx)
	defer end()
	return p.RunUntil(ctx, stop, f, threads)
}

// RunUntil is Run where the stop was made before, for the runs of one goroutine after
// each other.
func (p *Plan) RunUntil(ctx context.Context, stop *exec.Stop, f *Feeds, threads int) ([]exec.Result, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, errs.New(errs.Canceled, "%w", err)
	}
	c := exec.Call{Target: p.target, In: f.Views, Out: make([]exec.Result, len(p.columns)), Threads: threads, Stop: stop}
	if err := p.session.Run(&c); err != nil {
		return nil, err
	}
	return c.Out, nil
}

// StopWith returns what ends runs with ctx, until end.
func StopWith(ctx context.Context) (stop *exec.Stop, end func()) {
	stop = &exec.Stop{}
	if deadline, ok := ctx.Deadline(); ok {
		stop.Deadline = deadline
	}
	if ctx.Done() == nil {
		return stop, func() {}
	}
	forget := context.AfterFunc(ctx, stop.Cancel)
	return stop, func() { forget() }
}

// Columns returns the names of the outputs.
func (p *Plan) Columns() []string { return p.columns }
