package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Signs and roundings; each is one row. Round takes halves to the even number,
// Sign leaves a NaN, Abs and Neg of the lowest integer wrap.
// https://onnx.ai/onnx/operators/   Departures: none.
var (
	Abs = op.Declare("", "Abs", func() op.Def {
		return chained(applies(vec.Absolute), unary(op.Versions{1: "floats", 6: "integers", 13: "bfloat16"}, floats(math.Abs, vec.Absolute).
			And(op.Uniform[span](copied, tensor.U8, tensor.U16, tensor.U32, tensor.U64)).And(turns(vec.AnyAbsolute)), consumed))
	})
	Neg = op.Declare("", "Neg", func() op.Def {
		return chained(applies(vec.Negative), unary(op.Versions{1: "floats", 6: "signed integers", 13: "bfloat16"},
			floats(minus[float64], vec.Negative).And(turns(vec.AnyNegative)), consumed))
	})
	Sign = op.Declare("", "Sign", func() op.Def {
		return unary(op.Versions{9: "", 13: "bfloat16"}, functionOf(sign[float64], sign[float32]).And(op.ByType(map[tensor.DType]span{tensor.F32: sign32, tensor.F64: sign64})).
			And(wholes(unit[int8](), unit[int16](), unit[int32](), unit[int64](), unit[uint8](), unit[uint16](), unit[uint32](), unit[uint64]())))
	})

	Floor = op.Declare("", "Floor", func() op.Def {
		return chained(applies(vec.Floor), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(math.Floor, vec.Floor), consumed))
	})
	Ceil = op.Declare("", "Ceil", func() op.Def {
		return chained(applies(vec.Ceil), unary(op.Versions{1: "", 6: "", 13: "bfloat16"}, floats(math.Ceil, vec.Ceil), consumed))
	})
	Round = op.Declare("", "Round", func() op.Def {
		return chained(applies(vec.RoundEven), unary(op.Versions{11: "", 22: "bfloat16"}, floats(math.RoundToEven, vec.RoundEven)))
	})

	Reciprocal = op.Declare("", "Reciprocal", func() op.Def {
		return chained(applies(vec.Reciprocal), unary(op.Versions{1: "", 6: "", 13: "bfloat16"},
			floats(func(x float64) float64 { return 1 / x }, vec.Reciprocal), consumed))
	})
)

// The trigonometric and hyperbolic functions and their inverses; each is one
// row, computed in float64 and rounded once.
// https://onnx.ai/onnx/operators/   Departures: none.
var (
	Sin = op.Declare("", "Sin", func() op.Def {
		return unary(op.Versions{7: "", 22: "bfloat16"}, exactly(vec.Sine, math.Sin))
	})
	Cos = op.Declare("", "Cos", func() op.Def {
		return unary(op.Versions{7: "", 22: "bfloat16"}, exactly(vec.Cosine, math.Cos))
	})
	Tan = op.Declare("", "Tan", func() op.Def {
		return unary(op.Versions{7: "", 22: "bfloat16"}, exactly(vec.Tangent, math.Tan))
	})
	Asin = op.Declare("", "Asin", func() op.Def {
		return unary(op.Versions{7: "", 22: "bfloat16"}, exactly(vec.ArcSine, math.Asin))
	})
	Acos = op.Declare("", "Acos", func() op.Def {
		return unary(op.Versions{7: "", 22: "bfloat16"}, exactly(vec.ArcCosine, math.Acos))
	})
	Atan = op.Declare("", "Atan", func() op.Def {
		return unary(op.Versions{7: "", 22: "bfloat16"}, exactly(vec.ArcTangent, math.Atan))
	})
	Sinh = op.Declare("", "Sinh", func() op.Def {
		return unary(op.Versions{9: "", 22: "bfloat16"}, exactly(vec.HyperbolicSine, math.Sinh))
	})
	Cosh = op.Declare("", "Cosh", func() op.Def {
		return unary(op.Versions{9: "", 22: "bfloat16"}, exactly(vec.HyperbolicCosine, math.Cosh))
	})
	Asinh = op.Declare("", "Asinh", func() op.Def {
		return unary(op.Versions{9: "", 22: "bfloat16"}, exactly(vec.AreaSine, math.Asinh))
	})
	Acosh = op.Declare("", "Acosh", func() op.Def {
		return unary(op.Versions{9: "", 22: "bfloat16"}, exactly(vec.AreaCosine, math.Acosh))
	})
	Atanh = op.Declare("", "Atanh", func() op.Def {
		return unary(op.Versions{9: "", 22: "bfloat16"}, exactly(vec.AreaTangent, math.Atanh))
	})
)

