package arrowio

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// number is an element type that Go has and Arrow too.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// casts convert between the types of numbers that Go has. Floats are rounded; they return
// the first element that the other type cannot hold, a fraction for whole numbers among
// these, -1 where there is none.
var casts = map[[2]tensor.DType]func(out, in *tensor.View) int{}

// castable reports whether a column of d can be converted to want.
func castable(d, want tensor.DType) bool {
	return casts[[2]tensor.DType{d, want}] != nil || getters[d] != nil && setters[want] != nil
}

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
	for to, f := range map[tensor.DType]func(out, in *tensor.View) int{
		tensor.I8: convert[T, int8], tensor.I16: convert[T, int16], tensor.I32: convert[T, int32], tensor.I64: convert[T, int64],
		tensor.U8: convert[T, uint8], tensor.U16: convert[T, uint16], tensor.U32: convert[T, uint32], tensor.U64: convert[T, uint64],
		tensor.F32: convert[T, float32], tensor.F64: convert[T, float64],
	} {
		casts[[2]tensor.DType{from, to}] = f
	}
}

func convert[A, B number](out, in *tensor.View) int {
	to := tensor.Elems[B](out)
	for i, x := range tensor.Elems[A](in) {
		y := B(x)
		if !held(x, y) {
			return i
		}
		to[i] = y
	}
	return -1
}

// held reports whether y, which x was converted to, is x, rounded where y is a float.
func held[A, B number](x A, y B) bool {
	switch fromFloat, toFloat := float[A](), float[B](); {
	case toFloat:
		return !math.IsInf(float64(y), 0) || math.IsInf(float64(x), 0)
	case fromFloat:
		return fits[B](float64(x))
	}
	return A(y) == x && (x < 0) == (y < 0)
}

// float reports whether T has fractions.
func float[T number]() bool {
	half := T(1)
	half /= 2
	return half != 0
}

// getters and setters are for the types that Go has not: all numbers that they have are
// numbers of float64. A setter reports whether the type holds the number.
var (
	getters = map[tensor.DType]func(v *tensor.View, i int) float64{
		tensor.F16: func(v *tensor.View, i int) float64 { return float64(tensor.Elems[tensor.Half](v)[i].Float32()) },
		tensor.Bool: func(v *tensor.View, i int) float64 {
			if tensor.Elems[bool](v)[i] {
				return 1
			}
			return 0
		},
		tensor.I8: get[int8], tensor.I16: get[int16], tensor.I32: get[int32], tensor.I64: get[int64],
		tensor.U8: get[uint8], tensor.U16: get[uint16], tensor.U32: get[uint32], tensor.U64: get[uint64],
		tensor.F32: get[float32], tensor.F64: get[float64],
	}
	setters = map[tensor.DType]func(v *tensor.View, i int, x float64) bool{
		tensor.F16: func(v *tensor.View, i int, x float64) bool {
			h := tensor.HalfOf64(x)
			tensor.Elems[tensor.Half](v)[i] = h
			return held(x, h.Float32())
		},
		tensor.BF16: func(v *tensor.View, i int, x float64) bool {
			h := tensor.BFloat16Of64(x)
			tensor.Elems[tensor.BFloat16](v)[i] = h
			return held(x, h.Float32())
		},
		tensor.I8: set[int8], tensor.I16: set[int16], tensor.I32: set[int32], tensor.I64: set[int64],
		tensor.U8: set[uint8], tensor.U16: set[uint16], tensor.U32: set[uint32], tensor.U64: set[uint64],
		tensor.F32: set[float32], tensor.F64: set[float64],
	}
)

func get[T number](v *tensor.View, i int) float64 { return float64(tensor.Elems[T](v)[i]) }

func set[T number](v *tensor.View, i int, x float64) bool {
	if !fits[T](x) {
		return false
	}
	tensor.Elems[T](v)[i] = T(x)
	return true
}

// convertTo replaces v by out, which gets its elements converted.
//
// Errors: errs.Argument for an element that out's type cannot hold, by its row.
func convertTo(out, v *tensor.View) error {
	misfit := -1
	if cast := casts[[2]tensor.DType{v.DType, out.DType}]; cast != nil {
		misfit = cast(out, v)
	} else {
		put, take := setters[out.DType], getters[v.DType]
		for i := range v.Elements() {
			if !put(out, i, take(v, i)) {
				misfit = i
				break
			}
		}
	}
	if misfit >= 0 {
		return errs.New(errs.Argument, "row %d has %v, which is no %v: a cast rounds to floats, and changes no number else", misfit/v.RowElements(), v.Item(misfit), out.DType)
	}
	*v = *out
	return nil
}
