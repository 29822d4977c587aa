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
			tensor.F32: logSumExp32(), tensor.F64: logSumExp[float64](plain, same[float64]),
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

// longRun is from where on the exponentials of a row are worth a vector kernel.
const longRun = 16

// vectorLogSumExp takes the exponentials of f32 by vector kernels and adds those of a
// part in float32.
type vectorLogSumExp struct {
	any      kernel // for every fold
	greatest kernel // writes the largest elements, which are taken out
}

func logSumExp32() kernel {
	return (&vectorLogSumExp{
		logSumExp[float32](plain, same[float64]), reduce32(rule[float64]{largest, math.Inf(-1), nil}),
	}).run
}

func (v *vectorLogSumExp) run(f *fold, lo, hi int) {
	if f.count == 0 || f.run > 0 && f.run < longRun {
		v.any(f, lo, hi)
		return
	}
	v.greatest(f, lo, hi)
	if f.run == 0 {
		f.logSumExpColumns(lo, hi)
	} else {
		f.logSumExpRows(lo, hi)
	}
}

// logSumExpRows begins with the largest elements of the outputs in their places.
func (f *fold) logSumExpRows(lo, hi int) {
	out, in := tensor.Elems[float32](f.out), tensor.Elems[float32](f.in)
	var room [block]float32
	for i := lo; i < hi; i++ {
		top := [1]float32{finite(out[i])}
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

// logSumExpColumns is logSumExpRows for outputs that lie side by side.
func (f *fold) logSumExpColumns(lo, hi int) {
	out, in := tensor.Elems[float32](f.out), tensor.Elems[float32](f.in)
	var rooms, parts, tops [wide]float32
	var accs [wide]float64
	for lo < hi {
		n, first := f.together(lo, hi, wide), f.start(lo)
		x, part, top, acc := rooms[:n], parts[:n], tops[:n], accs[:n]
		clear(acc)
		for k, t := range out[lo : lo+n] {
			top[k] = finite(t)
		}
		for s := 0; s < f.segments; {
			clear(part)
			for last := min(f.segments, s+partRows); s < last; s++ {
				at := first + f.segment(s)
				vec.Combine(vec.Minus, x, in[at:at+n], top)
				vec.Apply(vec.Exponential, x, x)
				vec.Combine(vec.Plus, part, part, x)
			}
			addTo(acc, part)
		}
		for k, total := range acc {
			out[lo+k] = float32(float64(top[k]) + math.Log(total))
		}
		lo += n
	}
}

// finite returns what is taken out where x is the largest: a difference of infinities
// would be NaN.
func finite(x float32) float32 {
	if math.IsInf(float64(x), 0) {
		return 0
	}
	return x
}