// BitwiseNot inverts every bit.
// https://onnx.ai/onnx/operators/onnx__BitwiseNot.html   Departures: none.
var BitwiseNot = op.Declare("", "BitwiseNot", func() op.Def {
	return unary(op.Versions{18: ""}, wholes[span](flip, flip, flip, flip, flip, flip, flip, flip))
})

func minus[T number](x T) T { return -x }

func flip(out, in *tensor.View, lo, hi int) {
	n := in.DType.Width()
	vec.Bits(vec.BitXor, out.Raw()[lo*n:hi*n], in.Raw()[lo*n:hi*n], ones)
}

var ones = []byte{0xff}

// copied is what takes unsigned numbers to themselves.
func copied(out, in *tensor.View, lo, hi int) {
	n := in.DType.Width()
	copy(out.Raw()[lo*n:hi*n], in.Raw()[lo*n:hi*n])
}

func sign[T number](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		var zero T
		return zero - 1
	default: // zero, also a negative one, or NaN
		return x
	}
}

// sign32 keeps what is neither above nor below zero.
func sign32(out, in *tensor.View, lo, hi int) {
	dst, src := tensor.Elems[float32](out)[lo:hi], tensor.Elems[float32](in)[lo:hi]
	var above, below [block]bool
	zero, one, minus := [1]float32{}, [1]float32{1}, [1]float32{-1}
	for len(src) > 0 {
		n := min(block, len(src))
		vec.Relate(vec.More, above[:n], src[:n], zero[:])
		vec.Relate(vec.Less, below[:n], src[:n], zero[:])
		vec.Choose(dst[:n], above[:n], one[:], src[:n])
		vec.Choose(dst[:n], below[:n], minus[:], dst[:n])
		dst, src = dst[n:], src[n:]
	}
}

// functionOf is a table for the floating-point types without a vector kernel.
func functionOf(f64 func(float64) float64, f32 func(float32) float32) op.Table {
	return op.ByType(map[tensor.DType]span{
		tensor.F32: spanOf(f32), tensor.F64: spanOf(f64),
		tensor.F16:  spanOf(func(h tensor.Half) tensor.Half { return tensor.HalfOf(f32(h.Float32())) }),
		tensor.BF16: spanOf(func(h tensor.BFloat16) tensor.BFloat16 { return tensor.BFloat16Of(f32(h.Float32())) }),
	})
}

// exactly is a table for the floating-point types, all computed in float64, f32 by vectors.
func exactly(f vec.Exact, f64 func(float64) float64) op.Table {
	return op.ByType(map[tensor.DType]span{
		tensor.F64: spanOf(f64), tensor.F16: exactHalf[tensor.Half](f), tensor.BF16: exactHalf[tensor.BFloat16](f),
		tensor.F32: func(out, in *tensor.View, lo, hi int) {
			vec.ApplyExact(f, tensor.Elems[float32](out)[lo:hi], tensor.Elems[float32](in)[lo:hi])
		},
	})
}

func exactHalf[H cast.Half](f vec.Exact) span {
	return func(out, in *tensor.View, lo, hi int) {
		cast.Through(vec.ApplyExact, f, tensor.Elems[H](out)[lo:hi], tensor.Elems[H](in)[lo:hi])
	}
}
