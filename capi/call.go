package main

/*
#include "api.h"

static inline int gr_poll(int (*poll)(void *), void *arg) { return poll(arg); }
*/
import "C"

import (
	"time"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/handles"
	"github.com/goruntime/goruntime/goruntime/lease"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// call is what one run needs on the Go side, kept for the next run.
type call struct {
	exec.Call
	stop exec.Stop
	lent []tensor.View
	c    *C.gr_call
}

// signaled is what ends a run whose caller's poll said so.
var signaled = errs.New(errs.Canceled, "the run was interrupted")

//export gr_session_run
func gr_session_run(h C.uint64_t, c *C.gr_call, out **C.gr_error) (status C.gr_status) {
	s, err := sessionOf(h)
	if err != nil {
		return fail(err, out)
	}
	k := s.take()
	defer func() {
		if v := recover(); v != nil {
			status = guard(out, func() error { panic(v) })
		}
	}()
	if err = k.run(s, c); err != nil {
		status = fail(err, out)
	}
	s.give(k)
	return status
}

func (s *session) take() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		k := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return k
	}
	k := &call{}
	k.stop.Poll = func() error {
		if k.c.poll != nil && C.gr_poll(k.c.poll, k.c.poll_arg) != 0 {
			return signaled
		}
		return nil
	}
	return k
}

func (s *session) give(k *call) {
	k.c = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, k)
}

func (k *call) run(s *session, c *C.gr_call) error {
	if err := k.decode(s, c); err != nil {
		return err
	}
	if err := s.Run(&k.Call); err != nil {
		return err
	}
	return k.encode(s, c)
}

// decode reads the C call. The views point at the caller's memory.
func (k *call) decode(s *session, c *C.gr_call) (err error) {
	k.c, k.Target, k.Threads = c, nil, int(c.threads)
	if c.target != 0 {
		s.mu.Lock()
		k.Target = s.targets[c.target-1]
		s.mu.Unlock()
	}
	if k.Execution, err = handles.ExecutionOf(uint64(c.execution)); err != nil {
		return err
	}
	if k.IO, err = handles.IOOf(uint64(c.io)); err != nil {
		return err
	}
	k.In = k.In[:0]
	for i := range unsafe.Slice(c.inputs, int(c.n_inputs)) {
		k.In = append(k.In, viewOf(&unsafe.Slice(c.inputs, int(c.n_inputs))[i]))
	}
	for len(k.Out) < int(c.n_outputs) {
		k.Out = append(k.Out, exec.Result{})
	}
	k.Out = k.Out[:c.n_outputs]
	k.Lent, k.lent = nil, k.lent[:0]
	if c.lent != nil {
		k.borrow(unsafe.Slice(c.lent, int(c.n_outputs)))
	}
	return k.stopper(c)
}

// borrow lists the memory that the caller lends for outputs.
func (k *call) borrow(list []C.gr_view) {
	k.Lent = make([]*tensor.View, len(list))
	k.lent = make([]tensor.View, len(list))
	for i := range list {
		if list[i].data != nil || list[i].dtype != 0 {
			k.lent[i] = viewOf(&list[i])
			k.Lent[i] = &k.lent[i]
		}
	}
}

// stopper sets what may end the run.
func (k *call) stopper(c *C.gr_call) error {
	k.Stop = nil
	k.stop.Deadline = time.Time{}
	k.stop.Parent = nil
	if c.stop != 0 {
		parent, err := handles.Stops.Get(uint64(c.stop))
		if err != nil {
			return err
		}
		k.stop.Parent = parent
	}
	if c.timeout > 0 {
		k.stop.Deadline = time.Now().Add(time.Duration(float64(c.timeout) * float64(time.Second)))
	}
	if c.stop != 0 || c.timeout > 0 || c.poll != nil {
		k.Stop = &k.stop
	}
	return nil
}

func viewOf(v *C.gr_view) tensor.View {
	return tensor.View{
		DType: tensor.DType(v.dtype), Data: v.data,
		// SAFETY: int64_t is Go's int on the platforms that build; dims has rank entries.
		Shape: unsafe.Slice((*int)(unsafe.Pointer(v.dims)), int(v.rank)),
	}
}

// encode turns the results into leases.
func (k *call) encode(s *session, c *C.gr_call) error {
	io := k.IO
	if io == nil {
		io = s.IO()
	}
	outputs := unsafe.Slice(c.outputs, int(c.n_outputs))
	for i := range k.Out {
		if err := export(io, &k.Out[i], &outputs[i]); err != nil {
			for j := i + 1; j < len(k.Out); j++ {
				k.Out[j].Block.Release()
			}
			return err
		}
	}
	return nil
}

func export(io *arena.IOArena, r *exec.Result, o *C.gr_output) error {
	o.dtype, o.rank = C.int32_t(r.DType), C.int32_t(len(r.Shape))
	place(o, r.Data, lease.Handle{})
	if len(r.Shape) > C.GR_MAX_RANK {
		r.Block.Release()
		return errs.New(errs.Unsupported, "an output has rank %d, which is above %d", len(r.Shape), C.GR_MAX_RANK)
	}
	for d, n := range r.Shape {
		o.dims[d] = C.int64_t(n)
	}
	if !r.Block.Valid() {
		return nil
	}
	l, err := io.Export(r.Block, 1)
	if err == nil {
		place(o, r.Data, l)
	}
	return err
}

// place writes the addresses of an output. They are written as numbers: a store of
// a pointer tells the collector what lay there before, and a caller's gr_output
// need not be initialized, so that may be any old address.
func place(o *C.gr_output, data unsafe.Pointer, l lease.Handle) {
	*(*uintptr)(unsafe.Pointer(&o.data)) = uintptr(data)
	*(*uintptr)(unsafe.Pointer(&o.lease)) = uintptr(unsafe.Pointer(l.Header))
	o.generation = C.uint32_t(l.Generation)
}

//export gr_stop_new
func gr_stop_new(stop *C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		*stop = C.uint64_t(handles.Stops.Put(&exec.Stop{}))
		return nil
	})
}

//export gr_stop_cancel
func gr_stop_cancel(stop C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := handles.Stops.Get(uint64(stop))
		if err == nil {
			s.Cancel()
		}
		return err
	})
}

//export gr_stop_close
func gr_stop_close(stop C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		_, err := handles.Stops.Take(uint64(stop))
		return err
	})
}
