package lease

import (
	"sync"
	"sync/atomic"
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

// Cache keeps some free headers beside an arena, under the arena's lock, so that a
// lease in steady state asks the table for nothing.
type Cache []*Header

const cacheSize = 64

func (c *Cache) take() *Header {
	if n := len(*c); n > 0 {
		h := (*c)[n-1]
		*c = (*c)[:n-1]
		return h
	}
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

// Recycle takes back headers that were released. Their state stays: no reference of
// the last generation is left, and New begins the next.
func (c *Cache) Recycle(list []*Header) {
	n := min(len(list), cacheSize-len(*c))
	*c = append(*c, list[:n]...)
	give(list[n:])
}

// Close gives the headers back to the table.
func (c *Cache) Close() {
	give(*c)
	*c = nil
}

func give(list []*Header) {
	if len(list) == 0 {
		return
	}
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
			if uint32(atomic.LoadUint64(&(*Header)(unsafe.Add(p, i*headerSize)).State)) != 0 {
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
