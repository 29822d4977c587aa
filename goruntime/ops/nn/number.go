package nn

import (
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// number converts an element type to and from float64, in which the kernels of
// all types but f32 work.
type number[T any] = wide.Number[T]

var single, double, half, brain = wide.Single, wide.Double, wide.Half, wide.Brain

// floats is the table of an operator on the four floating-point types.
func floats[F any](f32, f64, f16, bf16 F) op.Table {
	return op.ByType(map[tensor.DType]F{tensor.F32: f32, tensor.F64: f64, tensor.F16: f16, tensor.BF16: bf16})
}

// widened is the table of an operator that is op.Widened.
func widened[F any](f32, f64 F) op.Table {
	return op.ByType(map[tensor.DType]F{tensor.F32: f32, tensor.F64: f64})
}

// floatTypes are the element types of floats.
var floatTypes = []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16}

// blockSize is how many float32s several vector loops work on in turn: rooms of
// this size lie on the stack and stay in the first cache.
const blockSize = 512
