package linalg

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
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

// stackIO reads and writes an element type as T.
type stackIO[T any] struct {
	load  func(dst []T, v *tensor.View, at, step int)
	store func(v *tensor.View, src []T) // nil where the elements are of T themselves
}

func plainIO[T any]() stackIO[T] {
	return stackIO[T]{load: func(dst []T, v *tensor.View, at, step int) {
		src := tensor.Elems[T](v)
		for i := range dst {
			dst[i] = src[at]
			at += step
		}
	}}
}

// halfIO is by vectors where elements lie side by side.
func halfIO[H cast.Half]() stackIO[float32] {
	return stackIO[float32]{
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
