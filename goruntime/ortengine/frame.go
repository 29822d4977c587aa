//go:build ort && cgo

package ortengine

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// short is how long a run of known length may take to be made on the caller's
// goroutine, where nothing can end it.
const short = time.Millisecond

// frame is what one run of a signature needs, kept for the next: the library's list of
// values in C memory, and what the run holds.
type frame struct {
	r  *runner
	of *signature

	c       *C.gr_ort_frame
	tensors []C.gr_ort_tensor // of inputs that are fed, then of outputs
	values  []*C.OrtValue
	inputs  []int // the numbers of the inputs that are fed
	loose   bool  // no output has memory before the run

	blocks []arena.Handle // of each output, what it is written to
	staged []arena.Handle // copies of inputs
	last   time.Duration  // of the run before; 0 is unknown
}

// newFrame returns a frame for the inputs of s.
func newFrame(r *runner, s *signature) *frame {
	f := &frame{r: r, of: s, blocks: make([]arena.Handle, len(r.which))}
	for i := range s.in {
		if s.in[i].DType != tensor.Undefined {
			f.inputs = append(f.inputs, i)
		}
	}
	n := C.size_t(len(f.inputs) + len(r.which))
	f.c = (*C.gr_ort_frame)(C.calloc(1, C.sizeof_gr_ort_frame))
	f.c.session, f.c.memory = r.l.session, library.memory
	f.c.n_inputs, f.c.n_outputs = C.int32_t(len(f.inputs)), C.int32_t(len(r.which))
	f.c.tensors = (*C.gr_ort_tensor)(C.calloc(n+1, C.sizeof_gr_ort_tensor))
	f.c.names = (**C.char)(C.calloc(n+1, C.size_t(unsafe.Sizeof(uintptr(0)))))
	f.c.values = (**C.OrtValue)(C.calloc(n+1, C.size_t(unsafe.Sizeof(uintptr(0)))))
	// SAFETY: each was allocated with at least n elements and lives until close.
	f.tensors, f.values = unsafe.Slice(f.c.tensors, int(n)), unsafe.Slice(f.c.values, int(n))
	names := unsafe.Slice(f.c.names, int(n)) // SAFETY: as above
	for k, i := range f.inputs {
		names[k] = r.l.inNames[i]
		f.describe(&f.tensors[k], &s.in[i])
	}
	for k, i := range r.which {
		names[len(f.inputs)+k] = r.l.outNames[i]
	}
	f.bindOutputs()
	return f
}

// bindOutputs tells the library which outputs have memory before the run.
func (f *frame) bindOutputs() {
	f.loose = f.of.loose()
	for k := range f.of.outs {
		f.describe(f.output(k), &f.of.outs[k])
	}
}

func (f *frame) output(k int) *C.gr_ort_tensor { return &f.tensors[len(f.inputs)+k] }

// describe writes type and shape of v to t.
func (f *frame) describe(t *C.gr_ort_tensor, v *tensor.View) {
	C.gr_ort_forget(t)
	if t.dims == nil {
		t.dims = (*C.int64_t)(C.calloc(C.GR_ORT_MAX_RANK, 8))
	}
	t.dtype, t.rank, t.bytes = 0, C.int32_t(len(v.Shape)), 0
	if !plain(v.DType) || len(v.Shape) > C.GR_ORT_MAX_RANK {
		return
	}
	t.dtype, t.bytes = C.int32_t(numberOf(v.DType)), C.size_t(v.Bytes())
	// SAFETY: dims has room for as many dimensions.
	dims := unsafe.Slice(t.dims, C.GR_ORT_MAX_RANK)
	for d, n := range v.Shape {
		dims[d] = C.int64_t(n)
	}
}

// run makes one run. It leaves nothing behind but what c.Out owns.
func (f *frame) run(c *exec.Call, on exec.Resources) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	defer f.end()
	if err := f.feed(c, on, &pin); err != nil {
		return err
	}
	if err := f.place(c, on, &pin); err != nil {
		return err
	}
	if err := f.call(c.Stop); err != nil {
		f.dropMade(0)
		return err
	}
	return f.collect(c, on)
}

// feed points the library at the inputs.
func (f *frame) feed(c *exec.Call, on exec.Resources, pin *runtime.Pinner) error {
	for k, i := range f.inputs {
		in, t := &c.In[i], &f.tensors[k]
		var err error
		switch {
		case in.DType == tensor.Other:
			err = f.feedValue(t, c.Values[i], pin)
		case in.DType == tensor.Str:
			err = f.feedStrings(t, in, on.IO, pin)
		default:
			err = f.lend(t, in, on.IO, pin)
		}
		if err != nil {
			return errs.At(err, "", "", f.r.l.inputs[i].Name)
		}
	}
	return nil
}

// nothing is where tensors without elements lie.
var nothing [64]byte

