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
	"github.com/goruntime/goruntime/goruntime/values"
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
	if k := s.hot.Swap(nil); k != nil {
		return k
	}
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
	if k = s.hot.Swap(k); k == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, k)
}

func (k *call) run(s *session, c *C.gr_call) error {
	if err := k.decode(s, c); err != nil {
		return err
	}
	if c.trace != 0 {
		finish := k.record(c)
		defer finish()
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
	if err = k.feed(unsafe.Slice(c.inputs, int(c.n_inputs))); err != nil {
		return err
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

// feed lists the inputs.
func (k *call) feed(list []C.gr_view) error {
	for len(k.In) < len(list) {
		k.In = append(k.In, tensor.View{})
	}
	k.In, k.Values = k.In[:len(list)], nil
	for i := range list {
		v := &k.In[i] // written in place: a copy would wait for the stores just before
		see(v, &list[i])
		if list[i].columns != nil {
			if len(v.Shape) != 2 {
				return errs.New(errs.Argument, "input %d lies as columns and has rank %d: 2 expected", i, len(v.Shape))
			}
			// SAFETY: api.h asks for an address for each column, good during the call.
			v.Columns = unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(list[i].columns)), v.Shape[1])
		}
		if list[i].dtype == C.GR_OTHER {
			if k.Values == nil {
				k.Values = make([]*values.Value, len(list))
			}
			k.Values[i] = valueOf(list[i].value)
		}
	}
	return nil
}

// borrow lists the memory that the caller lends for outputs.
func (k *call) borrow(list []C.gr_view) {
	k.Lent = make([]*tensor.View, len(list))
	k.lent = make([]tensor.View, len(list))
	for i := range list {
		if list[i].data != nil || list[i].dtype != 0 {
			see(&k.lent[i], &list[i])
			k.Lent[i] = &k.lent[i]
		}
	}
}

// forever is a time limit in seconds, of 30 years, that a time.Duration holds.
const forever = 1e9

// stopper sets what may end the run.
func (k *call) stopper(c *C.gr_call) error {
	if k.Stop = nil; c.stop == 0 && !(c.timeout > 0) && c.poll == nil {
		return nil
	}
	k.stop.Deadline, k.stop.Parent = time.Time{}, nil
	if c.stop != 0 {
		parent, err := handles.Stops.Get(uint64(c.stop))
		if err != nil {
			return err
		}
		k.stop.Parent = parent
	}
	if c.timeout > 0 {
		k.stop.Deadline = time.Now().Add(time.Duration(min(float64(c.timeout), forever) * float64(time.Second)))
	}
	k.Stop = &k.stop
	return nil
}

// see makes t a view of v's memory.
func see(t *tensor.View, v *C.gr_view) {
	t.DType, t.Data, t.Columns = tensor.DType(v.dtype), v.data, nil
	// SAFETY: int64_t is Go's int on the platforms that build; dims has rank entries.
	t.Shape = unsafe.Slice((*int)(unsafe.Pointer(v.dims)), int(v.rank))
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
			for j := i; j < len(k.Out); j++ {
				k.Out[j].Release()
			}
			for j := range i {
				takeBack(&outputs[j])
			}
			return err
		}
	}
	return nil
}

// export gives output o what r owns. On an error r still owns what was not given.
func export(io *arena.IOArena, r *exec.Result, o *C.gr_output) error {
	o.dtype, o.rank = C.int32_t(r.DType), C.int32_t(len(r.Shape))
	place(o, r.Data, lease.Handle{})
	if len(r.Shape) > C.GR_MAX_RANK {
		return errs.New(errs.Unsupported, "an output has rank %d, which is above %d", len(r.Shape), C.GR_MAX_RANK)
	}
	for d, n := range r.Shape {
		o.dims[d] = C.int64_t(n)
	}
	if r.Value != nil {
		return exportValue(io, r, o)
	}
	if !r.Block.Valid() {
		return nil
	}
	l, err := io.Export(r.Block, 1)
	r.Block = arena.Handle{}
	if err == nil {
		place(o, r.Data, l)
	}
	return err
}

// takeBack ends the leases of an output that the caller will not see.
func takeBack(o *C.gr_output) {
	release(o.lease, o.generation)
	if o.value != nil {
		releaseTree(o.value)
		gr_value_free(o.value)
	}
	place(o, nil, lease.Handle{})
}

// release ends the reference to a lease, if there is one.
func release(l *C.gr_lease, generation C.uint32_t) {
	if l != nil {
		// A lease that is not live any more is counted where it lives.
		_ = lease.Handle{Header: (*lease.Header)(unsafe.Pointer(l)), Generation: uint32(generation)}.Release()
	}
}

// place writes the addresses of an output. They are written as numbers: a store of
// a pointer tells the collector what lay there before, and a caller's gr_output
// need not be initialized, so that may be any old address.
func place(o *C.gr_output, data unsafe.Pointer, l lease.Handle) {
	address(unsafe.Pointer(&o.data), data)
	address(unsafe.Pointer(&o.lease), unsafe.Pointer(l.Header))
	address(unsafe.Pointer(&o.value), nil)
	o.generation = C.uint32_t(l.Generation)
}

// address writes p to a pointer of C's as a number.
func address(at, p unsafe.Pointer) { *(*uintptr)(at) = uintptr(p) }

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
