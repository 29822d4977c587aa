package igemm

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// Saturate cuts f to a range of whole numbers of at most 16 bits, then rounds it
// half to even; NaN becomes the lower end.
func Saturate(f, low, high float32) float32 {
	if !(f > low) {
		f = low
	}
	if f > high {
		f = high
	}
	// Added and taken off again, this leaves no bits for a fraction.
	const magic = 1.5 * (1 << 23)
	return math.Float32frombits(math.Float32bits(f+magic)) - magic
}

// Range is what a type of a byte can hold.
type Range struct{ Low, High float32 }

// The ranges of bytes.
var (
	Unsigned = Range{0, 255}
	Signed   = Range{-128, 127}
)

// Requantize writes sums * scales, rounded half to even, plus zero to dst, within
// the range of its type. There is one scale for each of them, or one for all.
func Requantize[T uint8 | int8](dst []T, sums []int32, scales []float32, zero float32) {
	l, r := requantizeU8, Unsigned
	if ^T(0) < 0 {
		l, r = requantizeI8, Signed
	}
	n, step := len(dst), 1
	if len(scales) == 1 {
		l, step = l+requantizeAllU8-requantizeU8, 0
	}
	sums = sums[:n]
	low, high := r.Low-zero, r.High-zero
	e := stretch{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), src: unsafe.Pointer(unsafe.SliceData(sums)), scales: unsafe.Pointer(unsafe.SliceData(scales)),
		scale: scales[0], low: low, high: high, zero: int32(zero),
	}
	for i := vectors(l, n, &e); i < n; i++ {
		dst[i] = T(int32(Saturate(float32(sums[i])*scales[i*step], low, high) + zero))
	}
}

// addProducts adds weight * (x - zero) to the sums; the bytes of x are flipped
// before where flip is Flip.
func addProducts(sums []int32, x []byte, flip byte, zero, weight int32) {
	l := addU8
	if flip != 0 { // a flipped byte is the signed one and 128
		l = addI8
	}
	e := stretch{dst: unsafe.Pointer(unsafe.SliceData(sums)), src: unsafe.Pointer(unsafe.SliceData(x)), zero: zero - int32(flip), weight: weight}
	for i := vectors(l, len(sums), &e); i < len(sums); i++ {
		sums[i] += weight * (int32(x[i]^flip) - zero)
	}
}

// block16 is what turn16 reads; igemmgen has the offsets.
type block16 struct {
	dst     unsafe.Pointer // 0
	dstStep int            // 8
	src     unsafe.Pointer // 16
	srcStep int            // 24
	flip    uint64         // 32, the byte eight times
}

// turnVariant is one kernel that transposes 16 x 16 bytes.
type turnVariant struct {
	level cpu.Level
	run   func(*block16)
}

// Turn writes the transpose of src, rows of cols bytes that lie srcStep apart, to
// rows of dst that lie dstStep apart, each byte flipped by flip. They must not overlap.
func Turn(dst []byte, dstStep int, src []byte, srcStep, rows, cols int, flip byte) {
	turn := cpu.Pick(turnVariants, func(v *turnVariant) cpu.Level { return v.level })
	if turn == nil || rows < 16 || cols < 16 {
		done := 0
		if dstStep == rows {
			done = turnFew(dst, src, srcStep, rows, cols, flip)
		}
		for r := range rows {
			for c, v := range src[r*srcStep+done : r*srcStep+cols] {
				dst[(done+c)*dstStep+r] = v ^ flip
			}
		}
		return
	}
	// The last blocks reach back over those before them.
	for c := 0; c < cols; c += 16 {
		c := min(c, cols-16)
		for r := 0; r < rows; r += 16 {
			r := min(r, rows-16)
			b := block16{
				dst: unsafe.Pointer(&dst[c*dstStep+r]), dstStep: dstStep, src: unsafe.Pointer(&src[r*srcStep+c]), srcStep: srcStep,
				flip: uint64(flip) * 0x0101010101010101,
			}
			p := uintptr(unsafe.Pointer(&b))
			// SAFETY: used during the call only, while b is alive; hidden from escape
			// analysis as in borrow.
			turn.run(*(**block16)(unsafe.Pointer(&p)))
			runtime.KeepAlive(&b)
		}
	}
}

// Bytes returns the memory of list as bytes: results narrower than the numbers
// that they are made of may take their place, from the first on.
func Bytes(list []int32) []byte {
	// SAFETY: an int32 is four bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
}

// Int8s returns bytes as signed ones.
func Int8s(list []byte) []int8 {
	// SAFETY: both are one byte.
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}
