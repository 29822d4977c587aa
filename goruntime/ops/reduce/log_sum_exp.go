package reduce

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ReduceLogSumExp is log(sum(exp(x))), computed in float64 with the largest
// element taken out, so that it does not overflow. Of nothing it is minus
// infinity.
// https://onnx.ai/onnx/operators/onnx__ReduceLogSumExp.html
// Departures: none. Integers are cut off, as those of ReduceL2.
var ReduceLogSumExp, ReduceLogSumExp1 = op.DeclareTwo("", "ReduceLogSumExp", func() (now, legacy op.Def) {
	return reduction(attrVersions, op.Versions{18: "axes are an input", 28: "floats only"},
		op.ByType(map[tensor.DType]kernel{
			tensor.F32: logSumExp32, tensor.F64: logSumExp[float64](plain, same[float64]),
			tensor.F16: logSumExp[uint16](half, same[float64]), tensor.BF16: logSumExp[uint16](bfloat, same[float64]),
			tensor.I32: logSumExp[int32](plain, cut(same[float64], math.MinInt32, math.MaxInt32)),
			tensor.I64: logSumExp[int64](plain, cut(same[float64], lowestI64, highestI64)),
			tensor.U32: logSumExp[uint32](plain, cut(same[float64], 0, math.MaxUint32)),
			tensor.U64: logSumExp[uint64](plain, cut(same[float64], 0, highestU64)),
		}))
})

func logSumExp[T number](as format, end func(float64, int) float64) kernel {
	return func(f *fold, lo, hi int) {
		var tops, totals, room [block]float64
		for lo < hi {
			n := f.together(lo, hi, block)
			top, total := tops[:n], totals[:n]
			accumulate[T](f, largest, math.Inf(-1), top, room[:], lo, as)
			for k, x := range top {
				total[k] = 0
				if math.IsInf(x, 0) { // what it is taken from would be NaN
					top[k] = 0
				}
			}
			addExponentials[T](f, top, total, room[:], lo, as)
			for k, x := range total {
				store[T](f.out, lo+k, end(top[k]+math.Log(x), f.count), as)
			}
			lo += n
		}
	}
}

// addExponentials adds exp(x - top) of the elements of the outputs from lo on.
func addExponentials[T number](f *fold, top, total, room []float64, lo int, as format) {
	first := f.start(lo)
	for s := range f.segments {
		at := first + f.segment(s)
		for left := max(f.run, 1); left > 0; {
			n := len(total)
			if f.run > 0 {
				n = min(block, left)
			}
			x := room[:n]
			load[T](x, f.in, at, as)
			for k, v := range x {
				j := k
				if f.run > 0 {
					j = 0
				}
				total[j] += math.Exp(v - top[j])
			}
			at += n
			left -= n
		}
	}
}

var logSumExpAny32 = logSumExp[float32](plain, same[float64])

// logSumExp32 takes the exponentials of long rows by vector kernels and adds
// those of a block in float32.
func logSumExp32(f *fold, lo, hi int) {
	if f.run < longRun {
		logSumExpAny32(f, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](f.out), tensor.Elems[float32](f.in)
	var room [block]float32
	for i := lo; i < hi; i++ {
		top := [1]float32{f.top32(in, i)}
		if math.IsInf(float64(top[0]), 0) {
			top[0] = 0
		}
		first, total := f.start(i), 0.0
		for k := range f.segments {
			at := first + f.segment(k)
			for left := f.run; left > 0; {
				x := room[:min(block, left)]
				vec.Combine(vec.Minus, x, in[at:at+len(x)], top[:])
				vec.Apply(vec.Exponential, x, x)
				total += float64(vec.Sum(x))
				at += len(x)
				left -= len(x)
			}
		}
		out[i] = float32(float64(top[0]) + math.Log(total))
	}
}
