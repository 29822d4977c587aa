package tree

import (
	"math"
	"unsafe"
)

// narrow is a node of the form for float32s: a key above the node's goes to the cell
// behind next, all else to next. A leaf leads to itself, whatever the number is.
type narrow struct {
	key     uint32
	feature uint16 // in units of 8 bytes, of the keys of Wide rows
	next    uint16 // of the cells of the tree
}

// SAFETY: only the size is taken.
const narrowBytes = unsafe.Sizeof(narrow{})

// Narrow is a forest for rows of float32s, half as large as the general one: it walks
// blocks of Wide rows.
//
// Concurrency: walks may run at the same time.
type Narrow struct {
	f      *Forest
	cells  []narrow
	starts []int
	leaf   []int32 // by cell, the number of the leaf
}

// Narrow returns the form of the forest for float32s; nil where a test is not one of
// order, or a tree or the number of features is too large.
func (f *Forest) Narrow() *Narrow {
	if !f.Packed() {
		return nil
	}
	n := &Narrow{f: f}
	for t := range f.starts {
		if !n.add(t) {
			return nil
		}
	}
	if len(n.cells) == 0 {
		return nil
	}
	return n
}

// add appends the cells of a tree, in the order of the packed form.
func (n *Narrow) add(tree int) bool {
	first, queue := len(n.cells), []int32{n.f.roots[tree]}
	n.starts = append(n.starts, first)
	for k := 0; k < len(queue); k++ {
		node := &n.f.nodes[queue[k]]
		if len(queue) > math.MaxUint16-1 || node.Feature >= maxFeatures {
			return false
		}
		if node.Mode == Leaf {
			n.cells, n.leaf = append(n.cells, narrow{key: math.MaxUint32, next: uint16(k)}), append(n.leaf, node.Yes)
			continue
		}
		n.cells = append(n.cells, narrow{node.bound32(), uint16(int(node.Feature)*n.f.planes+node.plane()) * (Wide * 4 / 8), uint16(len(queue))})
		n.leaf = append(n.leaf, -1)
		small, great := node.order()
		queue = append(queue, small, great)
	}
	return true
}

// Blocks gives the leaves of one tree that the rows of blocks reach, which lie side by
// side in keys; there are Wide leaves for each block.
func (n *Narrow) Blocks(tree int, keys []uint32, leaves []int32) {
	blocks := len(leaves) / Wide
	cells, leaf := n.cells[n.starts[tree]:], n.leaf[n.starts[tree]:]
	// SAFETY: the number of a cell lies in the memory of its leaf until it is looked up.
	at := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(leaves))), len(leaves))
	walkNarrow(unsafe.SliceData(cells), unsafe.SliceData(keys), unsafe.SliceData(at), blocks, 4*len(keys)/blocks, n.f.rounds[tree])
	for k, i := range at {
		leaves[k] = leaf[i]
	}
}

// portableNarrow is the definition of walkNarrow: the rows of blocks, which lie stride
// bytes apart from keys on, go from the first cell to leaves, whose cells at tells. No
// leaf is more than 2*rounds steps away.
func portableNarrow(cells *narrow, keys, at *uint32, blocks, stride, _ int) {
	// SAFETY: at has room for every row.
	list := unsafe.Slice(at, blocks*Wide)
	for i := range list {
		// SAFETY: a block has a number for every lane.
		x := unsafe.Add(unsafe.Pointer(keys), i/Wide*stride+i%Wide*4)
		cell := uint32(0)
		for {
			// SAFETY: cell is one of the tree.
			c := (*narrow)(unsafe.Add(unsafe.Pointer(cells), uintptr(cell)*narrowBytes))
			next := uint32(c.next)
			// SAFETY: the features of all nodes are in the block, by the maker's promise.
			if *(*uint32)(unsafe.Add(x, int(c.feature)*8)) > c.key {
				next++
			}
			if next == cell {
				break
			}
			cell = next
		}
		list[i] = cell
	}
}
