package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Pow raises a base to an exponent; the two may have different types, the
// output has the base's.
// https://onnx.ai/onnx/operators/onnx__Pow.html   Departures: none.
// Integer powers of integers are exact (they wrap), negative ones truncate.
var Pow = op.Declare("", "Pow", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{7: "one type", 12: "two types", 13: "bfloat16", 15: ""},
		InPlace:  op.FirstOnly,
		Chain:    squares,
		Shape: func(c *op.Infer) error {
			out, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), c.In(0), c.In(1))
			c.SetOutput(0, c.DType(0), out)
			return err
		},
		Prepare: func(c *op.Context) error {
			c.State = plan(c, c.In(1).Shape)
			return nil
		},
		Run: func(c *op.Context) error {
			exponent := op.Row[powRow](c)[c.In(1).DType]
			if exponent == nil {
				return errs.New(errs.Unsupported, "an exponent of type %v is not supported", c.In(1).DType)
			}
			return c.State.(*pair).run(c, exponent)
		},
		DTypes: op.ByType(map[tensor.DType]powRow{
			tensor.F32: powers32(),
			tensor.F64: floatPowers(func(f float64) float64 { return f }, func(f float64) float64 { return f }),
			tensor.I8:  intPowers[int8](), tensor.I16: intPowers[int16](), tensor.I32: intPowers[int32](), tensor.I64: intPowers[int64](),
			tensor.U8: intPowers[uint8](), tensor.U16: intPowers[uint16](), tensor.U32: intPowers[uint32](), tensor.U64: intPowers[uint64](),
		}),
		Also: map[int][]tensor.DType{1: {
			tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64,
		}},
	})
})

// Pow1 is Pow before version 7, with the broadcast attribute.
var Pow1 = op.Declare("", "Pow", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "broadcast attribute"}, Attrs: legacyAttrs,
		InPlace: op.FirstOnly, Shape: legacyAs(tensor.Undefined), Prepare: prepareLegacy, Run: Pow.Def().Run, DTypes: Pow.Def().DTypes,
	})
})

// powRow has the kernel of one base type for each exponent type.
type powRow [tensor.NumDTypes]row

func float32Of(f float32) float64   { return float64(f) }
func wide[H cast.Half](h H) float64 { return float64(h.Float32()) }
func plain[T number](t T) float64   { return float64(t) }

func floatPowers[B any](base func(B) float64, narrow func(float64) B) powRow {
	return powRow{
		tensor.F32: floatPower(base, float32Of, narrow), tensor.F64: floatPower(base, plain[float64], narrow),
		tensor.F16: floatPower(base, wide[tensor.Half], narrow), tensor.BF16: floatPower(base, wide[tensor.BFloat16], narrow),
		tensor.I8: floatPower(base, plain[int8], narrow), tensor.I16: floatPower(base, plain[int16], narrow),
		tensor.I32: floatPower(base, plain[int32], narrow), tensor.I64: floatPower(base, plain[int64], narrow),
		tensor.U8: floatPower(base, plain[uint8], narrow), tensor.U16: floatPower(base, plain[uint16], narrow),
		tensor.U32: floatPower(base, plain[uint32], narrow), tensor.U64: floatPower(base, plain[uint64], narrow),
	}
}

// powers32 takes rows of numbers that lie side by side by vectors. The square of a float32
// is exact in float64 and rounded once either way.
func powers32() powRow {
	t := floatPowers(float32Of, func(f float64) float32 { return float32(f) })
	slow := t[tensor.F32]
	t[tensor.F32] = func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		if sa != 1 || sb > 1 || n == 0 {
			slow(out, a, b, o, i, j, n, sa, sb)
			return
		}
		dst, x, y := spans[float32](out, a, b, o, i, j, n, sa, sb)
		if sb == 0 && y[0] == 2 {
			vec.Combine(vec.Times, dst, x, x)
			return
		}
		vec.Powers(dst, x, y)
	}
	for d, at := range exponentsAt {
		if at != nil {
			t[d] = lowPowers(t[d], at)
		}
	}
	return t
}

// exponentsAt reads element i of an exponent that is none of f32.
var exponentsAt = [tensor.NumDTypes]func(v *tensor.View, i int) float64{
	tensor.F64: exponentAt[float64], tensor.I32: exponentAt[int32], tensor.I64: exponentAt[int64],
}

func exponentAt[T number](v *tensor.View, i int) float64 { return float64(tensor.Elems[T](v)[i]) }

// lowPowers squares and cubes rows of f32 by vectors.
func lowPowers(slow row, exponent func(v *tensor.View, i int) float64) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		if sa != 1 || sb != 0 || n == 0 {
			slow(out, a, b, o, i, j, n, sa, sb)
			return
		}
		dst, x := tensor.Elems[float32](out)[o:o+n], tensor.Elems[float32](a)[i:i+n]
		switch exponent(b, j) {
		case 2:
			vec.Combine(vec.Times, dst, x, x)
		case 3:
			vec.ApplyExact(vec.Cubed, dst, x)
		default:
			slow(out, a, b, o, i, j, n, sa, sb)
		}
	}
}

func floatPower[B, E any](base func(B) float64, exponent func(E) float64, narrow func(float64) B) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		dst := tensor.Elems[B](out)[o : o+n]
		x, y := tensor.Elems[B](a), tensor.Elems[E](b)
		if sb == 0 && n > 0 && exponent(y[j]) == 2 { // squares are by far the most frequent
			for k := range dst {
				f := base(x[i])
				dst[k] = narrow(f * f)
				i += sa
			}
			return
		}
		for k := range dst {
			dst[k] = narrow(raised(base(x[i]), exponent(y[j])))
			i += sa
			j += sb
		}
	}
}

// raised multiplies where the exponent is three, which is frequent too.
func raised(x, e float64) float64 {
	if e == 3 {
		return x * x * x
	}
	return math.Pow(x, e)
}

func intPowers[B integer]() powRow {
	return powRow{
		tensor.I8: rowOf(power[B, int8]), tensor.I16: rowOf(power[B, int16]), tensor.I32: rowOf(power[B, int32]), tensor.I64: rowOf(power[B, int64]),
		tensor.U8: rowOf(power[B, uint8]), tensor.U16: rowOf(power[B, uint16]), tensor.U32: rowOf(power[B, uint32]), tensor.U64: rowOf(power[B, uint64]),
		tensor.F32: intFloatPower[B](float32Of), tensor.F64: intFloatPower[B](plain[float64]),
		tensor.F16: intFloatPower[B](wide[tensor.Half]), tensor.BF16: intFloatPower[B](wide[tensor.BFloat16]),
	}
}

// power is exact modulo the width of B; 1/x truncates for a negative exponent.
func power[B, E integer](x B, n E) B {
	if n < 0 {
		switch {
		case x == 1:
			return 1
		case x+1 == 0 && x < 1: // -1
			if n&1 == 0 {
				return 1
			}
			return x
		default:
			return 0
		}
	}
	r := B(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r *= x
		}
		x *= x
	}
	return r
}

func intFloatPower[B integer, E any](exponent func(E) float64) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		dst := tensor.Elems[B](out)[o : o+n]
		x, y := tensor.Elems[B](a), tensor.Elems[E](b)
		for k := range dst {
			dst[k] = B(math.Pow(float64(x[i]), exponent(y[j])))
			i += sa
			j += sb
		}
	}
}
