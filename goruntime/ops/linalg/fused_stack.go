package linalg

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	//lint:allow unsafe kernels/gemm takes addresses

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// stack is a tensor seen as matrices: each number of them lies item apart, rows
// and columns rowStep and colStep.
type stack struct {
	batch                        tensor.Shape
	rows, cols                   int
	item, rowStep, colStep, size int
}

// newStack reads s [Batch..., R, C], a vector as a row; before says that it is
// [R, Batch..., C], transposed that R and C change places after that.
func newStack(s tensor.Shape, transposed, before bool) (v stack) {
	switch n := len(s); {
	case n == 0:
		return stack{rows: 1, cols: 1}
	case n == 1:
		return stack{rows: 1, cols: s[0], rowStep: s[0], colStep: 1, size: s[0]}
	case before:
		v = stack{batch: s[1 : n-1], rows: s[0], cols: s[n-1], item: s[n-1], rowStep: s[1:].Elements(), colStep: 1}
	default:
		v = stack{batch: s[:n-2], rows: s[n-2], cols: s[n-1], item: s[n-2] * s[n-1], rowStep: s[n-1], colStep: 1}
	}
	v.size = s.Elements()
	if transposed {
		v.turn()
	}
	return v
}

// turn transposes the matrices.
func (v *stack) turn() {
	v.rows, v.cols, v.rowStep, v.colStep = v.cols, v.rows, v.colStep, v.rowStep
}

// straight reports whether gemm can read the rows where they lie.
func (v *stack) straight() bool { return v.colStep == 1 }

// halfIO reads and writes an element type as float32.
type halfIO struct {
	load  func(dst []float32, v *tensor.View, at, step int)
	store func(v *tensor.View, src []float32)
}

func ioOf[T any](widen func(T) float32, narrow func(float32) T) halfIO {
	return halfIO{
		load: func(dst []float32, v *tensor.View, at, step int) {
			src := tensor.Elems[T](v)
			for i := range dst {
				dst[i] = widen(src[at])
				at += step
			}
		},
		store: func(v *tensor.View, src []float32) {
			for i, x := range src {
				tensor.Elems[T](v)[i] = narrow(x)
			}
		},
	}
}

// ioHalf is ioOf with vectors where elements lie side by side.
func ioHalf[H cast.Half]() halfIO {
	return halfIO{
		load: func(dst []float32, v *tensor.View, at, step int) {
			src := tensor.Elems[H](v)
			if step == 1 {
				cast.Widen(dst, src[at:at+len(dst)])
				return
			}
			for i := range dst {
				dst[i] = src[at].Float32()
				at += step
			}
		},
		store: func(v *tensor.View, src []float32) { cast.Narrow(tensor.Elems[H](v)[:len(src)], src) },
	}
}

var halves = [tensor.NumDTypes]halfIO{
	tensor.F32: ioOf(func(f float32) float32 { return f }, func(f float32) float32 { return f }),
	tensor.F16: ioHalf[tensor.Half](), tensor.BF16: ioHalf[tensor.BFloat16](),
}

// at returns where matrix i lies in data: as the tensor has it where its own
// steps are used, else one behind the other.
func (v *stack) at(data []float32, i, step int) unsafe.Pointer {
	if step == v.rowStep && v.straight() {
		return unsafe.Pointer(unsafe.SliceData(data[i*v.item:]))
	}
	return unsafe.Pointer(unsafe.SliceData(data[i*v.rows*v.cols:]))
}
