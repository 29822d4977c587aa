// Package cast converts many numbers from one type to another, each as Go converts it
// and, for the 16-bit floats, as package tensor does: to the nearest, halves to even.
// Whole vectors are converted by vectors where the processor has an instruction for the
// pair, the rest one by one, with the same bits. Nothing is allocated.
package cast

//go:generate go run ../../internal/gen/castgen .

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// pair is the types of a conversion.
type pair int

// The pairs, in the order of the tables of kernels.
const (
	halfFloat pair = iota
	floatHalf
	brainFloat
	floatBrain
	floatDouble
	doubleFloat
	intFloat
	floatInt
	longFloat
	floatLong
	longDouble
	doubleLong
	intLong
	longInt
	floatByte
	pairs
)

// kernel converts n whole vectors.
type kernel func(dst, src unsafe.Pointer, n int)

// run hides from escape analysis that the kernel, which keeps neither, gets dst and src.
// Inlined, the compiler would see nothing that reads or writes them.
//
//go:noinline
func (k kernel) run(dst, src unsafe.Pointer, n int) {
	d, s := uintptr(dst), uintptr(src)
	// SAFETY: nothing moves the stack before the kernel, which does not grow it.
	k(*(*unsafe.Pointer)(unsafe.Pointer(&d)), *(*unsafe.Pointer)(unsafe.Pointer(&s)), n)
	runtime.KeepAlive(dst)
	runtime.KeepAlive(src)
}

// variant is the kernels of one instruction set, nil where it has none for a pair.
type variant struct {
	level   cpu.Level
	lanes   int // numbers of a vector
	kernels [pairs]kernel
}

// chosen returns the kernels of this processor, nil for none.
func chosen() *variant { return cpu.Pick(variants, func(v *variant) cpu.Level { return v.level }) }

// vectors converts whole vectors and returns how many numbers they had.
func vectors[D, S any](p pair, dst []D, src []S) int { return vectorsBy(chosen(), p, dst, src) }

func vectorsBy[D, S any](v *variant, p pair, dst []D, src []S) int {
	if v == nil || v.kernels[p] == nil || len(dst) < v.lanes {
		return 0
	}
	n := len(dst) / v.lanes
	_ = src[:len(dst)]
	v.kernels[p].run(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), n)
	return n * v.lanes
}

// Half is a 16-bit float.
type Half interface {
	tensor.Half | tensor.BFloat16
	Float32() float32
}

// Widen writes the value of each half to dst, which is as long.
func Widen[H Half](dst []float32, src []H) {
	p := halfFloat
	if _, brain := any(H(0)).(tensor.BFloat16); brain {
		p = brainFloat
	}
	for i := vectors(p, dst, src); i < len(dst); i++ {
		dst[i] = src[i].Float32()
	}
}

// Narrow writes each number of src, rounded to a half, to dst, which is as long.
func Narrow[H Half](dst []H, src []float32) {
	if to, brain := any(dst).([]tensor.BFloat16); brain {
		for i := vectors(floatBrain, to, src); i < len(to); i++ {
			to[i] = tensor.BFloat16Of(src[i])
		}
		return
	}
	to := any(dst).([]tensor.Half)
	for i := vectors(floatHalf, to, src); i < len(to); i++ {
		to[i] = tensor.HalfOf(src[i])
	}
}

// Number is what Numbers converts.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Numbers converts each number of src as Go does to dst, which is as long. Floats beyond
// an integer type give what the processor gives.
func Numbers[D, S Number](dst []D, src []S) {
	i := 0
	if p, ok := pairOf[D, S](); ok {
		i = vectors(p, dst, src)
	}
	for ; i < len(dst); i++ {
		dst[i] = D(src[i])
	}
}

// Low converts each number of src to a 64-bit integer, of which dst, as long, gets the
// low bits.
func Low[D, S Number](dst []D, src []S) {
	i := 0
	var d D
	var s S
	if _, float := any(s).(float32); float && unsafe.Sizeof(d) == 1 {
		i = vectors(floatByte, dst, src)
	}
	for ; i < len(dst); i++ {
		dst[i] = D(int64(src[i]))
	}
}

// pairOf returns the pair of two types, where kernels know it.
func pairOf[D, S Number]() (p pair, ok bool) {
	var d D
	switch any(S(0)).(type) {
	case float32:
		switch any(d).(type) {
		case float64:
			return floatDouble, true
		case int32:
			return floatInt, true
		case int64:
			return floatLong, true
		}
	case float64:
		switch any(d).(type) {
		case float32:
			return doubleFloat, true
		case int64:
			return doubleLong, true
		}
	case int32:
		switch any(d).(type) {
		case float32:
			return intFloat, true
		case int64:
			return intLong, true
		}
	case int64:
		switch any(d).(type) {
		case float32:
			return longFloat, true
		case float64:
			return longDouble, true
		case int32:
			return longInt, true
		}
	}
	return 0, false
}
