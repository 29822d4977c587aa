package handles

import (
	"sync"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Session is an open session with what its callers across the boundary need:
// calls that were made before, so that a run allocates nothing.
type Session struct {
	*exec.Session
	// ExecutionHandle and IOHandle name the arenas that the session runs on.
	ExecutionHandle uint64
	IOHandle        uint64

	mu      sync.Mutex // protects all below
	free    []*Invocation
	targets map[*exec.Target]uint64
}

// Invocation is the reusable memory of one run.
type Invocation struct {
	exec.Call
	Views []tensor.View  // behind Call.Lent
	Lends []*tensor.View // Call.Lent where something is lent
	Own   exec.Stop      // Call.Stop where the run can be stopped
}

// OpenOptions say how a session is opened; zero handles make arenas of its own.
type OpenOptions struct {
	Execution, IO uint64
	Threads       int
}

// OpenFile opens the model at path.
func OpenFile(path string, o OpenOptions) (uint64, error) {
	m, err := onnx.Open(path)
	if err != nil {
		return 0, err
	}
	return open(m, o)
}

// OpenBytes opens a model whose bytes nobody changes any more; external data is
// looked for in folder.
func OpenBytes(b []byte, folder string, o OpenOptions) (uint64, error) {
	m, err := onnx.ParseIn(b, folder)
	if err != nil {
		return 0, err
	}
	return open(m, o)
}

func open(m *onnx.Model, o OpenOptions) (uint64, error) {
	h, err := compile(m, o)
	if err != nil {
		m.Close()
	}
	return h, err
}

func compile(m *onnx.Model, o OpenOptions) (uint64, error) {
	execution, err := ExecutionOf(o.Execution)
	if err != nil {
		return 0, err
	}
	io, err := IOOf(o.IO)
	if err != nil {
		return 0, err
	}
	s, err := exec.New(m, exec.Options{Execution: execution, IO: io, Threads: o.Threads})
	if err != nil {
		return 0, err
	}
	kept := &Session{Session: s, ExecutionHandle: o.Execution, IOHandle: o.IO, targets: map[*exec.Target]uint64{}}
	if execution == nil {
		kept.ExecutionHandle = putExecution(s.Execution(), true)
	}
	if io == nil {
		kept.IOHandle = putIO(s.IO(), true)
	}
	return Sessions.Put(kept), nil
}

// CloseSession waits for the runs of a session, closes it, and ends its handles
// of targets and of the arenas that it made.
//
// Errors: errs.Closed.
func CloseSession(h uint64) error {
	s, err := Sessions.Take(h)
	if err != nil {
		return err
	}
	s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.targets {
		if _, err := Targets.Take(t); err != nil {
			return err
		}
	}
	for _, a := range []uint64{s.ExecutionHandle, s.IOHandle} {
		if kept, err := Arenas.Get(a); err == nil && kept.borrowed {
			if _, err := Arenas.Take(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// TargetOf returns the handle of the wish for these values.
//
// Errors: errs.Name for a value that the model does not have.
func (s *Session) TargetOf(names []string) (uint64, error) {
	t, err := s.Target(names)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.targets[t]
	if !ok {
		h = Targets.Put(t)
		s.targets[t] = h
	}
	return h, nil
}

// Take returns an invocation for one run, to be given back with Give.
func (s *Session) Take() *Invocation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return &Invocation{}
}

// Give takes back an invocation whose run is over.
func (s *Session) Give(c *Invocation) {
	c.Target, c.Stop, c.Execution, c.IO, c.Lent = nil, nil, nil, nil, nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, c)
}
