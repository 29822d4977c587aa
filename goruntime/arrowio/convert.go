package arrowio

import "github.com/goruntime/goruntime/goruntime/tensor"

// number is an element type that Go has and Arrow too.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// casts convert between the types of numbers; Go's conversions are meant.
var casts = map[[2]tensor.DType]func(out, in *tensor.View){}

// castable reports whether a column of d can be converted to want.
func castable(d, want tensor.DType) bool { return casts[[2]tensor.DType{d, want}] != nil }

func init() { //lint:allow init every pair of ten types
	castsFrom[int8](tensor.I8)
	castsFrom[int16](tensor.I16)
	castsFrom[int32](tensor.I32)
	castsFrom[int64](tensor.I64)
	castsFrom[uint8](tensor.U8)
	castsFrom[uint16](tensor.U16)
	castsFrom[uint32](tensor.U32)
	castsFrom[uint64](tensor.U64)
	castsFrom[float32](tensor.F32)
	castsFrom[float64](tensor.F64)
}

func castsFrom[T number](from tensor.DType) {
	for to, f := range map[tensor.DType]func(out, in *tensor.View){
		tensor.I8: convert[T, int8], tensor.I16: convert[T, int16], tensor.I32: convert[T, int32], tensor.I64: convert[T, int64],
		tensor.U8: convert[T, uint8], tensor.U16: convert[T, uint16], tensor.U32: convert[T, uint32], tensor.U64: convert[T, uint64],
		tensor.F32: convert[T, float32], tensor.F64: convert[T, float64],
	} {
		casts[[2]tensor.DType{from, to}] = f
	}
}

func convert[A, B number](out, in *tensor.View) {
	to := tensor.Elems[B](out)
	for i, x := range tensor.Elems[A](in) {
		to[i] = B(x)
	}
}
