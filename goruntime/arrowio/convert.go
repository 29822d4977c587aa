package arrowio

import (
	"math"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// number is an element type that Go has and Arrow too.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// fillers write a fill value of a manifest to element i; they report whether it is one
// of the element type.
var fillers = map[tensor.DType]func(v *tensor.View, i int, fill any) bool{
	tensor.F32: fillNumber[float32], tensor.F64: fillNumber[float64],
	tensor.I8: fillNumber[int8], tensor.I16: fillNumber[int16], tensor.I32: fillNumber[int32], tensor.I64: fillNumber[int64],
	tensor.U8: fillNumber[uint8], tensor.U16: fillNumber[uint16], tensor.U32: fillNumber[uint32], tensor.U64: fillNumber[uint64],
	tensor.F16:  fillHalf,
	tensor.Bool: fillBool,
}

func fillNumber[T number](v *tensor.View, i int, fill any) bool {
	x, ok := asNumber(fill)
	if ok = ok && fits[T](x); ok {
		tensor.Elems[T](v)[i] = T(x)
	}
	return ok
}

// fits reports whether a number is one of T: whole and within its bounds, where T is
// whole.
func fits[T number](x float64) bool {
	var zero T
	half := T(1)
	half /= 2
	if half != 0 {
		return true
	}
	bits := 8 * int(unsafe.Sizeof(zero))
	low, high := 0.0, math.Ldexp(1, bits)
	if zero-1 < 0 {
		low, high = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	return x == math.Trunc(x) && low <= x && x < high
}

// fillable refuses a fill that is no value of the element type.
func fillable(d tensor.DType, fill any) error {
	if d == tensor.Str {
		if _, ok := fill.(string); !ok {
			return errs.New(errs.Type, "the fill %v (%T) is no string: a value of the column's type expected", fill, fill)
		}
		return nil
	}
	var room uint64
	v := tensor.View{DType: d, Shape: tensor.Shape{1}, Data: unsafe.Pointer(&room)}
	if put := fillers[d]; put == nil || !put(&v, 0, fill) {
		return errs.New(errs.Type, "the fill %v (%T) is no %v: a value of the column's type expected", fill, fill, d)
	}
	return nil
}

// asNumber returns a number of JSON or of a Go program.
func asNumber(fill any) (float64, bool) {
	switch x := fill.(type) {
	case float64:
		return x, true
	case float32:
		return float64(x), true
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	}
	return 0, false
}

func fillHalf(v *tensor.View, i int, fill any) bool {
	x, ok := asNumber(fill)
	if ok {
		tensor.Elems[tensor.Half](v)[i] = tensor.HalfOf64(x)
	}
	return ok
}

func fillBool(v *tensor.View, i int, fill any) bool {
	x, ok := fill.(bool)
	if ok {
		tensor.Elems[bool](v)[i] = x
	}
	return ok
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
