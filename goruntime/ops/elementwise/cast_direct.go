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
	for _, pair := range [][2]tensor.DType{{tensor.I8, tensor.U8}, {tensor.I16, tensor.U16}, {tensor.I32, tensor.U32}, {tensor.I64, tensor.U64}} {
		t[pair[0]][pair[1]], t[pair[1]][pair[0]] = castNothing, castNothing // the same bits
	}
	t[tensor.Bool] = castsFromBool()
	t[tensor.U8][tensor.F32], t[tensor.I8][tensor.F32] = castBytes[uint8], castBytes[int8]
	t[tensor.F32][tensor.Bool] = truth32
	t[tensor.F32][tensor.F16], t[tensor.F32][tensor.BF16] = narrow[tensor.Half], narrow[tensor.BFloat16]
	t[tensor.F16], t[tensor.BF16] = castsFromHalf[tensor.Half](), castsFromHalf[tensor.BFloat16]()
	t[tensor.I8][tensor.Bool], t[tensor.U8][tensor.Bool] = truth8, truth8
	t[tensor.Bool][tensor.I8], t[tensor.Bool][tensor.U8], t[tensor.Bool][tensor.F16] = truth8, truth8, castBoolHalf
	t[tensor.I8][tensor.F16], t[tensor.I16][tensor.F16] = wholeHalf[int8], wholeHalf[int16]
	t[tensor.I32][tensor.F16], t[tensor.I64][tensor.F16] = wholeHalf[int32], wholeHalf[int64]
	t[tensor.U8][tensor.F16], t[tensor.U16][tensor.F16] = wholeHalf[uint8], wholeHalf[uint16]
	t[tensor.U32][tensor.F16], t[tensor.U64][tensor.F16] = wholeHalf[uint32], wholeHalf[uint64]
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
	t[tensor.Bool] = nonzero[S]
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

// nonzero is truth32 of other numbers.
func nonzero[S number](s *casting, lo, hi int) error {
	dst, src, zero := tensor.Elems[bool](s.out)[lo:hi], tensor.Elems[S](s.in)[lo:hi], [1]S{}
	for len(src) > 0 {
		n := min(testBlock, len(src))
		vec.Relate(vec.Equal, dst[:n], src[:n], zero[:])
		dst, src = dst[n:], src[n:]
	}
	raw := s.out.Raw()[lo:hi]
	vec.Bits(vec.BitXor, raw, raw, one)
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

// castsFromHalf is the row of a 16-bit float, whose casts to whole numbers are those of
// the float32.
func castsFromHalf[H cast.Half]() (t [tensor.NumDTypes]castLoop) {
	t[tensor.I8], t[tensor.I16] = halfLow[H, int8], halfLow[H, int16]
	t[tensor.I32], t[tensor.I64] = halfNumber[H, int32], halfNumber[H, int64]
	t[tensor.U8], t[tensor.U16], t[tensor.U32] = halfLow[H, uint8], halfLow[H, uint16], halfLow[H, uint32]
	t[tensor.F32], t[tensor.F64], t[tensor.Bool] = widenAll[H], halfNumber[H, float64], halfTruth[H]
	return t
}

func halfNumber[H cast.Half, D number](s *casting, lo, hi int) error {
	var room [block]float32
	dst, src := tensor.Elems[D](s.out)[lo:hi], tensor.Elems[H](s.in)[lo:hi]
	for len(src) > 0 {
		x := room[:min(block, len(src))]
		cast.Widen(x, src[:len(x)])
		cast.Numbers(dst[:len(x)], x)
		dst, src = dst[len(x):], src[len(x):]
	}
	return nil
}

func halfLow[H cast.Half, D integer](s *casting, lo, hi int) error {
	var room [block]float32
	dst, src := tensor.Elems[D](s.out)[lo:hi], tensor.Elems[H](s.in)[lo:hi]
	for len(src) > 0 {
		x := room[:min(block, len(src))]
		cast.Widen(x, src[:len(x)])
		cast.Low(dst[:len(x)], x)
		dst, src = dst[len(x):], src[len(x):]
	}
	return nil
}

func halfTruth[H cast.Half](s *casting, lo, hi int) error {
	var room [block]float32
	var zero [1]float32
	for src := tensor.Elems[H](s.in)[lo:hi]; len(src) > 0; {
		x := room[:min(block, len(src))]
		cast.Widen(x, src[:len(x)])
		differ(s.out, lo, x, zero[:])
		lo, src = lo+len(x), src[len(x):]
	}
	return nil
}

// wholeHalf rounds whole numbers to halves by way of f32, which holds those exactly that a
// half is near to.
func wholeHalf[S integer](s *casting, lo, hi int) error {
	var room [block]float32
	dst, src := tensor.Elems[tensor.Half](s.out)[lo:hi], tensor.Elems[S](s.in)[lo:hi]
	for len(src) > 0 {
		x := room[:min(block, len(src))]
		cast.Numbers(x, src[:len(x)])
		cast.Narrow(dst[:len(x)], x)
		dst, src = dst[len(x):], src[len(x):]
	}
	return nil
}

// castBoolHalf is castBool to the halves 0 and 1.
func castBoolHalf(s *casting, lo, hi int) error {
	dst, one := tensor.Elems[uint16](s.out)[lo:hi], uint16(tensor.HalfOf(1))
	for i, v := range s.in.Raw()[lo:hi] {
		dst[i] = one * uint16(min(v, 1))
	}
	return nil
}

// truth8 makes 1 of bytes that are not 0.
func truth8(s *casting, lo, hi int) error {
	vec.Numbers(vec.AnySmaller, s.out.Raw()[lo:hi], s.in.Raw()[lo:hi], one)
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
