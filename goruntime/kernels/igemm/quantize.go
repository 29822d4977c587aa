package igemm

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// stretch is what a loop over elements reads; igemmgen has the offsets.
type stretch struct {
	dst     unsafe.Pointer // 0
	src     unsafe.Pointer // 8
	n       int            // 16, whole vectors
	columns unsafe.Pointer // 24
	scales  unsafe.Pointer // 32
	base    unsafe.Pointer // 40
	scale   float32        // 48
	low     float32        // 52
	high    float32        // 56
	zero    int32          // 60
	weight  int32          // 64
}

// loop numbers the loops in the tables of the variants.
type loop int

const (
	toU8 loop = iota
	toI8
	fromU8
	fromI8
	toSpan
	toRescaled
	requantizeU8
	requantizeI8
	requantizeAllU8
	requantizeAllI8
	addU8
	addI8
)

// elementVariant is one implementation of the loops.
type elementVariant struct {
	level cpu.Level
	lanes int
	loops []func(*stretch)
}

// vectors runs a loop over whole vectors of n elements and returns how many
// elements that are: the callers do the others, to the same bits.
func vectors(l loop, n int, e *stretch) int {
	for i := range elementVariants {
		v := &elementVariants[i]
		if v.level > cpu.Best() {
			continue
		}
		if e.n = n / v.lanes; e.n > 0 {
			v.loops[l](hidden(e))
			runtime.KeepAlive(e) // live during the call: a stack that moves takes it along
		}
		return e.n * v.lanes
	}
	return 0
}

// hidden is borrow for stretches.
func hidden(e *stretch) *stretch {
	p := uintptr(unsafe.Pointer(e))
	// SAFETY: the pointer is used during the call only, while e is alive; as an
	// argument it is adjusted like any other when the stack moves.
	return *(**stretch)(unsafe.Pointer(&p))
}

// Span returns the least and the greatest number of x and 0; a NaN is none.
func Span(x []float32) (low, high float32) {
	var ends [2][16]float32
	p := uintptr(unsafe.Pointer(&ends))
	e := stretch{src: unsafe.Pointer(unsafe.SliceData(x))}
	// SAFETY: ends outlives the call and no loop keeps it; hidden from escape
	// analysis.
	e.dst = *(*unsafe.Pointer)(unsafe.Pointer(&p))
	done := vectors(toSpan, len(x), &e)
	for i := range ends[0] {
		low, high = min(low, ends[0][i]), max(high, ends[1][i])
	}
	runtime.KeepAlive(&ends)
	for _, f := range x[done:] {
		if f < low {
			low = f
		} else if f > high {
			high = f
		}
	}
	return low, high
}

// Parameters returns the scale and the zero point that quantize a range that
// holds 0 to uint8, as ONNX's DynamicQuantizeLinear has them; the scale for a
// range without extent is 1.
func Parameters(low, high float32) (scale float32, zero uint8) {
	scale = (high - low) / 255
	if scale == 0 {
		return 1, 0
	}
	return scale, uint8(int32(Saturate(-low/scale, 0, 255)))
}

// Quantize writes x / scale, rounded half to even, plus zero to dst, which is as
// long, within the range of its type.
func Quantize[T uint8 | int8](dst []T, x []float32, scale float32, zero T) {
	l, r := toU8, Unsigned
	if ^T(0) < 0 {
		l, r = toI8, Signed
	}
	z := float32(zero)
	low, high := r.Low-z, r.High-z
	e := stretch{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), src: unsafe.Pointer(unsafe.SliceData(x)), scale: scale, low: low, high: high, zero: int32(zero),
	}
	done := vectors(l, len(x), &e)
	for i, f := range x[done:] {
		dst[done+i] = T(int32(Saturate(f/scale, low, high) + z))
	}
}

// Dequantize writes (q - zero) * scale to dst, which is as long.
func Dequantize[T uint8 | int8](dst []float32, q []T, scale float32, zero T) {
	l := fromU8
	if ^T(0) < 0 {
		l = fromI8
	}
	e := stretch{dst: unsafe.Pointer(unsafe.SliceData(dst)), src: unsafe.Pointer(unsafe.SliceData(q)), scale: scale, zero: int32(zero)}
	done := vectors(l, len(q), &e)
	for i, v := range q[done:] {
		dst[done+i] = float32(int32(v)-int32(zero)) * scale
	}
}

// Rescale writes base + (sums - zero * columns) * (factor * scales) to dst,
// element by element; all are as long, and dst may be base.
func Rescale(dst []float32, sums, columns []int32, zero int32, factor float32, scales, base []float32) {
	n := len(dst)
	sums, columns, scales, base = sums[:n], columns[:n], scales[:n], base[:n]
	e := stretch{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), src: unsafe.Pointer(unsafe.SliceData(sums)), columns: unsafe.Pointer(unsafe.SliceData(columns)),
		scales: unsafe.Pointer(unsafe.SliceData(scales)), base: unsafe.Pointer(unsafe.SliceData(base)), scale: factor, zero: zero,
	}
	for i := vectors(toRescaled, n, &e); i < n; i++ {
		product := float32(sums[i]-zero*columns[i]) * (factor * scales[i])
		dst[i] = base[i] + product
	}
}
