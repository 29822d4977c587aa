//go:build ort && cgo

package ortengine

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// kinds are the library's names of what is no tensor, and ours.
var kinds = map[C.ONNXType]values.Kind{C.GR_ORT_SEQUENCE: values.Sequence, C.GR_ORT_MAP: values.Map}

// valueOf copies a sequence or map of the library's to blocks of the arena.
func valueOf(v *C.OrtValue, io *arena.IOArena) (*values.Value, error) {
	view, err := look(v)
	if err != nil {
		return nil, err
	}
	if view.kind == C.GR_ORT_TENSOR {
		return tensorOf(v, view, io)
	}
	kind, ok := kinds[C.ONNXType(view.kind)]
	if !ok {
		return nil, errs.New(errs.Unsupported, "it is of a kind that only ONNX Runtime knows (ONNXType %d): tensors, sequences and maps come out", view.kind)
	}
	n := C.size_t(2) // of a map: keys and values
	if kind == values.Sequence {
		if err := failed(C.GetValueCount(v, &n), errs.Internal); err != nil {
			return nil, err
		}
	}
	items := make([]*values.Value, 0, n)
	for i := range int(n) {
		var item *C.OrtValue
		err := failed(C.GetValue(v, C.int(i), &item), errs.Unsupported)
		if err == nil {
			var made *values.Value
			made, err = valueOf(item, io)
			C.ReleaseOrtValue(item)
			items = append(items, made)
		}
		if err != nil {
			values.New(kind, items...).Release()
			return nil, err
		}
	}
	return values.New(kind, items...), nil
}

// tensorOf copies a tensor of the library's.
func tensorOf(v *C.OrtValue, view *C.gr_ort_view, io *arena.IOArena) (*values.Value, error) {
	t := tensor.View{DType: typeOf(int32(view.dtype)), Shape: shapeOf(nil, view.dims[:view.rank])}
	var h arena.Handle
	var err error
	if t.DType == tensor.Str {
		h, err = textsOf(v, t.Elements(), io)
	} else if h, err = copied(view.data, t.Bytes(), io); err == nil {
		io.CountCopy(arena.CopyConversion, t.Bytes())
	}
	if err != nil {
		return nil, err
	}
	t.Data = h.Data()
	return values.NewTensor(t, h), nil
}

// feedValue makes t the library's form of a sequence or map.
func (f *frame) feedValue(t *C.gr_ort_tensor, v *values.Value, pin *runtime.Pinner) (err error) {
	t.value, err = newValue(v, pin)
	return err
}

// newValue returns the library's form of a value. Its numbers stay where they are.
func newValue(v *values.Value, pin *runtime.Pinner) (*C.OrtValue, error) {
	kind := uint32(C.GR_ORT_MAP)
	switch {
	case v.Kind == values.Tensor:
		return newTensor(&v.View, pin)
	case len(v.Items) == 0:
		return nil, errs.New(errs.Unsupported, "an empty %v: ONNX Runtime's interface takes none", v.Kind)
	case v.Kind == values.Optional:
		return newValue(v.Items[0], pin)
	case v.Kind == values.Sequence:
		kind = C.GR_ORT_SEQUENCE
	}
	list := make([]*C.OrtValue, len(v.Items)+1)
	defer func() {
		for _, item := range list {
			if item != nil {
				C.ReleaseOrtValue(item)
			}
		}
	}()
	for i, item := range v.Items {
		var err error
		if list[i], err = newValue(item, pin); err != nil {
			return nil, err
		}
	}
	var made *C.OrtValue
	err := failed(C.CreateOrtValue(&list[0], C.size_t(len(v.Items)), kind, &made), errs.Unsupported)
	return made, err
}

// newTensor returns a value over the elements of v.
func newTensor(v *tensor.View, pin *runtime.Pinner) (*C.OrtValue, error) {
	if v.DType == tensor.Str {
		return newTexts(v, pin)
	}
	data := v.Data
	if v.Bytes() == 0 {
		data = unsafe.Pointer(&nothing)
	}
	pin.Pin(data)
	var dims [C.GR_ORT_MAX_RANK]C.int64_t
	for d, n := range v.Shape {
		dims[d] = C.int64_t(n)
	}
	var made *C.OrtValue
	err := failed(C.CreateOrtTensorWithShape(data, C.size_t(v.Bytes()), &dims[0], C.int64_t(len(v.Shape)), library.memory,
		C.ONNXTensorElementDataType(numberOf(v.DType)), &made), errs.Unsupported)
	return made, err
}
