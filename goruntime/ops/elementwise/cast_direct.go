package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// castLoop converts the elements [lo, hi).
type castLoop func(s *casting, lo, hi int) error

// directCasts has a loop of its own for every pair of types that Go computes
// with, and for the 16-bit floats with f32; other pairs pass through the widest
// type of their kind.
var directCasts = func() (t [tensor.NumDTypes][tensor.NumDTypes]castLoop) {
	t[tensor.I8], t[tensor.I16] = castsFrom[int8](), castsFrom[int16]()
	t[tensor.I32], t[tensor.I64] = castsFrom[int32](), castsFrom[int64]()
	t[tensor.U8], t[tensor.U16] = castsFrom[uint8](), castsFrom[uint16]()
	t[tensor.U32], t[tensor.U64] = castsFrom[uint32](), castsFrom[uint64]()
	t[tensor.F32], t[tensor.F64] = castsFrom[float32](), castsFrom[float64]()
	t[tensor.Bool] = castsFromBool()
	t[tensor.U8][tensor.F32], t[tensor.I8][tensor.F32] = castBytes[uint8], castBytes[int8]
	t[tensor.F32][tensor.Bool] = truth32
	t[tensor.F32][tensor.F16], t[tensor.F32][tensor.BF16] = narrow[tensor.Half], narrow[tensor.BFloat16]
	t[tensor.F16][tensor.F32], t[tensor.BF16][tensor.F32] = widenAll[tensor.Half], widenAll[tensor.BFloat16]
	return t
}()

// castsFrom is the row of a source type. Floats become integers of fewer than 32
// bits, and u32, by way of i64, whose low bits they take on any processor.
func castsFrom[S number]() (t [tensor.NumDTypes]castLoop) {
	t[tensor.I8], t[tensor.I16] = castLow[S, int8], castLow[S, int16]
	t[tensor.I32], t[tensor.I64] = castNumber[S, int32], castNumber[S, int64]
	t[tensor.U8], t[tensor.U16] = castLow[S, uint8], castLow[S, uint16]
	t[tensor.U32], t[tensor.U64] = castLow[S, uint32], castBy(toU64[S])
	t[tensor.F32], t[tensor.F64] = castNumber[S, float32], castNumber[S, float64]
	t[tensor.Bool] = castBy(func(v S) bool { return v != 0 })
	return t
}

// castsFromBool is the row of bool, for the numbers.
func castsFromBool() (t [tensor.NumDTypes]castLoop) {
	t[tensor.I8], t[tensor.I16], t[tensor.I32], t[tensor.I64] = castBool[int8], castBool[int16], castBool[int32], castBool[int64]
	t[tensor.U8], t[tensor.U16], t[tensor.U32], t[tensor.U64] = castBool[uint8], castBool[uint16], castBool[uint32], castBool[uint64]
	t[tensor.F32], t[tensor.F64] = castBool32, castBool[float64]
	return t
}

func castBool[D number](s *casting, lo, hi int) error {
	dst, in := tensor.Elems[D](s.out)[lo:hi], tensor.Elems[bool](s.in)[lo:hi]
	for i, v := range in {
		dst[i] = 0
		if v {
			dst[i] = 1
		}
	}
	return nil
}

// boolBlock is how many elements go through two loops at a time.
const boolBlock = 2048

// castBool32 is castBool with vectors: a true that is no 1 is one all the same.
func castBool32(s *casting, lo, hi int) error {
	dst, in := tensor.Elems[float32](s.out)[lo:hi], s.in.Raw()[lo:hi]
	for len(in) > 0 {
		n := min(boolBlock, len(in))
		igemm.Dequantize(dst[:n], in[:n], 1, 0)
		vec.Bend(vec.Clamp, dst[:n], dst[:n], 0, 1)
		dst, in = dst[n:], in[n:]
	}
	return nil
}

// castBytes converts with vectors: bytes are exact in f32.
func castBytes[S uint8 | int8](s *casting, lo, hi int) error {
	igemm.Dequantize(tensor.Elems[float32](s.out)[lo:hi], tensor.Elems[S](s.in)[lo:hi], 1, 0)
	return nil
}

// truth32 tells where an element is not 0.
func truth32(s *casting, lo, hi int) error {
	var zero [1]float32
	differ(s.out, lo, tensor.Elems[float32](s.in)[lo:hi], zero[:])
	return nil
}

func narrow[H cast.Half](s *casting, lo, hi int) error {
	cast.Narrow(tensor.Elems[H](s.out)[lo:hi], tensor.Elems[float32](s.in)[lo:hi])
	return nil
}

func widenAll[H cast.Half](s *casting, lo, hi int) error {
	cast.Widen(tensor.Elems[float32](s.out)[lo:hi], tensor.Elems[H](s.in)[lo:hi])
	return nil
}

func castNumber[S, D number](s *casting, lo, hi int) error {
	cast.Numbers(tensor.Elems[D](s.out)[lo:hi], tensor.Elems[S](s.in)[lo:hi])
	return nil
}

func castLow[S number, D integer](s *casting, lo, hi int) error {
	cast.Low(tensor.Elems[D](s.out)[lo:hi], tensor.Elems[S](s.in)[lo:hi])
	return nil
}

func castBy[S, D any](f func(S) D) castLoop {
	return func(s *casting, lo, hi int) error {
		dst := tensor.Elems[D](s.out)[lo:hi]
		for i, v := range tensor.Elems[S](s.in)[lo:hi] {
			dst[i] = f(v)
		}
		return nil
	}
}

// toU64 takes a negative number as its two's complement.
func toU64[S number](v S) uint64 {
	if v < 0 {
		return uint64(int64(v))
	}
	return uint64(v)
}
