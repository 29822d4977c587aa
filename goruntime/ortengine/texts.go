//go:build ort && cgo

package ortengine

// #include "shim.h"
import "C"

import (
	"bytes"
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// feedStrings makes t a string tensor of the library's, which copies the texts.
func (f *frame) feedStrings(t *C.gr_ort_tensor, in *tensor.View, io *arena.IOArena, pin *runtime.Pinner) error {
	v, err := newTexts(in, pin)
	if err == nil {
		t.value = v
		io.CountCopy(arena.CopyConversion, in.Bytes())
	}
	return err
}

// newTexts returns a string tensor of the library's.
func newTexts(in *tensor.View, pin *runtime.Pinner) (*C.OrtValue, error) {
	texts := tensor.Elems[tensor.Text](in)
	for i := range texts {
		// SAFETY: an element is the address of as many bytes.
		b := unsafe.Slice((*byte)(pointer(C.uintptr_t(texts[i][0]))), texts[i].Len())
		if bytes.IndexByte(b, 0) >= 0 {
			return nil, errs.New(errs.Unsupported, "string element %d has a zero byte, where ONNX Runtime's interface ends it", i)
		}
		if len(b) > 0 {
			pin.Pin(unsafe.Pointer(unsafe.SliceData(b)))
		}
	}
	var dims [C.GR_ORT_MAX_RANK]C.int64_t
	for d, n := range in.Shape {
		dims[d] = C.int64_t(n)
	}
	var v *C.OrtValue
	list := (*C.gr_ort_text)(unsafe.Pointer(unsafe.SliceData(texts)))
	status := C.gr_ort_strings(list, C.size_t(len(texts)), &dims[0], C.size_t(len(in.Shape)), &v)
	if err := failed(status, errs.Internal); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errs.New(errs.Memory, "no memory for %d strings", len(texts))
	}
	return v, nil
}

// textsOf copies the n strings of a tensor to one block: elements, then bytes.
func textsOf(v *C.OrtValue, n int, io *arena.IOArena) (arena.Handle, error) {
	var size C.size_t
	if err := failed(C.GetStringTensorDataLength(v, &size), errs.Internal); err != nil {
		return arena.Handle{}, err
	}
	head := tensor.Str.Bytes(n)
	h, err := io.Acquire(head + int(size))
	if err != nil || n == 0 {
		return h, err
	}
	io.CountCopy(arena.CopyConversion, head+int(size))
	// SAFETY: the block was acquired with as many bytes.
	block := unsafe.Slice((*byte)(h.Data()), head+int(size))
	elements, rest := tensor.View{DType: tensor.Str, Shape: tensor.Shape{n}, Data: h.Data()}, block[head:]
	offsets := make([]C.size_t, n+1)
	if size > 0 {
		status := C.GetStringTensorContent(v, cBytes(rest), size, &offsets[0], C.size_t(n))
		if err := failed(status, errs.Internal); err != nil {
			h.Release()
			return arena.Handle{}, err
		}
	}
	offsets[n] = size
	for i, t := range tensor.Elems[tensor.Text](&elements)[:n] {
		_ = t
		tensor.Elems[tensor.Text](&elements)[i] = tensor.TextOf(rest[offsets[i]:offsets[i+1]])
	}
	return h, nil
}
