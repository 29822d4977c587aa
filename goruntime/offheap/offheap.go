// Package offheap maps and unmaps anonymous memory: the one source of all that
// is lent to Python, C, Arrow or ONNX Runtime.
//
// It keeps no books: arenas do. Memory is private, zeroed and page-aligned;
// blocks of HugePage bytes and more are aligned to it, with huge pages asked
// for, since a first touch by 4 KiB pages costs ten times as much. Under the
// race detector memory comes from the Go heap, which is all that it can see.
package offheap

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
)

const (
	// Page is the smallest unit that the system gives and takes.
	Page = 4 << 10
	// HugePage is the size and alignment of huge pages on amd64 and arm64.
	HugePage = 2 << 20
)

var mapped atomic.Int64

// Mapped returns the bytes that Map gave and Unmap did not get back.
func Mapped() int64 { return mapped.Load() }

// heap keeps the Go slices behind blocks under the race detector.
var heap struct {
	sync.Mutex // protects blocks
	blocks     map[unsafe.Pointer][]byte
}

// Round returns n rounded up to what Map gives: whole pages, also for large n. A
// huge page at the end that is used in part would be resident whole, up to twice
// what its owner counts.
func Round(n int) int { return (n + Page - 1) &^ (Page - 1) }

// Machine returns the bytes of memory that the machine has, swapped ones included.
var Machine = sync.OnceValue(func() int {
	var i unix.Sysinfo_t
	if unix.Sysinfo(&i) != nil {
		return math.MaxInt
	}
	return int((i.Totalram + i.Totalswap) * uint64(i.Unit))
})

// Map returns n bytes of zeroed memory; n is a result of Round.
//
// Ownership: the caller's until Unmap with the same length.
// Errors: errs.Memory where the system refuses.
func Map(n int) (unsafe.Pointer, error) {
	p, err := MapForever(n)
	if err == nil {
		mapped.Add(int64(n))
	}
	return p, err
}

// MapForever is Map for memory that is never given back, which Mapped does not
// count.
func MapForever(n int) (unsafe.Pointer, error) {
	if invariants.Race {
		return mapHeap(n), nil
	}
	if n < HugePage {
		return mmap(n)
	}
	p, err := mmap(n + HugePage)
	if err != nil {
		return nil, err
	}
	head := int(-uintptr(p) & (HugePage - 1))
	// SAFETY: the map is HugePage bytes longer than n, head is less than that.
	start := unsafe.Add(p, head)
	unmap(p, head)
	// SAFETY: as above.
	unmap(unsafe.Add(start, n), HugePage-head)
	// SAFETY: start is the start of n mapped bytes.
	_ = unix.Madvise(unsafe.Slice((*byte)(start), n), unix.MADV_HUGEPAGE) // a wish: refused where huge pages are off
	return start, nil
}

func mmap(n int) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, errs.New(errs.Memory, "the system refused %d bytes: %w", n, err)
	}
	return p, nil
}

// Unmap gives back memory that Map returned, with the same length.
func Unmap(p unsafe.Pointer, n int) {
	mapped.Add(-int64(n))
	if invariants.Race {
		heap.Lock()
		delete(heap.blocks, p)
		heap.Unlock()
		return
	}
	unmap(p, n)
}

func unmap(p unsafe.Pointer, n int) {
	if n > 0 {
		_ = unix.MunmapPtr(p, uintptr(n)) // fails only for a range that was never mapped
	}
}

func mapHeap(n int) unsafe.Pointer {
	b := make([]byte, n+64)
	// SAFETY: the slice is 64 bytes longer than n.
	p := unsafe.Pointer(&b[-uintptr(unsafe.Pointer(&b[0]))&63])
	heap.Lock()
	defer heap.Unlock()
	if heap.blocks == nil {
		heap.blocks = map[unsafe.Pointer][]byte{}
	}
	heap.blocks[p] = b
	return p
}
