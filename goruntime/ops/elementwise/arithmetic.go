package elementwise

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// arithmetic declares an operator on two broadcast inputs of one type: the
// versions from 7 on, which broadcast like NumPy, and those before, which need
// the attribute broadcast.
func arithmetic(o vec.Operation, table op.Table, prepare func(*op.Context) error) (now, legacy op.Def) {
	def := op.Def{
		Versions: op.Versions{7: "", 13: "bfloat16", 14: "all integers"}, InPlace: op.AnyInput,
		Shape: broadcastAs(tensor.Undefined), Prepare: prepare, Run: runRows(o), DTypes: table, Chain: combines(o), Halves: op.RoundedHalves,
	}
	old := def
	old.Chain = nil
	old.Versions, old.Attrs = op.Versions{1: "floats", 6: "integers"}, append(slices.Clone(legacyAttrs), consumed)
	old.Shape, old.Prepare, old.InPlace = legacyAs(tensor.Undefined), prepareLegacy, op.FirstOnly
	return def, old
}

// Add, Sub, Mul and Div compute with two tensors; integers wrap around.
// https://onnx.ai/onnx/operators/onnx__Add.html (Sub, Mul, Div)
// Departures: none. Div of integers truncates towards zero; a zero divisor of
// an integer gives 0, as NumPy has it.
var (
	Add, Add1 = op.DeclareTwo("", "Add", func() (now, legacy op.Def) {
		return arithmetic(vec.Plus, rows(sum[int8], sum[int16], rowInt[int32](vec.IntPlus, sum[int32]), sum[int64], sum[uint8], sum[uint16], rowInt[uint32](vec.IntPlus, sum[uint32]), sum[uint64],
			row32(vec.Plus, sum[float32]), sum[float64], vec.Plus), preparePair)
	})
	Sub, Sub1 = op.DeclareTwo("", "Sub", func() (now, legacy op.Def) {
		return arithmetic(vec.Minus, rows(difference[int8], difference[int16], rowInt[int32](vec.IntMinus, difference[int32]), difference[int64],
			difference[uint8], difference[uint16], rowInt[uint32](vec.IntMinus, difference[uint32]), difference[uint64],
			row32(vec.Minus, difference[float32]), difference[float64], vec.Minus), preparePair)
	})
	Mul, Mul1 = op.DeclareTwo("", "Mul", func() (now, legacy op.Def) {
		return arithmetic(vec.Times, rows(product[int8], product[int16], rowInt[int32](vec.IntTimes, product[int32]), product[int64],
			product[uint8], product[uint16], rowInt[uint32](vec.IntTimes, product[uint32]), product[uint64],
			row32(vec.Times, product[float32]), product[float64], vec.Times), preparePair)
	})
	Div, Div1 = op.DeclareTwo("", "Div", func() (now, legacy op.Def) {
		return arithmetic(vec.Over, rows(rowOf(quotient[int8]), rowOf(quotient[int16]), rowOf(quotient[int32]), rowOf(quotient[int64]),
			rowOf(quotient[uint8]), rowOf(quotient[uint16]), rowOf(quotient[uint32]), rowOf(quotient[uint64]),
			row32(vec.Over, ratio[float32]), ratio[float64], vec.Over), preparePair)
	})
)

func sum[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	switch {
	case sa == 1 && sb == 1:
		for k := range dst {
			dst[k] = x[k] + y[k]
		}
	case sa == 1 && sb == 0:
		for k, s := 0, y[0]; k < len(dst); k++ {
			dst[k] = x[k] + s
		}
	default:
		for k := range dst {
			dst[k] = x[k*sa] + y[k*sb]
		}
	}
}

func difference[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	if sa == 1 && sb == 1 {
		for k := range dst {
			dst[k] = x[k] - y[k]
		}
		return
	}
	for k := range dst {
		dst[k] = x[k*sa] - y[k*sb]
	}
}

func product[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	switch {
	case sa == 1 && sb == 1:
		for k := range dst {
			dst[k] = x[k] * y[k]
		}
	case sa == 1 && sb == 0:
		for k, s := 0, y[0]; k < len(dst); k++ {
			dst[k] = x[k] * s
		}
	default:
		for k := range dst {
			dst[k] = x[k*sa] * y[k*sb]
		}
	}
}

// rowInt is the row of an operation that has vector kernels for 32-bit integers.
func rowInt[T int32 | uint32](o vec.Integer, slow row) row {
	return func(out, a, b *tensor.View, at, i, j, n, sa, sb int) {
		if sa != 1 || sb > 1 {
			slow(out, a, b, at, i, j, n, sa, sb)
			return
		}
		dst, x, y := spans[T](out, a, b, at, i, j, n, sa, sb)
		vec.Integers(o, dst, x, y)
	}
}

func ratio[T float32 | float64](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	if sa == 1 && sb == 1 {
		for k := range dst {
			dst[k] = x[k] / y[k]
		}
		return
	}
	for k := range dst {
		dst[k] = x[k*sa] / y[k*sb]
	}
}

// quotient truncates; the lowest number divided by -1 wraps to itself.
func quotient[T integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a / b
}

// spans returns the parts of the tensors that a row reads and writes.
func spans[T any](out, a, b *tensor.View, o, i, j, n, sa, sb int) (dst, x, y []T) {
	dst = tensor.Elems[T](out)[o : o+n]
	x = tensor.Elems[T](a)[i : i+(n-1)*sa+1]
	y = tensor.Elems[T](b)[j : j+(n-1)*sb+1]
	return dst, x, y
}
