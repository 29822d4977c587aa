package reduce

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ReduceMax and ReduceMin find the largest and the smallest element. NaN passes
// through. The largest of nothing is minus infinity, or the lowest number of an
// integer type; false is below true.
// https://onnx.ai/onnx/operators/onnx__ReduceMax.html (ReduceMin)   Departures: none.
var (
	ReduceMax, ReduceMax1 = op.DeclareTwo("", "ReduceMax", func() (now, legacy op.Def) {
		return reduction(op.Versions{1: "", 11: "negative axes", 12: "8-bit integers", 13: "bfloat16"},
			op.Versions{18: "axes are an input", 20: "bool"}, floats(rule[float64]{largest, math.Inf(-1), nil}).And(op.ByType(map[tensor.DType]kernel{
				tensor.I8: extreme[int8](largest, math.MinInt8), tensor.I32: extreme[int32](largest, math.MinInt32),
				tensor.I64: extreme[int64](largest, math.MinInt64), tensor.U8: extreme[uint8](largest, 0),
				tensor.U32: extreme[uint32](largest, 0), tensor.U64: extreme[uint64](largest, 0), tensor.Bool: extreme[uint8](largest, 0),
			})))
	})
	ReduceMin, ReduceMin1 = op.DeclareTwo("", "ReduceMin", func() (now, legacy op.Def) {
		return reduction(op.Versions{1: "", 11: "negative axes", 12: "8-bit integers", 13: "bfloat16"},
			op.Versions{18: "axes are an input", 20: "bool"}, floats(rule[float64]{smallest, math.Inf(1), nil}).And(op.ByType(map[tensor.DType]kernel{
				tensor.I8: extreme[int8](smallest, math.MaxInt8), tensor.I32: extreme[int32](smallest, math.MaxInt32),
				tensor.I64: extreme[int64](smallest, math.MaxInt64), tensor.U8: extreme[uint8](smallest, math.MaxUint8),
				tensor.U32: extreme[uint32](smallest, math.MaxUint32), tensor.U64: extreme[uint64](smallest, math.MaxUint64),
				tensor.Bool: extreme[uint8](smallest, 1),
			})))
	})
)

func extreme[T vec.Counted](m method, neutral T) kernel {
	return reduceBy[T](plain, rule[T]{m, neutral, nil})
}
