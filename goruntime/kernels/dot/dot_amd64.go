//go:build !portable && !race

package dot

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// block is what the kernel reads; all steps are in bytes.
type block struct {
	x     unsafe.Pointer // 0, rows of float32s
	xStep int            // 8
	rows  int            // 16, one at least
	y     unsafe.Pointer // 24, rows of factors
	yStep int            // 32
	count int            // 40, of these rows, one at least
	out   unsafe.Pointer // 48
	whole int            // 56, lanes that all have a product
	tail  unsafe.Pointer // 64, a mask of the last ones, nil where there are none
	bits  int            // 72, the mask as bits
}

// sums2 is portable for two rows of factors at a time.
//
//go:noescape
func sums2(b *block)

// sums2by8 is sums2 by vectors of eight numbers.
//
//go:noescape
func sums2by8(b *block)

// tails holds, for n products, a mask of the first n lanes.
var tails = func() (t [lanes][lanes]int32) {
	for n := range t {
		for i := range n {
			t[n][i] = -1
		}
	}
	return t
}()

func (f *Factors) sums(out []float64, x []float32, rows, step int) {
	best := cpu.Best()
	if best < cpu.AVX2 {
		f.portable(out, x, rows, step)
		return
	}
	b := block{
		x: unsafe.Pointer(unsafe.SliceData(x)), xStep: 4 * step, rows: rows,
		y: unsafe.Pointer(unsafe.SliceData(f.list)), yStep: 8 * f.padded, count: f.rows,
		out: unsafe.Pointer(unsafe.SliceData(out)), whole: f.n / lanes,
	}
	if n := f.n % lanes; n > 0 {
		b.tail, b.bits = unsafe.Pointer(&tails[n]), 1<<n-1
	}
	if best >= cpu.AVX512 {
		sums2by8(&b)
		return
	}
	sums2(&b)
}
