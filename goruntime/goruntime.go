package goruntime

import (
	"context"
	"slices"
	"strings"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
	"github.com/goruntime/goruntime/goruntime/onnx"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// Options are what a session is opened with; the zero value is good.
type Options = exec.Options

// Info describes an input or output of a model.
type Info = exec.Info

// Session is a model ready to run.
//
// Ownership: the caller's until Close; the tensors that it returned outlive it.
// Concurrency: all methods are safe from any goroutine.
type Session struct{ s *exec.Session }

// Open reads and compiles the model file at path.
//
// Errors: errs.IO for the file, errs.Model for what is in it, errs.Unsupported
// listing every operator that is not run here.
func Open(path string, o Options) (*Session, error) {
	s, err := exec.Open(path, o)
	if err != nil {
		return nil, err
	}
	return &Session{s}, nil
}

// Parse compiles a model from its bytes, which must not change until Close.
// External data is looked for in dir.
//
// Errors: as Open.
func Parse(model []byte, dir string, o Options) (*Session, error) {
	m, err := onnx.ParseIn(model, dir)
	if err != nil {
		return nil, err
	}
	s, err := exec.New(m, o)
	if err != nil {
		m.Close()
		return nil, err
	}
	return &Session{s}, nil
}

// Inputs returns the inputs of the model in its order.
func (s *Session) Inputs() []Info { return s.s.Inputs() }

// Outputs returns the outputs of the model in its order.
func (s *Session) Outputs() []Info { return s.s.Outputs() }

// ExecutionArena returns the arena of what dies in a run.
func (s *Session) ExecutionArena() *arena.ExecutionArena { return s.s.Execution() }

// IOArena returns the arena of what leaves a run.
func (s *Session) IOArena() *arena.IOArena { return s.s.IO() }

// Exec returns the session beneath, which package arrowio scores record batches with, and
// whose calls also feed sequences, optionals and maps, and lend memory for outputs.
//
// Ownership: borrowed until Close.
func (s *Session) Exec() *exec.Session { return s.s }

// Close waits for the runs of the session and gives back what it owns.
func (s *Session) Close() { s.s.Close() }

// Run executes the model once and returns the wanted values, inner ones of the
// model too, of which only what is needed runs; none wanted is the outputs. Inputs that
// are sequences, optionals or maps are fed through Exec.
//
// Ownership: feeds are borrowed for the call and never written. Each result is
// the caller's, to Release once.
// Errors: errs.Name, errs.Type and errs.Shape for feeds that do not fit,
// errs.Canceled and errs.Timeout by ctx, whose error they wrap, errs.Memory at a limit. After any of
// them nothing is kept and the session is usable.
func (s *Session) Run(ctx context.Context, feeds map[string]tensor.View, wanted ...string) ([]*Tensor, error) {
	if ctx.Err() != nil {
		return nil, endedBy(ctx, errs.New(errs.Canceled, "the run was canceled"))
	}
	c := exec.Call{}
	var err error
	n := len(s.s.Outputs())
	if len(wanted) > 0 {
		n = len(wanted)
		if c.Target, err = s.s.Target(wanted); err != nil {
			return nil, err
		}
	}
	if c.In, err = s.bind(feeds); err != nil {
		return nil, err
	}
	c.Out = make([]exec.Result, n)
	stop := &exec.Stop{}
	if deadline, ok := ctx.Deadline(); ok {
		stop.Deadline = deadline
	}
	defer context.AfterFunc(ctx, stop.Cancel)()
	c.Stop = stop
	if err := s.s.Run(&c); err != nil {
		return nil, endedBy(ctx, err)
	}
	results := make([]*Tensor, n)
	for i := range c.Out {
		results[i] = &Tensor{View: c.Out[i].View, Value: c.Out[i].Value, block: c.Out[i].Block}
	}
	return results, nil
}

// endedBy returns the error of a run, with that of ctx as its cause where ctx ended it.
func endedBy(ctx context.Context, err error) error {
	e, cause := errs.At(err, "", "", ""), ctx.Err()
	switch {
	case e.Code == errs.Timeout:
		cause = context.DeadlineExceeded // the run may see that it passed before ctx does
	case e.Code != errs.Canceled:
		return err
	case cause == context.DeadlineExceeded:
		e.Code, e.Msg = errs.Timeout, "the run's time limit passed"
	}
	e.Err = cause
	return e
}

// bind puts the feeds in the model's order.
func (s *Session) bind(feeds map[string]tensor.View) ([]tensor.View, error) {
	infos := s.s.Inputs()
	in := make([]tensor.View, len(infos))
	used := 0
	for i, info := range infos {
		v, ok := feeds[info.Name]
		if !ok {
			continue // the run says whether the input may be left out
		}
		in[i] = v
		used++
	}
	if used == len(feeds) {
		return in, nil
	}
	names := make([]string, len(infos))
	for i := range infos {
		names[i] = infos[i].Name
	}
	for name := range feeds {
		if !slices.Contains(names, name) {
			return nil, errs.New(errs.Name, "no input of this name; the nearest are %s", nearest.Quoted(name, names, 3)).WithInput(name)
		}
	}
	return in, nil
}

// Tensor is a result: its elements lie in memory of an I/O arena. Where the result is
// a sequence, an optional or a map, DType is tensor.Other and Value holds it.
//
// Ownership: the caller's; Release gives the memory to the next run. Value is borrowed
// until then.
type Tensor struct {
	tensor.View
	Value *values.Value
	block arena.Handle
}

// Release gives the tensor's memory back; a second one does nothing. Its elements must not
// be used after.
func (t *Tensor) Release() {
	t.block.Release()
	t.Value.Release()
	t.block, t.Data, t.Value = arena.Handle{}, nil, nil
}

// Of returns a tensor over the elements of s, which the caller keeps alive and
// unchanged while it is used.
//
// Errors: errs.Shape where the number of elements does not fit the shape.
func Of[T Element](s []T, shape ...int) (tensor.View, error) {
	return tensor.ViewOf(dtypeOf[T](), shape, s)
}

// Elements returns the elements of a tensor, which must be of type T.
//
// Ownership: borrowed until the tensor's Release; of strings copies, which are the
// caller's.
// Errors: errs.Type for a tensor of another type, errs.Released after Release.
func Elements[T Element](t *Tensor) ([]T, error) {
	if d := dtypeOf[T](); d != t.DType {
		return nil, errs.New(errs.Type, "the elements are %v, %v asked for", t.DType, d)
	}
	if t.Data == nil && t.View.Elements() > 0 {
		return nil, errs.New(errs.Released, "the tensor %v was released: read it before, or copy its elements", t)
	}
	elements := tensor.Elems[T](&t.View)
	texts, ok := any(elements).([]string)
	if !ok {
		return elements, nil
	}
	copies := make([]T, len(texts))
	for i, text := range texts {
		copies[i] = any(strings.Clone(text)).(T)
	}
	return copies, nil
}
