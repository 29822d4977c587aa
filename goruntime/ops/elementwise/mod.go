package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Mod is the remainder of a division: with the sign of the divisor, or, where
// fmod is set, of the dividend.
// https://onnx.ai/onnx/operators/onnx__Mod.html
// Departures: none. Floats without fmod follow version 28 in every version; a
// zero divisor of an integer gives 0, as NumPy has it.
var Mod = op.Declare("", "Mod", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: "", 13: "bfloat16", 28: "floats without fmod"}, Attrs: op.Attrs(op.Int("fmod", 0)),
		InPlace: op.AnyInput, Shape: broadcastAs(tensor.Undefined),
		Prepare: func(c *op.Context) error {
			f := c.Attr.Int("fmod")
			if f != 0 && f != 1 {
				return errs.New(errs.Argument, "fmod is %d: it must be 0 or 1", f)
			}
			return prepareFormed(c, f)
		},
		Run: runFormed,
		DTypes: wholes(remainders[int8](), remainders[int16](), remainders[int32](), remainders[int64](),
			remainders[uint8](), remainders[uint16](), remainders[uint32](), remainders[uint64]()).And(op.ByType(map[tensor.DType]forms{
			tensor.F32: {rowOf(inFloat64(floorMod)), rowOf(inFloat64(math.Mod))}, tensor.F64: {rowOf(floorMod), rowOf(math.Mod)},
			tensor.F16:  {halfRow(inFloat64(floorMod), tensor.HalfOf), halfRow(inFloat64(math.Mod), tensor.HalfOf)},
			tensor.BF16: {halfRow(inFloat64(floorMod), tensor.BFloat16Of), halfRow(inFloat64(math.Mod), tensor.BFloat16Of)},
		})),
	}
})

func remainders[T integer]() forms { return forms{rowOf(floored[T]), rowOf(truncatedMod[T])} }

func truncatedMod[T integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

// floored has the sign of b.
func floored[T integer](a, b T) T {
	r := truncatedMod(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// floorMod is a - floor(a/b) * b; a zero has the sign of b.
func floorMod(a, b float64) float64 {
	r := math.Mod(a, b)
	switch {
	case r == 0:
		return math.Copysign(0, b)
	case (r < 0) != (b < 0):
		return r + b
	default:
		return r
	}
}

// inFloat64 computes a function of float32s in float64, in which the remainder
// of two float32s is exact.
func inFloat64(f func(a, b float64) float64) func(a, b float32) float32 {
	return func(a, b float32) float32 { return float32(f(float64(a), float64(b))) }
}
