//go:build ort && cgo

package ortengine

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// collect moves the outputs to c.Out.
func (f *frame) collect(c *exec.Call, on exec.Resources) error {
	for k := range c.Out {
		o := &c.Out[k]
		o.Block, o.Value = arena.Handle{}, nil
		err := error(nil)
		if t := f.output(k); t.dtype != 0 {
			o.DType, o.Data = typeOf(int32(t.dtype)), pointer(t.data)
			o.Shape = shapeOf(o.Shape, unsafe.Slice(t.dims, t.rank)) // SAFETY: dims has rank entries
			o.Block, f.blocks[k] = f.blocks[k], arena.Handle{}
		} else {
			at := &f.values[len(f.inputs)+k]
			v := *at
			*at = nil
			err = f.receive(o, v, c.In, on.IO)
		}
		if err != nil {
			f.dropMade(k + 1)
			for i := range k {
				c.Out[i].Release()
			}
			return errs.New(errs.CodeOf(err), "the output %q: %w", f.r.l.outputs[f.r.which[k]].Name, err)
		}
	}
	return nil
}

// pointer is the address that was written down as a number: of a block of an arena, or
// of memory that the caller lends.
func pointer(at C.uintptr_t) unsafe.Pointer {
	// SAFETY: the memory is not the collector's, or pinned during the run.
	return *(*unsafe.Pointer)(unsafe.Pointer(&at))
}

func shapeOf(dst tensor.Shape, dims []C.int64_t) tensor.Shape {
	dst = dst[:0]
	for _, n := range dims {
		dst = append(dst, int(n))
	}
	return dst
}

// receive makes a value of the library an output of the run. It takes v.
func (f *frame) receive(o *exec.Result, v *C.OrtValue, in []tensor.View, io *arena.IOArena) error {
	view, err := look(v)
	if err != nil {
		C.ReleaseOrtValue(v)
		return err
	}
	if view.kind != C.GR_ORT_TENSOR {
		defer C.ReleaseOrtValue(v)
		o.View = tensor.View{DType: tensor.Other, Shape: o.Shape[:0]}
		o.Value, err = valueOf(v, io)
		return err
	}
	o.DType, o.Shape = typeOf(int32(view.dtype)), shapeOf(o.Shape, view.dims[:view.rank])
	switch n := o.Bytes(); {
	case o.DType == tensor.Str:
		o.Block, err = textsOf(v, o.Elements(), io)
		C.ReleaseOrtValue(v)
	case f.shared(view.data, n, in):
		if o.Block, err = copied(view.data, n, io); err == nil {
			io.CountCopy(arena.CopyAlias, n)
		}
		C.ReleaseOrtValue(v)
	default: // the arena calls this on an error too
		o.Block, err = io.Adopt(view.data, n, func() { C.ReleaseOrtValue(v) })
	}
	if err == nil {
		o.Data = o.Block.Data()
	}
	return err
}

// look describes a value of the library's.
func look(v *C.OrtValue) (*C.gr_ort_view, error) {
	if v == nil {
		return nil, errs.New(errs.Unsupported, "it has no value: ONNX Runtime gives no empty optionals")
	}
	var view C.gr_ort_view
	err := failed(C.gr_ort_look(v, &view), errs.Unsupported)
	if err == nil && view.rank > C.GR_ORT_MAX_RANK {
		err = errs.New(errs.Unsupported, "it has rank %d, which is above %d", view.rank, C.GR_ORT_MAX_RANK)
	}
	return &view, err
}

// shared reports whether n bytes at p are an input's, or those of another output: the
// library hands such outputs on as they are.
func (f *frame) shared(p unsafe.Pointer, n int, in []tensor.View) bool {
	for i := range in {
		if in[i].DType != tensor.Other && n > 0 && overlap(p, n, in[i].Data, in[i].Bytes()) {
			return true
		}
	}
	for k := range f.blocks {
		at := len(f.inputs) + k
		if f.tensors[at].dtype != 0 || f.values[at] == nil || n == 0 {
			continue
		}
		if other, err := look(f.values[at]); err == nil && other.data == p {
			return true
		}
	}
	return false
}

func overlap(p unsafe.Pointer, n int, q unsafe.Pointer, m int) bool {
	a, b := uintptr(p), uintptr(q)
	return a < b+uintptr(m) && b < a+uintptr(n)
}

// copied returns a block with n bytes from p.
func copied(p unsafe.Pointer, n int, io *arena.IOArena) (arena.Handle, error) {
	h, err := io.Acquire(n)
	if err == nil && n > 0 {
		// SAFETY: the block was acquired with n bytes, and p has as many.
		copy(unsafe.Slice((*byte)(h.Data()), n), unsafe.Slice((*byte)(p), n))
	}
	return h, err
}
