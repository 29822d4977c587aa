package vec

import (
	"runtime"
	"unsafe"
)

// Weigh writes the sum of some rows of src, each times its weight, to dst. Rows begin step
// numbers apart and are as long as dst at least; there is one at least, and a weight for
// each. Products and sums are rounded one by one, in the order that rows names them.
func Weigh(dst, src []float32, step int, rows []int32, weights []float32) {
	if len(dst) == 0 {
		return
	}
	for _, r := range rows {
		_ = src[int(r)*step:][:len(dst)]
	}
	_ = weights[:len(rows)]
	v := chosen()
	a := newArgs(dst, dst, v.lanes)
	a.a, a.b, a.c = first(src), first(weights), unsafe.Pointer(unsafe.SliceData(rows))
	a.rows, a.step = len(rows), 4*step
	v.weigh(borrow(&a))
	runtime.KeepAlive(&a)
	runtime.KeepAlive(rows)
}

// weigh is the definition.
func (a *args) weigh() {
	dst := a.slice(a.dst)
	// SAFETY: there are as many rows and weights, and src has the rows.
	rows, weights := unsafe.Slice((*int32)(a.c), a.rows), unsafe.Slice((*float32)(a.b), a.rows)
	for k, r := range rows {
		// SAFETY: as above.
		src := a.slice(unsafe.Add(a.a, int(r)*a.step))
		for i, x := range src {
			if product := x * weights[k]; k == 0 {
				dst[i] = product
			} else {
				dst[i] += float32(product)
			}
		}
	}
}
