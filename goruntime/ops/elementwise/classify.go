package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// IsInf tells where the elements are infinite, of the signs that the attributes
// name.
// https://onnx.ai/onnx/operators/onnx__IsInf.html   Departures: none.
var IsInf = op.Declare("", "IsInf", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: "", 20: "all floats"},
		Attrs:    op.Attrs(op.Int("detect_negative", 1), op.Int("detect_positive", 1)),
		InPlace:  op.FirstOnly, Shape: testShape,
		Prepare: func(c *op.Context) error {
			s := &tuned{}
			if c.Attr.Bool("detect_negative") {
				s.alpha = 1
			}
			if c.Attr.Bool("detect_positive") {
				s.beta = 1
			}
			c.State = s
			return nil
		},
		Run: runTuned, DTypes: op.ByType(map[tensor.DType]tunedSpan{
			tensor.F32: infinite32, tensor.F64: infinite(func(x float64) float64 { return x }),
			tensor.F16: infiniteHalf[tensor.Half], tensor.BF16: infiniteHalf[tensor.BFloat16],
		}).And(op.Uniform[tunedSpan](infiniteSmall, float8s...)),
	}
})

// IsNaN tells where the elements are not a number.
// https://onnx.ai/onnx/operators/onnx__IsNaN.html   Departures: none.
var IsNaN = op.Declare("", "IsNaN", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: "", 13: "bfloat16", 20: "float8"}, InPlace: op.FirstOnly, Shape: testShape,
		Prepare: func(c *op.Context) error { c.State = &tuned{}; return nil },
		Run:     runTuned, DTypes: op.ByType(map[tensor.DType]tunedSpan{
			tensor.F32: unequal32, tensor.F64: unequal64,
			tensor.F16: unequalHalf[tensor.Half], tensor.BF16: unequalHalf[tensor.BFloat16],
		}).And(op.Uniform[tunedSpan](nanSmall, float8s...)),
	}
})

var float8s = []tensor.DType{tensor.F8E4M3FN, tensor.F8E4M3UZ, tensor.F8E5M2, tensor.F8E5M2UZ}

// testShape is the shape rule of a test of one input.
func testShape(c *op.Infer) error {
	c.SetOutput(0, tensor.Bool, c.In(0))
	return nil
}

func infinite[T any](widen func(T) float64) tunedSpan {
	return func(s *tuned, lo, hi int) {
		dst := tensor.Elems[bool](s.out)[lo:hi]
		for i, x := range tensor.Elems[T](s.in)[lo:hi] {
			dst[i] = s.infinite(widen(x))
		}
	}
}

// infinite tests one number; alpha and beta say which signs count.
func (s *tuned) infinite(x float64) bool {
	return s.alpha != 0 && math.IsInf(x, -1) || s.beta != 0 && math.IsInf(x, 1)
}

func infiniteSmall(s *tuned, lo, hi int) {
	dst, format := tensor.Elems[bool](s.out)[lo:hi], tensor.SmallOf(s.in.DType)
	for i, code := range s.in.Raw()[lo:hi] {
		dst[i] = s.infinite(float64(format.Value(code)))
	}
}

// testBlock is how many elements go through two loops at a time.
const testBlock = 1 << 10

// unequal32 tells where an element is not equal to itself.
func unequal32(s *tuned, lo, hi int) {
	x := tensor.Elems[float32](s.in)[lo:hi]
	differ(s.out, lo, x, x)
}

// differ tells, from an element of out on, where numbers are not equal to those beside them,
// or to one.
func differ(out *tensor.View, at int, x, y []float32) {
	for len(x) > 0 {
		n := min(testBlock, len(x))
		part := y
		if len(y) > 1 {
			part, y = y[:n], y[n:]
		}
		vec.Relate(vec.Equal, tensor.Elems[bool](out)[at:at+n], x[:n], part)
		raw := out.Raw()[at : at+n]
		vec.Bits(vec.BitXor, raw, raw, one)
		at, x = at+n, x[n:]
	}
}

func infinite32(s *tuned, lo, hi int) {
	s.infinities(tensor.Elems[bool](s.out)[lo:hi], tensor.Elems[float32](s.in)[lo:hi])
}

// infinities tells where a number is one infinity, or has the magnitude of both.
func (s *tuned) infinities(dst []bool, in []float32) {
	inf := [1]float32{float32(math.Inf(1))}
	switch {
	case s.alpha == 0 && s.beta == 0:
		clear(dst)
	case s.alpha == 0:
		vec.Relate(vec.Equal, dst, in, inf[:])
	case s.beta == 0:
		inf[0] = -inf[0]
		vec.Relate(vec.Equal, dst, in, inf[:])
	default:
		var room [block]float32
		for len(in) > 0 {
			x := room[:min(block, len(in))]
			vec.Apply(vec.Absolute, x, in[:len(x)])
			vec.Relate(vec.Equal, dst[:len(x)], x, inf[:])
			dst, in = dst[len(x):], in[len(x):]
		}
	}
}

func unequal64(s *tuned, lo, hi int) {
	dst := tensor.Elems[bool](s.out)[lo:hi]
	for i, x := range tensor.Elems[float64](s.in)[lo:hi] {
		dst[i] = x != x
	}
}

// unequalHalf and infiniteHalf test blocks of elements as float32s.
func unequalHalf[H cast.Half](s *tuned, lo, hi int) {
	var room [block]float32
	for src := tensor.Elems[H](s.in)[lo:hi]; len(src) > 0; {
		x := room[:min(block, len(src))]
		cast.Widen(x, src[:len(x)])
		differ(s.out, lo, x, x)
		lo, src = lo+len(x), src[len(x):]
	}
}

func infiniteHalf[H cast.Half](s *tuned, lo, hi int) {
	var room [block]float32
	dst := tensor.Elems[bool](s.out)[lo:hi]
	for src := tensor.Elems[H](s.in)[lo:hi]; len(src) > 0; {
		x := room[:min(block, len(src))]
		cast.Widen(x, src[:len(x)])
		s.infinities(dst[:len(x)], x)
		dst, src = dst[len(x):], src[len(x):]
	}
}

func nanSmall(s *tuned, lo, hi int) {
	dst, format := tensor.Elems[bool](s.out)[lo:hi], tensor.SmallOf(s.in.DType)
	for i, code := range s.in.Raw()[lo:hi] {
		x := format.Value(code)
		dst[i] = x != x
	}
}
