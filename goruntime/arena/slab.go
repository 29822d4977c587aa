package arena

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/offheap"
)

// slab is a map that small blocks of one class are carved from.
type slab struct {
	data  unsafe.Pointer
	bytes int
	class int
	used  int      // blocks that are live, lent or free
	spare []uint32 // offsets of blocks that were evicted, in units of minBlock
	next  int      // offset of what was never carved
	at    int      // index in store.slabs of its class
}

const slabBytes = 64 << 10

// carve gives b a piece of a slab.
func (s *store) carve(b *block) error {
	list := s.slabs[b.class]
	if len(list) == 0 {
		p, err := offheap.Map(slabBytes)
		if err != nil {
			return err
		}
		s.st.SystemAllocations++
		list = append(list, &slab{data: p, bytes: slabBytes, class: b.class})
		s.slabs[b.class] = list
	}
	sl := list[len(list)-1]
	at := sl.next
	if k := len(sl.spare); k > 0 {
		at = int(sl.spare[k-1]) * minBlock
		sl.spare = sl.spare[:k-1]
	} else {
		sl.next += b.bytes
	}
	sl.used++
	// SAFETY: at is the offset of a piece inside the slab.
	b.data, b.slab = unsafe.Add(sl.data, at), sl
	if len(sl.spare) == 0 && sl.next+b.bytes > sl.bytes {
		s.slabs[b.class] = list[:len(list)-1]
		sl.at = -1
	} else {
		sl.at = len(list) - 1
	}
	return nil
}

// uncarve gives the piece of b back to its slab, and the slab to the system
// when it was the last.
func (s *store) uncarve(b *block) {
	sl := b.slab
	b.slab = nil
	sl.used--
	if sl.used > 0 {
		sl.spare = append(sl.spare, uint32((uintptr(b.data)-uintptr(sl.data))/minBlock))
		if sl.at < 0 {
			sl.at = len(s.slabs[sl.class])
			s.slabs[sl.class] = append(s.slabs[sl.class], sl)
		}
		return
	}
	if sl.at >= 0 {
		list := s.slabs[sl.class]
		last := list[len(list)-1]
		list[sl.at], last.at = last, sl.at
		s.slabs[sl.class] = list[:len(list)-1]
	}
	offheap.Unmap(sl.data, sl.bytes)
	s.st.SystemReleases++
}
