//go:build !portable && !race

package dot

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// rows16 is portable for n rows of products.
//
//go:noescape
func rows16(x, y unsafe.Pointer, n int) float64

func rows(x, y []float32) float64 {
	if cpu.Best() < cpu.AVX2 || len(x) == 0 {
		return portable(x, y)
	}
	return rows16(unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y)), len(x)/lanes)
}
