package vec

import (
	"runtime"
	"unsafe"
)

// Relation is a test of two numbers. NaN is equal to nothing, and neither more nor less,
// nor not.
type Relation uint8

// The relations, in the order of the generated tables.
const (
	Equal Relation = iota
	More
	Less
	NotLess
	NotMore
	relations
)

// Number is what Relate compares.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Relate writes of each x whether it relates to the y beside it, or to a single y.
func Relate[T Number](r Relation, dst []bool, x, y []T) {
	if done := relateVectors(r, dst, x, y); done > 0 {
		dst, x = dst[done:], x[done:]
		if len(y) > 1 {
			y = y[done:]
		}
	}
	if len(y) == 1 {
		relateTo(r, dst, x, y[0])
	} else {
		relateEach(r, dst, x, y)
	}
}

// relateVectors relates whole vectors, where there is a kernel for the numbers, and
// returns how many numbers they had.
func relateVectors[T Number](r Relation, dst []bool, x, y []T) int {
	kind := 0
	switch any(T(0)).(type) {
	case float32:
	case int32:
		kind = 1
	default:
		return 0
	}
	v, form := chosen(), 0
	if len(y) == 1 {
		form = 1
	}
	n := len(dst) / v.lanes
	kernel := v.relate[kind][r][form]
	if n == 0 || kernel == nil {
		return 0
	}
	_ = x[:len(dst)]
	if form == 0 {
		_ = y[:len(dst)]
	}
	a := args{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), a: unsafe.Pointer(unsafe.SliceData(x)), b: unsafe.Pointer(unsafe.SliceData(y)), n: n,
	}
	kernel(borrow(&a))
	runtime.KeepAlive(&a)
	return n * v.lanes
}

func relateTo[T Number](r Relation, dst []bool, x []T, y T) {
	x = x[:len(dst)]
	switch r {
	case Equal:
		for k, v := range x {
			dst[k] = v == y
		}
	case More:
		for k, v := range x {
			dst[k] = v > y
		}
	case Less:
		for k, v := range x {
			dst[k] = v < y
		}
	case NotLess:
		for k, v := range x {
			dst[k] = v >= y
		}
	case NotMore:
		for k, v := range x {
			dst[k] = v <= y
		}
	}
}

func relateEach[T Number](r Relation, dst []bool, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	switch r {
	case Equal:
		for k := range dst {
			dst[k] = x[k] == y[k]
		}
	case More:
		for k := range dst {
			dst[k] = x[k] > y[k]
		}
	case Less:
		for k := range dst {
			dst[k] = x[k] < y[k]
		}
	case NotLess:
		for k := range dst {
			dst[k] = x[k] >= y[k]
		}
	case NotMore:
		for k := range dst {
			dst[k] = x[k] <= y[k]
		}
	}
}
