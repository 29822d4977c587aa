package tree

import (
	"math"
	"math/bits"
	"unsafe"
)

// cell is a node of the packed form: a number above the key goes to the cell after
// next, all else to next. A leaf leads to itself, whatever the number is.
type cell struct {
	key          uint64
	offset, next uint32 // in bytes, of the feature in a block and of the cell
}

// SAFETY: only sizes are taken.
const cellBytes, keyBytes = unsafe.Sizeof(cell{}), unsafe.Sizeof(uint64(0))

// pack lays the trees out breadth first, siblings beside each other. A test of
// another kind than <= is turned into one: x < v is x <= (the number below v), and
// > and >= change the children's places. Where a NaN goes is a matter of its key.
func (f *Forest) pack() {
	planes := 1
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.Mode == Leaf {
			continue
		}
		strict := n.Mode == Less || n.Mode == GreaterEqual
		if n.Mode > Greater || n.Value != n.Value || strict && math.IsInf(n.Value, -1) || uintptr(n.Feature) > math.MaxUint32/2/Lanes/keyBytes {
			return
		}
		planes = max(planes, 1+n.plane())
	}
	f.planes = planes
	if uintptr(2*len(f.nodes)+len(f.roots)) > math.MaxUint32/cellBytes {
		return
	}
	for _, root := range f.roots {
		if !f.packTree(root) {
			f.cells, f.leaf = nil, nil
			return
		}
	}
}

// packTree appends the cells of one tree. A node that is reached in two ways has
// two cells: where that makes too many it gives up.
func (f *Forest) packTree(root int32) bool {
	first := len(f.cells)
	at := func(k int) uint32 { return uint32(uintptr(first+k) * cellBytes) }
	f.starts = append(f.starts, at(0))
	queue, depth, level := []int32{root}, 0, 1 // level is where the nodes of the next depth begin
	for k := 0; k < len(queue); k++ {
		if k == level {
			depth, level = depth+1, len(queue)
		}
		n := &f.nodes[queue[k]]
		if n.Mode == Leaf {
			f.cells, f.leaf = append(f.cells, cell{key: math.MaxUint64, next: at(k)}), append(f.leaf, n.Yes)
			continue
		}
		f.cells, f.leaf = append(f.cells, cell{n.bound(), uint32(int(n.Feature)*f.planes+n.plane()) * Lanes * uint32(keyBytes), at(len(queue))}), append(f.leaf, -1)
		if n.Mode == Greater || n.Mode == GreaterEqual {
			queue = append(queue, n.No, n.Yes)
		} else {
			queue = append(queue, n.Yes, n.No)
		}
		if first+len(queue) > 2*len(f.nodes)+len(f.roots) {
			return false
		}
	}
	f.rounds = append(f.rounds, max(1, (depth+1)/2))
	return true
}

// step returns the cell that follows cell i for the feature's number in one lane.
// Jumps would be predicted wrongly every other time: the borrow of a subtraction is
// the comparison.
func step(cells, x unsafe.Pointer, i uint32) uint32 {
	// SAFETY: i is the offset of a cell of the forest.
	c := (*cell)(unsafe.Add(cells, i))
	// SAFETY: the features of all nodes are in the block, by the maker's promise.
	_, above := bits.Sub64(c.key, *(*uint64)(unsafe.Add(x, c.offset)), 0)
	return c.next + uint32(-above)&uint32(cellBytes)
}

// portableLanes is the definition of walkLanes: the rows of so many blocks, which
// lie stride bytes apart from x on, go from the cell start to leaves, whose cells at
// tells. No leaf is more than 2*rounds steps away.
func portableLanes(cells, x unsafe.Pointer, at *uint32, blocks, stride, start, _ int) {
	// SAFETY: at has room for every row.
	list := unsafe.Slice(at, blocks*Lanes)
	for i := range list {
		list[i] = uint32(start)
		// SAFETY: a block has a number for every lane.
		portableWalk(cells, unsafe.Add(x, i/Lanes*stride+i%Lanes*int(keyBytes)), &list[i])
	}
}

// portableOne is the definition of walkOne: the first row of the block x goes from
// each cell in at to a leaf.
func portableOne(cells, x unsafe.Pointer, at *[Lanes]uint32) {
	for k := range at {
		portableWalk(cells, x, &at[k])
	}
}

func portableWalk(cells, x unsafe.Pointer, at *uint32) {
	for {
		next := step(cells, x, *at)
		if next == *at {
			return
		}
		*at = next
	}
}

// walkRows walks the rows of blocks, which lie side by side, down one tree.
func (f *Forest) walkRows(tree int, x []uint64, leaves []int32) {
	blocks := len(leaves) / Lanes
	// SAFETY: a cell's offset lies in the memory of its leaf until it is looked up.
	at := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(leaves))), len(leaves))
	// SAFETY: the forest has cells; the blocks have the numbers of all features.
	walkLanes(unsafe.Pointer(unsafe.SliceData(f.cells)), unsafe.Pointer(unsafe.SliceData(x)), unsafe.SliceData(at), blocks, len(x)/blocks*int(keyBytes), int(f.starts[tree]), f.rounds[tree])
	for k, i := range at {
		leaves[k] = f.leaf[i/uint32(cellBytes)]
	}
}

// walkTrees walks the first row of a block down several trees.
func (f *Forest) walkTrees(first int, block []uint64, leaves []int32) {
	var at [Lanes]uint32
	for k := range at {
		at[k] = f.starts[first+min(k, len(leaves)-1)]
	}
	// SAFETY: as in walkRows.
	walkOne(unsafe.Pointer(unsafe.SliceData(f.cells)), unsafe.Pointer(unsafe.SliceData(block)), &at)
	for k := range leaves {
		leaves[k] = f.leaf[at[k]/uint32(cellBytes)]
	}
}
