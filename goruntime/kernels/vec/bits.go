package vec

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// Bitwise is an operation on bits.
type Bitwise int

// The operations, in the order of the generated tables.
const (
	BitAnd Bitwise = iota
	BitOr
	BitXor
	bitwises
)

// Bits writes a o b to dst, which may be either. A is as long as dst, b is too, or is a
// byte that goes with every one.
func Bits(o Bitwise, dst, a, b []byte) {
	with := [4]byte{}
	if len(b) == 1 {
		with = [4]byte{b[0], b[0], b[0], b[0]}
	} else {
		_ = b[:len(dst)]
	}
	_ = a[:len(dst)]
	y := unsafe.Pointer(unsafe.SliceData(b))
	if len(b) == 1 {
		p := uintptr(unsafe.Pointer(&with))
		// SAFETY: with outlives the call and no kernel keeps it; hidden from escape
		// analysis as in borrow.
		y = *(*unsafe.Pointer)(unsafe.Pointer(&p))
	}
	done := 4 * bitVectors(o, unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(a)), y, len(dst)/4, len(b) == 1)
	runtime.KeepAlive(&with)
	for ; len(dst)-done >= 4; done += 4 {
		word := with[:]
		if len(b) != 1 {
			word = b[done : done+4]
		}
		binary.NativeEndian.PutUint32(dst[done:], o.of(binary.NativeEndian.Uint32(a[done:]), binary.NativeEndian.Uint32(word)))
	}
	for step := min(1, len(b)-1); done < len(dst); done++ {
		dst[done] = byte(o.of(uint32(a[done]), uint32(b[done*step])))
	}
}

// bitVectors computes whole vectors of n words and returns how many they had.
func bitVectors(o Bitwise, dst, a, b unsafe.Pointer, n int, single bool) int {
	v, form := chosen(), 0
	if single {
		form = 1
	}
	kernel, whole := v.bitwise[o][form], n/v.lanes
	if kernel == nil || whole == 0 {
		return 0
	}
	x := args{dst: dst, a: a, b: b, n: whole, rows: 1}
	kernel(borrow(&x))
	runtime.KeepAlive(&x)
	return whole * v.lanes
}

func (o Bitwise) of(x, y uint32) uint32 {
	switch o {
	case BitAnd:
		return x & y
	case BitOr:
		return x | y
	default:
		return x ^ y
	}
}