// lend points t at elements that the caller keeps for the run. At an address that is
// no multiple of the element's size they are copied.
func (f *frame) lend(t *C.gr_ort_tensor, v *tensor.View, io *arena.IOArena, pin *runtime.Pinner) error {
	n := v.Bytes()
	switch {
	case n == 0:
		t.data = address(unsafe.Pointer(&nothing))
	case uintptr(v.Data)%uintptr(v.DType.Align()) != 0:
		h, err := io.Acquire(n)
		if err != nil {
			return err
		}
		f.staged = append(f.staged, h)
		// SAFETY: the block was acquired with n bytes.
		copy(unsafe.Slice((*byte)(h.Data()), n), v.Raw())
		io.CountCopy(arena.CopyUnaligned, n)
		t.data = address(h.Data())
	default:
		pin.Pin(v.Data)
		t.data = address(v.Data)
	}
	return nil
}

// address returns p as C keeps it in a frame: as a number, since the memory there is
// not initialized and a store of a pointer would make the collector look at it.
func address(p unsafe.Pointer) C.uintptr_t { return C.uintptr_t(uintptr(p)) }

// place gives the outputs of known shapes, and those that the caller lends memory
// for, the memory that they are written to.
func (f *frame) place(c *exec.Call, on exec.Resources, pin *runtime.Pinner) error {
	if f.loose {
		on.IO.Drain() // what the library made for a run before is there for this one
	}
	for k := range f.blocks {
		t, known := f.output(k), &f.of.outs[k]
		if c.Lent != nil && c.Lent[k] != nil {
			if err := f.lent(t, known, c.Lent[k], k); err != nil {
				return err
			}
			pin.Pin(c.Lent[k].Data)
			t.data = address(c.Lent[k].Data)
			continue
		}
		if known.DType == tensor.Undefined {
			if t.dtype != 0 { // memory was lent in an earlier run
				f.describe(t, known)
			}
			continue
		}
		h, err := on.IO.Acquire(int(t.bytes))
		if err != nil {
			return err
		}
		f.blocks[k] = h
		t.data = address(h.Data())
	}
	return nil
}

// lent compares the caller's memory with output k, as far as it is known.
func (f *frame) lent(t *C.gr_ort_tensor, known, lent *tensor.View, k int) error {
	name := f.r.l.outputs[f.r.which[k]].Name
	switch {
	case known.DType == tensor.Undefined && !plain(lent.DType):
		return errs.New(errs.Unsupported, "memory of %v was given for output %q: ONNX Runtime writes numbers to memory of the caller", lent.DType, name).WithInput(name)
	case known.DType == tensor.Undefined:
		f.describe(t, lent)
	case lent.DType != known.DType || !lent.Shape.Equal(known.Shape):
		return errs.New(errs.Shape, "the memory given for output %q is %v, the output is %v", name, lent, known).WithInput(name)
	}
	return nil
}

// call runs the library, where it can be ended if it may take long.
func (f *frame) call(stop *exec.Stop) error {
	if stop == nil {
		return f.cross()
	}
	if err := stop.Err(); err != nil {
		return err
	}
	if !f.r.l.loops && f.last > 0 && f.last < short {
		return f.timed()
	}
	if f.c.options == nil {
		if err := failed(C.CreateRunOptions(&f.c.options), errs.Internal); err != nil {
			return err
		}
	}
	ended, done := false, make(chan error, 1)
	go func() { done <- f.timed() }()
	err := stop.Wait(done, func() {
		ended = true
		// A refusal leaves the run to end by itself.
		_ = failed(C.RunOptionsSetTerminate(f.c.options), errs.Internal)
	})
	if ended {
		_ = failed(C.RunOptionsUnsetTerminate(f.c.options), errs.Internal)
	}
	return err
}

// timed is cross, and notes how long it took.
func (f *frame) timed() error {
	begin := time.Now()
	err := f.cross()
	if f.last = time.Since(begin); err != nil {
		f.last = 0
	}
	return err
}

// cross is the one crossing.
func (f *frame) cross() error { return failed(C.gr_ort_run(f.c), errs.Compute) }

// end gives back what the run held and did not hand over.
func (f *frame) end() {
	for k := range f.blocks {
		f.blocks[k].Release()
		f.blocks[k] = arena.Handle{}
	}
	for i := range f.staged {
		f.staged[i].Release()
	}
	f.staged = f.staged[:0]
	for k := range f.inputs {
		if t := &f.tensors[k]; t.dtype == 0 && t.value != nil { // made for this run
			C.gr_ort_forget(t)
		}
	}
}

// dropMade releases what the library made for output k and those behind it.
func (f *frame) dropMade(k int) {
	for ; k < len(f.blocks); k++ {
		if at := len(f.inputs) + k; f.tensors[at].dtype == 0 && f.values[at] != nil {
			C.ReleaseOrtValue(f.values[at])
			f.values[at] = nil
		}
	}
}

// close gives the frame's memory back.
func (f *frame) close() {
	for i := range f.tensors {
		C.gr_ort_forget(&f.tensors[i])
		C.free(unsafe.Pointer(f.tensors[i].dims))
	}
	if f.c.options != nil {
		C.ReleaseRunOptions(f.c.options)
	}
	C.free(unsafe.Pointer(f.c.tensors))
	C.free(unsafe.Pointer(f.c.names))
	C.free(unsafe.Pointer(f.c.values))
	C.free(unsafe.Pointer(f.c))
}
