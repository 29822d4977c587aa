package reduce

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ReduceSum and ReduceMean fold by addition; the mean divides by the count.
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html (ReduceMean)
// Departures: none. An empty sum is 0, an empty mean NaN (0 for integers). The
// mean of integers truncates. 16-bit floats sum in float32, float32 in
// sixteen float32 sums side by side.
var (
	ReduceSum, ReduceSum1 = reduction("ReduceSum", op.Versions{1: "", 11: "negative axes"}, op.Versions{13: "axes are an input"}, sums(false))

	ReduceMean, ReduceMean1 = reduction("ReduceMean", op.Versions{1: "", 11: "negative axes", 13: "bfloat16"},
		op.Versions{18: "axes are an input"}, sums(true))
)

type whole interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func sums(mean bool) op.Table {
	return op.ByType(map[tensor.DType]kernel{
		tensor.F32: sum32(mean), tensor.F64: sumOf(same[float64], same[float64], floatTotal[float64](mean)),
		tensor.F16:  sumOf(tensor.Half.Float32, tensor.HalfOf, floatTotal[float32](mean)),
		tensor.BF16: sumOf(tensor.BFloat16.Float32, tensor.BFloat16Of, floatTotal[float32](mean)),
		tensor.I8:   sumOf(same[int8], same[int8], wholeTotal[int8](mean)), tensor.I16: sumOf(same[int16], same[int16], wholeTotal[int16](mean)),
		tensor.I32: sumOf(same[int32], same[int32], wholeTotal[int32](mean)), tensor.I64: sumOf(same[int64], same[int64], wholeTotal[int64](mean)),
		tensor.U8: sumOf(same[uint8], same[uint8], wholeTotal[uint8](mean)), tensor.U16: sumOf(same[uint16], same[uint16], wholeTotal[uint16](mean)),
		tensor.U32: sumOf(same[uint32], same[uint32], wholeTotal[uint32](mean)), tensor.U64: sumOf(same[uint64], same[uint64], wholeTotal[uint64](mean)),
	})
}

func same[T any](v T) T { return v }

// floatTotal divides the sum of n numbers where the mean is wanted.
func floatTotal[A float32 | float64](mean bool) func(A, int) A {
	return func(s A, n int) A {
		if mean {
			return s / A(n)
		}
		return s
	}
}

func wholeTotal[A whole](mean bool) func(A, int) A {
	return func(s A, n int) A {
		switch {
		case !mean || n == 0:
			return s
		case s > 0: // a u64 may be above every i64
			return A(uint64(s) / uint64(n))
		default:
			return A(int64(s) / int64(n))
		}
	}
}

func sumOf[T any, A whole | float32 | float64](widen func(T) A, narrow func(A) T, end func(A, int) A) kernel {
	return func(f *fold, lo, hi int) {
		out, in := tensor.Elems[T](f.out), tensor.Elems[T](f.in)
		for i := lo; i < hi; i++ {
			at := f.start(i)
			var s A
			if len(f.dims) == 1 {
				for range f.count {
					s += widen(in[at])
					at += f.steps[0]
				}
			} else {
				for k := range f.count {
					s += widen(in[at+f.offset(k)])
				}
			}
			out[i] = narrow(end(s, f.count))
		}
	}
}

func sum32(mean bool) kernel {
	end := floatTotal[float32](mean)
	strided := sumOf(func(v float32) float64 { return float64(v) }, func(v float64) float32 { return float32(v) }, floatTotal[float64](mean))
	return func(f *fold, lo, hi int) {
		if !f.row {
			strided(f, lo, hi)
			return
		}
		out, in := tensor.Elems[float32](f.out), tensor.Elems[float32](f.in)
		n := f.count
		for i := lo; i < hi; i++ {
			at := f.start(i)
			out[i] = end(vec.Sum(in[at:at+n]), n)
		}
	}
}
