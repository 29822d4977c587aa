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
}

// NewHeader returns a header of no lease, for FreeHeaders to take back.
func NewHeader() *Header {
	table.Lock()
	defer table.Unlock()
	if len(table.free) == 0 {
		p := mustMap(headersPerChunk * headerSize)
		for i := headersPerChunk - 1; i >= 0; i-- {
			// SAFETY: the chunk holds as many headers.
			h := (*Header)(unsafe.Add(p, i*headerSize))
			h.Slot = uint64(len(table.chunks)*headersPerChunk + i)
			table.free = append(table.free, h)
		}
		table.chunks = append(table.chunks, p)
	}
	h := table.free[len(table.free)-1]
	table.free = table.free[:len(table.free)-1]
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
	for _, p := range table.chunks {
		for i := range headersPerChunk {
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
