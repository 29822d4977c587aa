package lease

import (
	"sync"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/offheap"
)

const headerSize = int(unsafe.Sizeof(Header{}))

const headersPerChunk = 1024

// table is where headers come from. Chunks are never given back.
var table struct {
	sync.Mutex // protects all below
	free       []*Header
	chunks     []unsafe.Pointer
	fresh      int // headers of the last chunk that nobody had: their pages are not touched
}

// NewHeader returns a header of no lease, for FreeHeaders to take back.
func NewHeader() *Header {
	table.Lock()
	defer table.Unlock()
	if n := len(table.free); n > 0 {
		h := table.free[n-1]
		table.free = table.free[:n-1]
		return h
	}
	if table.fresh == 0 {
		table.chunks = append(table.chunks, mustMap(headersPerChunk*headerSize))
		table.fresh = headersPerChunk
	}
	last, at := len(table.chunks)-1, headersPerChunk-table.fresh
	table.fresh--
	// SAFETY: the chunk holds as many headers.
	h := (*Header)(unsafe.Add(table.chunks[last], at*headerSize))
	h.Slot = uint64(last*headersPerChunk + at)
	return h
}

// FreeHeaders takes back headers whose leases are over and drained. Their state stays:
// no reference of the last generation is left, and the next one is another.
func FreeHeaders(list []*Header) {
	table.Lock()
	defer table.Unlock()
	table.free = append(table.free, list...)
}

// InUse returns how many headers are counted.
func InUse() int {
	table.Lock()
	defer table.Unlock()
	n := 0
	for i, p := range table.chunks {
		had := headersPerChunk
		if i == len(table.chunks)-1 {
			had -= table.fresh
		}
		for i := range had {
			// SAFETY: the chunk holds as many headers.
			if (*Header)(unsafe.Add(p, i*headerSize)).Counted() {
				n++
			}
		}
	}
	return n
}

func mustMap(n int) unsafe.Pointer {
	p, err := offheap.MapForever(n)
	if err != nil {
		invariants.Bug("no memory for %d bytes of lease headers: %v", n, err)
	}
	return p
}
