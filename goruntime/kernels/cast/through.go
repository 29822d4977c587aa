package cast

import (
	"runtime"
	"unsafe"
)

// block is how many numbers are widened at a time.
const block = 512

// Through computes a function of float32s on halves, a block at a time: f writes to dst,
// which may be src, and keeps neither. Dst may be src.
func Through[S any, H Half](f func(s S, dst, src []float32), s S, dst, src []H) {
	var room [block]float32
	for len(dst) > 0 {
		n := min(block, len(dst))
		x := lend(room[:n])
		Widen(x, src[:n])
		f(s, x, x)
		Narrow(dst[:n], x)
		dst, src = dst[n:], src[n:]
	}
	runtime.KeepAlive(&room) // the compiler sees no other use of it
}

// lend hides from escape analysis that s is passed on to a function, which keeps nothing
// of it; the caller keeps its array alive. Inlined, the compiler would see that nothing
// reads the array, and write nothing there.
//
//go:noinline
func lend(s []float32) []float32 {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	// SAFETY: the array outlives the call; the pointer lives in the slice, where the
	// stack's moves find it.
	return unsafe.Slice(*(**float32)(unsafe.Pointer(&p)), len(s))
}
