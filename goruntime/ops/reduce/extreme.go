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
			op.Versions{18: "axes are an input", 20: "bool"}, floats(rule[float64]{largest, math.Inf(-1), same[float64]}).And(op.ByType(map[tensor.DType]kernel{
				tensor.F32: max32,
				tensor.I8:  extreme[int8](largest, math.MinInt8), tensor.I32: extreme[int32](largest, math.MinInt32),
				tensor.I64: extreme[int64](largest, math.MinInt64), tensor.U8: extreme[uint8](largest, 0),
				tensor.U32: extreme[uint32](largest, 0), tensor.U64: extreme[uint64](largest, 0), tensor.Bool: extreme[uint8](largest, 0),
			})))
	})
	ReduceMin, ReduceMin1 = op.DeclareTwo("", "ReduceMin", func() (now, legacy op.Def) {
		return reduction(op.Versions{1: "", 11: "negative axes", 12: "8-bit integers", 13: "bfloat16"},
			op.Versions{18: "axes are an input", 20: "bool"}, floats(rule[float64]{smallest, math.Inf(1), same[float64]}).And(op.ByType(map[tensor.DType]kernel{
				tensor.F32: min32,
				tensor.I8:  extreme[int8](smallest, math.MaxInt8), tensor.I32: extreme[int32](smallest, math.MaxInt32),
				tensor.I64: extreme[int64](smallest, math.MaxInt64), tensor.U8: extreme[uint8](smallest, math.MaxUint8),
				tensor.U32: extreme[uint32](smallest, math.MaxUint32), tensor.U64: extreme[uint64](smallest, math.MaxUint64),
				tensor.Bool: extreme[uint8](smallest, 1),
			})))
	})
)

func extreme[T number](m method, neutral T) kernel {
	return reduceBy[T](plain, rule[T]{m, neutral, same[T]})
}

var (
	maxShort = reduceBy[float32](plain, rule[float32]{largest, float32(math.Inf(-1)), same[float32]})
	minShort = reduceBy[float32](plain, rule[float32]{smallest, float32(math.Inf(1)), same[float32]})
)

func min32(f *fold, lo, hi int) {
	if f.run == 0 && f.segments > 0 {
		f.extremeAcross(vec.Smaller, lo, hi)
		return
	}
	minShort(f, lo, hi)
}

// extremeAcross folds outputs that lie side by side.
func (f *fold) extremeAcross(o vec.Operation, lo, hi int) {
	out, in := tensor.Elems[float32](f.out), tensor.Elems[float32](f.in)
	for lo < hi {
		n, first := f.together(lo, hi, wide), f.start(lo)
		dst := out[lo : lo+n]
		copy(dst, in[first+f.segment(0):])
		for s := 1; s < f.segments; s++ {
			at := first + f.segment(s)
			vec.Combine(o, dst, dst, in[at:at+n])
		}
		lo += n
	}
}

func max32(f *fold, lo, hi int) {
	switch {
	case f.run == 0 && f.segments > 0:
		f.extremeAcross(vec.Larger, lo, hi)
		return
	case f.run < longRun:
		maxShort(f, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](f.out), tensor.Elems[float32](f.in)
	for i := lo; i < hi; i++ {
		out[i] = f.top32(in, i)
	}
}

// top32 returns the largest element of output i.
func (f *fold) top32(in []float32, i int) float32 {
	first, top := f.start(i), float32(math.Inf(-1))
	for k := range f.segments {
		at := first + f.segment(k)
		top = max(top, vec.Max(in[at:at+f.run]))
	}
	return top
}
