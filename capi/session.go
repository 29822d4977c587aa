package main

/*
#include <stdlib.h>
#include <string.h>
#include "api.h"
*/
import "C"

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/handles"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/ortengine"
)

// session is a Session as C holds it: with its descriptions, the targets that
// were asked for and the calls that wait for the next run.
type session struct {
	*exec.Session
	inputs, outputs []C.gr_info
	arenas          [2]uint64 // handles of execution and I/O arena
	ownsArenas      [2]bool
	model           unsafe.Pointer // the copy of the model's bytes, or nil
	freeCustom      func()

	hot     atomic.Pointer[call] // the call that ended last, or nil
	mu      sync.Mutex           // protects targets and idle
	targets []*exec.Target
	idle    []*call
}

// sessionOf returns the session of a handle.
func sessionOf(h C.uint64_t) (*session, error) {
	s, err := handles.Sessions.Get(uint64(h))
	if err != nil {
		return nil, err
	}
	return s.Local.(*session), nil
}

//export gr_session_open
func gr_session_open(path *C.char, options *C.gr_options, handle *C.uint64_t, out **C.gr_error) C.gr_status {
	deepen()
	return guard(out, func() error {
		m, err := onnx.Open(C.GoString(path))
		if err != nil {
			return err
		}
		return open(m, nil, options, handle)
	})
}

//export gr_session_open_bytes
func gr_session_open_bytes(data unsafe.Pointer, size C.size_t, folder *C.char, options *C.gr_options, handle *C.uint64_t, out **C.gr_error) C.gr_status {
	deepen()
	return guard(out, func() error {
		// The model's bytes are read for as long as the session lives: outside the Go
		// heap, where the collector need not look at them.
		copied := C.malloc(max(1, size))
		C.memcpy(copied, data, size)
		dir := ""
		if folder != nil {
			dir = C.GoString(folder)
		}
		m, err := onnx.ParseIn(unsafe.Slice((*byte)(copied), int(size)), dir)
		if err != nil {
			C.free(copied)
			return err
		}
		return open(m, copied, options, handle)
	})
}

// deepen makes room on the stack at once: what loads a model goes deep, and a stack that
// grows step by step is copied each time with all that is on it.
//
//go:noinline
func deepen() {
	var room [16 << 10]byte
	runtime.KeepAlive(&room)
}

// open makes the session of a model; on failure it gives the model back.
func open(m *onnx.Model, copied unsafe.Pointer, options *C.gr_options, handle *C.uint64_t) error {
	s := &session{model: copied, freeCustom: func() {}}
	var o exec.Options
	var err error
	if options != nil {
		o.Custom, s.freeCustom = customOf(options.custom)
		o.Threads, o.Counters = int(options.threads), options.counters != 0
		o.Engine, err = engineOf(options)
		if err == nil {
			o.Execution, err = handles.ExecutionOf(uint64(options.execution))
		}
		if err == nil {
			o.IO, err = handles.IOOf(uint64(options.io))
		}
		s.arenas = [2]uint64{uint64(options.execution), uint64(options.io)}
	}
	if err == nil {
		if s.arenas[0] == 0 {
			o.Execution, s.ownsArenas[0] = arena.NewExecution(arena.Options{}), true
		}
		if s.arenas[1] == 0 {
			o.IO, s.ownsArenas[1] = arena.NewIO(arena.Options{}), true
		}
		s.Session, err = exec.New(m, o)
	}
	if err != nil {
		s.freeCustom()
		m.Close()
		C.free(copied)
		return err
	}
	if s.ownsArenas[0] {
		s.arenas[0] = handles.PutExecution(o.Execution)
	}
	if s.ownsArenas[1] {
		s.arenas[1] = handles.PutIO(o.IO)
	}
	s.inputs, s.outputs = describe(s.Inputs()), describe(s.Outputs())
	*handle = C.uint64_t(handles.Sessions.Put(&handles.Session{
		Session: s.Session, ExecutionArena: s.arenas[0], IOArena: s.arenas[1], Local: s,
	}))
	return nil
}

// engineOf returns the engine that the options name, nil for the runtime's own.
func engineOf(options *C.gr_options) (exec.Engine, error) {
	switch options.engine {
	case C.GR_ENGINE_GO:
		return nil, nil
	case C.GR_ENGINE_ORT:
		e := ortengine.Engine{}
		if options.library != nil {
			e.Library = C.GoString(options.library)
		}
		return e, nil
	}
	return nil, errs.New(errs.Argument, "engine %d: GR_ENGINE_GO and GR_ENGINE_ORT are here", options.engine)
}

//export gr_session_close
func gr_session_close(h C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		kept, err := handles.Sessions.Take(uint64(h))
		if err != nil {
			return err
		}
		s := kept.Local.(*session)
		s.Close()
		for i, owned := range s.ownsArenas {
			if owned {
				if err := handles.CloseArena(s.arenas[i]); err != nil {
					return err
				}
			}
		}
		forget(s.inputs)
		forget(s.outputs)
		C.free(s.model)
		s.freeCustom()
		return nil
	})
}

//export gr_session_target
func gr_session_target(h C.uint64_t, names **C.char, n C.size_t, target *C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err != nil {
			return err
		}
		list := make([]string, int(n))
		for i, p := range unsafe.Slice(names, int(n)) {
			list[i] = C.GoString(p)
		}
		t, err := s.Target(list)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(s.targets, t)
		if i < 0 {
			i = len(s.targets)
			s.targets = append(s.targets, t)
		}
		*target = C.uint64_t(i + 1)
		return nil
	})
}
