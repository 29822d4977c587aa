package reduce

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ReduceSum, ReduceMean, ReduceProd, ReduceL1, ReduceL2 and ReduceSumSquare fold
// by additions or multiplications; each is one row.
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html (ReduceMean, ...)
// Departures: none. Floats are summed in float64 and rounded once, those of float32 by
// parts that are summed in float32. Sums and products of integers
// wrap around; their mean and L2 are computed in float64 and cut off, as NumPy
// has it, nothing of nothing being 0. An empty mean of floats is NaN.
var (
	ReduceSum, ReduceSum1 = op.DeclareTwo("", "ReduceSum", func() (now, legacy op.Def) {
		return reduction(op.Versions{1: "", 11: "negative axes"}, op.Versions{13: "axes are an input"},
			wrapping(sums, 0))
	})

	ReduceMean, ReduceMean1 = op.DeclareTwo("", "ReduceMean", func() (now, legacy op.Def) {
		return reduction(attrVersions, inputVersions,
			inFloat64(sums, 0, func(s float64, n int) float64 { return s / float64(n) }))
	})

	ReduceProd, ReduceProd1 = op.DeclareTwo("", "ReduceProd", func() (now, legacy op.Def) {
		return reduction(attrVersions, inputVersions, wrapping(products, 1))
	})

	ReduceL1, ReduceL11 = op.DeclareTwo("", "ReduceL1", func() (now, legacy op.Def) {
		return reduction(attrVersions, inputVersions, wrapping(magnitudes, 0))
	})

	ReduceL2, ReduceL21 = op.DeclareTwo("", "ReduceL2", func() (now, legacy op.Def) {
		return reduction(attrVersions, inputVersions,
			inFloat64(squares, 0, func(s float64, _ int) float64 { return math.Sqrt(s) }))
	})

	ReduceSumSquare, ReduceSumSquare1 = op.DeclareTwo("", "ReduceSumSquare", func() (now, legacy op.Def) {
		return reduction(attrVersions, inputVersions, wrapping(squares, 0))
	})

	ReduceLogSum, ReduceLogSum1 = op.DeclareTwo("", "ReduceLogSum", func() (now, legacy op.Def) {
		return reduction(attrVersions, op.Versions{18: "axes are an input", 28: "floats only"},
			inFloat64(sums, 0, func(s float64, _ int) float64 { return math.Log(s) }))
	})
)

// The versions of most reductions: with axes as an attribute, as an input.
var (
	attrVersions  = op.Versions{1: "", 11: "negative axes", 13: "bfloat16"}
	inputVersions = op.Versions{18: "axes are an input"}
)

// floats is the rows of the floating-point types, computed in float64.
func floats(r rule[float64]) op.Table {
	return op.ByType(map[tensor.DType]kernel{
		tensor.F32: reduce32(r), tensor.F64: reduceBy[float64](plain, r),
	})
}

// wrapping is a table in which the whole numbers are computed in their own type.
func wrapping(m method, neutral float64) op.Table {
	return floats(rule[float64]{m, neutral, nil}).And(op.ByType(map[tensor.DType]kernel{
		tensor.I32: reduceBy[int32](plain, rule[int32]{m, int32(neutral), nil}),
		tensor.I64: reduceBy[int64](plain, rule[int64]{m, int64(neutral), nil}),
		tensor.U32: reduceBy[uint32](plain, rule[uint32]{m, uint32(neutral), nil}),
		tensor.U64: reduceBy[uint64](plain, rule[uint64]{m, uint64(neutral), nil}),
	}))
}

// inFloat64 is a table in which all numbers are computed in float64.
func inFloat64(m method, neutral float64, end func(float64, int) float64) op.Table {
	return floats(rule[float64]{m, neutral, end}).And(op.ByType(map[tensor.DType]kernel{
		tensor.I32: reduceBy[int32](plain, rule[float64]{m, neutral, cut(end, math.MinInt32, math.MaxInt32)}),
		tensor.I64: reduceBy[int64](plain, rule[float64]{m, neutral, cut(end, lowestI64, highestI64)}),
		tensor.U32: reduceBy[uint32](plain, rule[float64]{m, neutral, cut(end, 0, math.MaxUint32)}),
		tensor.U64: reduceBy[uint64](plain, rule[float64]{m, neutral, cut(end, 0, highestU64)}),
	}))
}

// The float64s next to the bounds of the 64-bit types.
const (
	lowestI64  = -1 << 63
	highestI64 = 1<<63 - 1<<10
	highestU64 = 1<<64 - 1<<11
)

// cut makes whole numbers of the results of end: NaN is 0, and what is beyond
// the type becomes its nearest number, on every processor.
func cut(end func(float64, int) float64, lowest, highest float64) func(float64, int) float64 {
	return func(acc float64, n int) float64 {
		x := end(acc, n)
		if math.IsNaN(x) {
			return 0
		}
		return min(max(math.Trunc(x), lowest), highest)
	}
}
