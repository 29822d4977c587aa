package arena

import (
	"math/bits"

	"github.com/goruntime/goruntime/goruntime/offheap"
)

// find returns the free block of the smallest class from c on whose blocks n
// may take: a block serves requests down to half of its size.
func (s *store) find(c, n int) *block {
	for at := c; at <= c+steps && at < numClasses; {
		w := s.occupied[at/64] >> (at % 64)
		if w == 0 {
			at = (at/64 + 1) * 64
			continue
		}
		at += bits.TrailingZeros64(w)
		if at > c+steps || (at > c && n < classSize(at)/2) {
			return nil
		}
		return s.classes[at]
	}
	return nil
}

// link puts a block on the list of its class, and last on that of all free ones.
func (s *store) link(b *block) {
	s.st.Retained += int64(b.bytes)
	s.st.RetainedBlocks++
	b.below, b.above = s.classes[b.class], nil
	if b.below != nil {
		b.below.above = b
	}
	s.classes[b.class] = b
	s.occupied[b.class/64] |= 1 << (b.class % 64)
	b.older, b.newer = s.newest, nil
	if s.newest != nil {
		s.newest.newer = b
	} else {
		s.oldest = b
	}
	s.newest = b
	s.publish()
}

// unlink takes a block off both lists.
func (s *store) unlink(b *block) {
	s.st.Retained -= int64(b.bytes)
	s.st.RetainedBlocks--
	if b.above != nil {
		b.above.below = b.below
	} else {
		s.classes[b.class] = b.below
		if b.below == nil {
			s.occupied[b.class/64] &^= 1 << (b.class % 64)
		}
	}
	if b.below != nil {
		b.below.above = b.above
	}
	if b.older != nil {
		b.older.newer = b.newer
	} else {
		s.oldest = b.newer
	}
	if b.newer != nil {
		b.newer.older = b.older
	} else {
		s.newest = b.older
	}
	b.above, b.below, b.older, b.newer = nil, nil, nil, nil
	s.publish()
}

// evictTo gives free blocks back to the system, the least recently freed first,
// until no more than target bytes are retained. It returns the bytes.
func (s *store) evictTo(target int64) int64 {
	var n int64
	for s.st.Retained > target {
		b := s.oldest
		s.unlink(b)
		s.st.Evictions++
		n += int64(b.bytes)
		if b.slab != nil {
			s.uncarve(b)
		} else {
			offheap.Unmap(b.data, offheap.Round(b.bytes))
			s.st.SystemReleases++
		}
		b.data, b.state = nil, gone
		s.records = append(s.records, b)
	}
	return n
}
