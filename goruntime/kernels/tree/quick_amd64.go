//go:build !portable && !race

package tree

import (
	"unsafe"

	x86 "golang.org/x/sys/cpu"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// vectors reports whether the functions below may be called: they count leading zeros
// in vectors.
func vectors() bool { return cpu.Best() == cpu.AVX512 && x86.X86.HasAVX512CD }

// walkQuick is portableQuick.
//
//go:noescape
func walkQuick(trees *quickTree, n int, nodes *quickNode, values *float32, keys *uint32, sums *float32)

// walkDouble is portableDouble; the sums of the second block lie so many bytes behind those
// of the first.
//
//go:noescape
func walkDouble(trees *doubleTree, n int, nodes *doubleNode, values *float64, first, second *uint64, sums *float64, behind int)

// keysOfRows writes the keys of up to 16 rows of k float32s, which lie stride bytes
// apart, to keys [k][planes][16]. The other lanes are those of 0.
//
//go:noescape
func keysOfRows(keys *uint32, x unsafe.Pointer, stride, k, rows, planes int)

// keysOfColumns does so for the elements from offset, in bytes, on of k columns.
//
//go:noescape
func keysOfColumns(keys *uint32, columns *unsafe.Pointer, offset, k, rows, planes int)
