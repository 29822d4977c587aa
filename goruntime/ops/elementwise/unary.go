package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// span computes the output elements [lo, hi) from the same input elements.
type span func(out, in *tensor.View, lo, hi int)

// single is the State of an operator on one input.
type single struct {
	kernel  span
	out, in *tensor.View
}

// Chunk implements op.Task over the elements.
func (s *single) Chunk(lo, hi int) { s.kernel(s.out, s.in, lo, hi) }

// unary declares an operator that maps each element of one input.
func unary(versions op.Versions, table op.Table, attrs ...op.Attr) op.Def {
	return op.Def{
		Versions: versions, InPlace: op.AnyInput, Shape: op.SameAsInput, DTypes: table, Attrs: attrs, Halves: op.RoundedHalves,
		Prepare: func(c *op.Context) error {
			c.State = &single{}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*single)
			s.kernel, s.out, s.in = op.Row[span](c), c.Out(0), c.In(0)
			c.For(s.out.Elements(), grain, s)
			return nil
		},
	}
}

// consumed is an attribute of version 1 of many operators, a hint without meaning.
var consumed = op.Ints("consumed_inputs")

// spanOf makes a kernel of a function of one element.
func spanOf[In, Out any](f func(In) Out) span {
	return func(out, in *tensor.View, lo, hi int) {
		dst, src := tensor.Elems[Out](out)[lo:hi], tensor.Elems[In](in)[lo:hi]
		for i, x := range src {
			dst[i] = f(x)
		}
	}
}

// floats is a table for the floating-point types: f64 by the function, the others by its
// vector kernel.
func floats(f64 func(float64) float64, fast vec.Function) op.Table {
	return op.ByType(map[tensor.DType]span{
		tensor.F32: span32(fast), tensor.F64: spanOf(f64), tensor.F16: spanHalf[tensor.Half](fast), tensor.BF16: spanHalf[tensor.BFloat16](fast),
	})
}

// Each is one row: the operator, its versions, its function.
// https://onnx.ai/onnx/operators/   Departures: none.
var (
	Sqrt = op.Declare("", "Sqrt", func() op.Def {
		return chained(applies(vec.SquareRoot), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(math.Sqrt, vec.SquareRoot), consumed))
	})
	Erf = op.Declare("", "Erf", func() op.Def {
		return chained(applies(vec.ErrorFunction), unary(op.Versions{9: "", 13: "bfloat16"}, floats(math.Erf, vec.ErrorFunction).And(whole(math.Erf))))
	})
	Sigmoid = op.Declare("", "Sigmoid", func() op.Def {
		return chained(applies(vec.Logistic), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(sigmoid, vec.Logistic), consumed))
	})
	Tanh = op.Declare("", "Tanh", func() op.Def {
		return chained(applies(vec.HyperbolicTangent), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(math.Tanh, vec.HyperbolicTangent), consumed))
	})
	Exp = op.Declare("", "Exp", func() op.Def {
		return chained(applies(vec.Exponential), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(math.Exp, vec.Exponential), consumed))
	})
	Log = op.Declare("", "Log", func() op.Def {
		return chained(applies(vec.Logarithm), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(math.Log, vec.Logarithm), consumed))
	})
	Relu = op.Declare("", "Relu", func() op.Def {
		return chained(applies(vec.Rectifier), unary(op.Versions{1: "", 6: "", 13: "bfloat16", 14: "signed integers"},
			floats(relu, vec.Rectifier).And(op.ByType(map[tensor.DType]span{
				tensor.I8: positive[int8](), tensor.I16: positive[int16](), tensor.I32: positive[int32](), tensor.I64: positive[int64](), tensor.F64: positive[float64](),
			})), consumed))
	})
	Not = op.Declare("", "Not", func() op.Def {
		return unary(op.Versions{1: ""}, op.ByType(map[tensor.DType]span{tensor.Bool: inverse}))
	})
)

func inverse(out, in *tensor.View, lo, hi int) {
	vec.Bits(vec.BitXor, out.Raw()[lo:hi], in.Raw()[lo:hi], one)
}

var one = []byte{1}

// relu keeps a NaN.
func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

func sigmoid(x float64) float64 {
	if x < 0 { // exp of a large negative number would lose all digits of 1 + exp
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// whole is a table for the whole numbers: the function in float64, truncated.
func whole(f func(float64) float64) op.Table {
	return op.ByType(map[tensor.DType]span{
		tensor.I8: spanOf(truncated[int8](f)), tensor.I16: spanOf(truncated[int16](f)), tensor.I32: spanOf(truncated[int32](f)),
		tensor.I64: spanOf(truncated[int64](f)), tensor.U8: spanOf(truncated[uint8](f)), tensor.U16: spanOf(truncated[uint16](f)),
		tensor.U32: spanOf(truncated[uint32](f)), tensor.U64: spanOf(truncated[uint64](f)),
	})
}

func truncated[T integer](f func(float64) float64) func(T) T {
	return func(x T) T { return T(f(float64(x))) }
}
