package igemm

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// block4 is what turn4 reads; igemmgen has the offsets.
type block4 struct {
	dst    unsafe.Pointer    // 0
	step   int               // 8, bytes that four columns take
	rows   [4]unsafe.Pointer // 16, the last one again where there are fewer
	blocks int               // 48, of 16 columns
	flip   uint64            // 56, the byte eight times
	pick   [16]byte          // 64, the bytes of four words that are kept
}

// fewVariant is one kernel that transposes up to four rows.
type fewVariant struct {
	level cpu.Level
	run   func(*block4)
}

// lastColumns is how many columns a row must have behind those that a kernel turns: it
// writes beyond them.
const lastColumns = 12

// turnFew is Turn for the first columns of up to four rows, without a gap in dst; it
// returns how many.
func turnFew(dst, src []byte, srcStep, rows, cols int, flip byte) int {
	v := cpu.Pick(fewVariants, func(v *fewVariant) cpu.Level { return v.level })
	if v == nil || rows == 0 || rows > 4 || cols < 16+lastColumns {
		return 0
	}
	b := block4{dst: unsafe.Pointer(&dst[0]), step: 4 * rows, blocks: (cols - lastColumns) / 16, flip: uint64(flip) * 0x0101010101010101}
	_, _ = dst[rows*cols-1], src[(rows-1)*srcStep+cols-1]
	for r := range b.rows {
		b.rows[r] = unsafe.Pointer(&src[min(r, rows-1)*srcStep])
	}
	for i := range b.pick {
		b.pick[i] = byte(min(15, i/rows*4+i%rows))
	}
	p := uintptr(unsafe.Pointer(&b))
	// SAFETY: used during the call only, while b is alive; hidden from escape
	// analysis as in borrow.
	v.run(*(**block4)(unsafe.Pointer(&p)))
	runtime.KeepAlive(&b)
	return b.blocks * 16
}
