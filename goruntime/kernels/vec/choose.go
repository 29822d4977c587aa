package vec

import (
	"runtime"
	"unsafe"
)

// Choose writes x where a condition holds, else y. Conditions and x and y are as long as
// dst, or a side is one number that goes with every element. T is four bytes wide.
func Choose[T uint32 | int32 | float32](dst []T, cond []bool, x, y []T) {
	_ = cond[:len(dst)]
	form := 0
	switch {
	case len(y) == 1 && len(x) == 1:
		form = 3
	case len(y) == 1:
		form = 1
	case len(x) == 1:
		form = 2
	}
	done := 0
	if v := chosen(); v.choose[form] != nil && len(dst) >= v.lanes {
		n := len(dst) / v.lanes
		a := args{
			dst: unsafe.Pointer(unsafe.SliceData(dst)), a: unsafe.Pointer(unsafe.SliceData(x)), b: unsafe.Pointer(unsafe.SliceData(y)),
			c: unsafe.Pointer(unsafe.SliceData(cond)), n: n,
		}
		v.choose[form](borrow(&a))
		runtime.KeepAlive(&a)
		done = n * v.lanes
	}
	stepX, stepY := min(1, len(x)-1), min(1, len(y)-1)
	for i := done; i < len(dst); i++ {
		if cond[i] {
			dst[i] = x[i*stepX]
		} else {
			dst[i] = y[i*stepY]
		}
	}
}
