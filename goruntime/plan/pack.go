package plan

import (
	"cmp"
	"slices"
)

// item is a range to be placed in the slab: a buffer or a workspace.
type item struct {
	bytes, first, last int
	offset             *int
}

// pack gives each execution buffer of known size, and each workspace, an offset
// in the slab: the largest first, each at the lowest place where nothing that
// lives at the same time lies (greedy by size, Y. Pisarchyk and J. Lee,
// "Efficient Memory Management for Deep Neural Net Inference", 2020).
func (b *builder) pack() {
	align := b.p.Align
	if align == 0 {
		align = 64
	}
	var items []item
	add := func(bytes, first, last int, offset *int) {
		items = append(items, item{(bytes + align - 1) / align * align, first, last, offset})
	}
	for i := range b.plan.Buffers {
		if bf := &b.plan.Buffers[i]; bf.Role == Execution && bf.Bytes != Unsized {
			add(bf.Bytes, bf.First, bf.Last, &bf.Offset)
		}
	}
	for i := range b.p.Steps {
		if w := b.p.Steps[i].Workspace; w > 0 {
			add(w, i, i, &b.plan.Workspace[i])
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(b.bytes, a.bytes) })
	var placed []item // ordered by offset
	for _, it := range items {
		at := 0
		for _, o := range placed {
			if o.last < it.first || it.last < o.first {
				continue
			}
			if at+it.bytes <= *o.offset {
				break
			}
			at = max(at, *o.offset+o.bytes)
		}
		*it.offset = at
		k, _ := slices.BinarySearchFunc(placed, at, func(o item, at int) int { return cmp.Compare(*o.offset, at) })
		placed = slices.Insert(placed, k, it)
		b.plan.Slab = max(b.plan.Slab, at+it.bytes)
	}
	b.plan.Peak = peak(items, len(b.p.Steps))
}

func peak(items []item, steps int) int {
	delta := make([]int, steps+2)
	for _, it := range items {
		delta[it.first] += it.bytes
		delta[it.last+1] -= it.bytes
	}
	live, top := 0, 0
	for _, d := range delta {
		live += d
		top = max(top, live)
	}
	return top
}
