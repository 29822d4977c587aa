package conv

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/lanes"
)

// turn is what the transposes read; convgen has the offsets.
type turn struct {
	dst    unsafe.Pointer // 0
	src    unsafe.Pointer // 8
	planes unsafe.Pointer // 16, bytes from the first plane to each
	at     unsafe.Pointer // 24, where each pixel goes among the vectors, in bytes
	blocks int            // 32, of as many pixels as there are lanes
	mask   unsafe.Pointer // 40, of the pixels beyond, or nil
	n      int            // pixels, for the portable kernels
}

// turned returns the operands of a transpose of n planes of size pixels, step apart.
// Planes beyond them are named as the last one.
func (v *variant) turned(dst, src unsafe.Pointer, step, n, size int, at []int, planes *[16]int) turn {
	for i := range planes {
		planes[i] = 4 * step * min(i, n-1)
	}
	t := turn{
		dst: dst, src: src, planes: unsafe.Pointer(borrow(planes)), at: unsafe.Pointer(unsafe.SliceData(at)), blocks: size / v.lanes, n: size,
	}
	if rest := size % v.lanes; rest > 0 {
		t.mask = lanes.Mask(v.lanes, rest)
	}
	return t
}

// spread writes a vector for each of size pixels of up to as many planes as there are
// lanes. At says where; it goes on to a whole number of vectors of pixels.
func (v *variant) spread(dst, src unsafe.Pointer, step, n, size int, at []int) {
	var planes [16]int
	t := v.turned(dst, src, step, n, size, at, &planes)
	v.toChannels(borrow(&t))
	runtime.KeepAlive(&t)
	runtime.KeepAlive(&planes)
}

// gather is the way back, to n planes, step apart.
func (v *variant) gather(dst, src unsafe.Pointer, step, n, size int, at []int) {
	var planes [16]int
	t := v.turned(dst, src, step, n, size, at, &planes)
	v.toPlanes(borrow(&t))
	runtime.KeepAlive(&t)
	runtime.KeepAlive(&planes)
}

// behind returns where n places lie that are step apart; it goes on to a whole number
// of vectors.
func behind(n, lanes, step int) []int {
	list := make([]int, whole(n, lanes))
	for i := range list {
		list[i] = i * step
	}
	return list
}

// whole returns n, up to a multiple of the lanes.
func whole(n, lanes int) int { return (n + lanes - 1) / lanes * lanes }
