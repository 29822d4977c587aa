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
		return arithmetic(vec.Plus, rows(sums[int8](), sums[int16](), sums[int32](), sums[int64](), sums[uint8](), sums[uint16](), sums[uint32](), sums[uint64](),
			row32(vec.Plus, sum[float32]), sums[float64](), vec.Plus), preparePair)
	})
	Sub, Sub1 = op.DeclareTwo("", "Sub", func() (now, legacy op.Def) {
		return arithmetic(vec.Minus, rows(differences[int8](), differences[int16](), differences[int32](), differences[int64](), differences[uint8](), differences[uint16](), differences[uint32](), differences[uint64](),
			row32(vec.Minus, difference[float32]), differences[float64](), vec.Minus), preparePair)
	})
	Mul, Mul1 = op.DeclareTwo("", "Mul", func() (now, legacy op.Def) {
		return arithmetic(vec.Times, rows(products[int8](), products[int16](), products[int32](), products[int64](), products[uint8](), products[uint16](), products[uint32](), products[uint64](),
			row32(vec.Times, product[float32]), products[float64](), vec.Times), preparePair)
	})
	Div, Div1 = op.DeclareTwo("", "Div", func() (now, legacy op.Def) {
		return arithmetic(vec.Over, rows(rowOf(quotient[int8]), rowOf(quotient[int16]), rowOf(quotient[int32]), rowOf(quotient[int64]),
			rowOf(quotient[uint8]), rowOf(quotient[uint16]), rowOf(quotient[uint32]), rowOf(quotient[uint64]),
			row32(vec.Over, ratio[float32]), ratio[float64], vec.Over), preparePair)
	})
)

func sum[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	for k := range dst {
		dst[k] = x[k*sa] + y[k*sb]
	}
}

func difference[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	for k := range dst {
		dst[k] = x[k*sa] - y[k*sb]
	}
}

func product[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	for k := range dst {
		dst[k] = x[k*sa] * y[k*sb]
	}
}

func sums[T vec.Counted]() row        { return counted[T](vec.AnyPlus, sum[T]) }
func differences[T vec.Counted]() row { return counted[T](vec.AnyMinus, difference[T]) }
func products[T vec.Counted]() row    { return counted[T](vec.AnyTimes, product[T]) }

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
