package tree

import (
	"math"
	"unsafe"
)

// cell is a node of the packed form: x > value goes to the cell after next, all
// else to next. A leaf leads to itself, whatever x is but for a NaN.
type cell[T Number] struct {
	value        T
	offset, next uint32 // in bytes, of the feature in a block and of the cell
}

// cellBytes is the distance of cells, for either type of number.
const cellBytes = 16

// pack lays the trees out breadth first, siblings beside each other. A test of
// another kind than <= is turned into one: x < v is x <= (the number below v), and
// > and >= change the children's places, which is right for all but a NaN.
func (f *Forest[T]) pack() {
	f.toNo = true
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.Mode == Leaf {
			continue
		}
		strict := n.Mode == Less || n.Mode == GreaterEqual
		if n.Mode > Greater || n.Value != n.Value || strict && math.IsInf(float64(n.Value), -1) {
			return
		}
		f.toNo = f.toNo && n.Mode <= Less && !n.NaNIsYes && !math.IsInf(float64(n.Value), 1)
	}
	if 2*len(f.nodes)+len(f.roots) > math.MaxUint32/cellBytes {
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
func (f *Forest[T]) packTree(root int32) bool {
	f.starts = append(f.starts, uint32(len(f.cells)*cellBytes))
	first := len(f.cells)
	queue := []int32{root}
	f.cells, f.leaf = append(f.cells, [2]uint64{}), append(f.leaf, -1)
	for k := 0; k < len(queue); k++ {
		n := &f.nodes[queue[k]]
		// SAFETY: a cell takes at most cellBytes.
		c := (*cell[T])(unsafe.Pointer(&f.cells[first+k]))
		if n.Mode == Leaf {
			*c = cell[T]{value: T(math.Inf(1)), next: uint32((first + k) * cellBytes)}
			f.leaf[first+k] = n.Yes
			continue
		}
		*c = cell[T]{value: n.Value, offset: uint32(n.Feature) * Lanes * uint32(unsafe.Sizeof(n.Value)), next: uint32((first + len(queue)) * cellBytes)}
		if n.Mode == Less || n.Mode == GreaterEqual {
			c.value = below(n.Value)
		}
		if n.Mode == Greater || n.Mode == GreaterEqual {
			queue = append(queue, n.No, n.Yes)
		} else {
			queue = append(queue, n.Yes, n.No)
		}
		f.cells, f.leaf = append(f.cells, [2]uint64{}, [2]uint64{}), append(f.leaf, -1, -1)
		if len(f.cells) > 2*len(f.nodes)+len(f.roots) {
			return false
		}
	}
	return true
}

// below returns the greatest number less than v.
func below[T Number](v T) T {
	switch x := any(v).(type) {
	case float32:
		return T(math.Nextafter32(x, float32(math.Inf(-1))))
	default:
		return T(math.Nextafter(float64(v), math.Inf(-1)))
	}
}

// infinite makes every NaN +Inf.
func infinite[T Number](x []T) {
	for i, v := range x {
		if v != v {
			x[i] = T(math.Inf(1))
		}
	}
}

// step returns the cell that follows cell i for the feature's number in one lane.
func step[T Number](cells, x unsafe.Pointer, i uint32) uint32 {
	// SAFETY: i is the offset of a cell of the forest.
	c := (*cell[T])(unsafe.Add(cells, i))
	next := c.next
	// SAFETY: the features of all nodes are in the block, by the maker's promise.
	if *(*T)(unsafe.Add(x, c.offset)) > c.value {
		next += cellBytes
	}
	return next
}

// walkRows walks the rows of a block down one tree.
func (f *Forest[T]) walkRows(tree int, block []T, leaves *[Lanes]int32) {
	base := unsafe.Pointer(unsafe.SliceData(f.cells))
	_ = block[Lanes-1]
	// SAFETY: the lanes are the first numbers of the block.
	x0, x1, x2, x3 := unsafe.Pointer(&block[0]), unsafe.Pointer(&block[1]), unsafe.Pointer(&block[2]), unsafe.Pointer(&block[3])
	x4, x5, x6, x7 := unsafe.Pointer(&block[4]), unsafe.Pointer(&block[5]), unsafe.Pointer(&block[6]), unsafe.Pointer(&block[7])
	a, b, c, d := f.starts[tree], f.starts[tree], f.starts[tree], f.starts[tree]
	e, g, h, i := a, a, a, a
	for moved := true; moved; {
		p, q, r, s := step[T](base, x0, a), step[T](base, x1, b), step[T](base, x2, c), step[T](base, x3, d)
		t, u, v, w := step[T](base, x4, e), step[T](base, x5, g), step[T](base, x6, h), step[T](base, x7, i)
		a, b, c, d = step[T](base, x0, p), step[T](base, x1, q), step[T](base, x2, r), step[T](base, x3, s)
		moved = (a^p)|(b^q)|(c^r)|(d^s) != 0
		e, g, h, i = step[T](base, x4, t), step[T](base, x5, u), step[T](base, x6, v), step[T](base, x7, w)
		moved = moved || (e^t)|(g^u)|(h^v)|(i^w) != 0
	}
	f.numbers([Lanes]uint32{a, b, c, d, e, g, h, i}, leaves, Lanes)
}

// walkTrees walks the first row of a block down several trees.
func (f *Forest[T]) walkTrees(first int, block []T, leaves *[Lanes]int32) {
	base, x := unsafe.Pointer(unsafe.SliceData(f.cells)), unsafe.Pointer(&block[0])
	var at [Lanes]uint32
	n := min(Lanes, len(f.starts)-first)
	for k := range at {
		at[k] = f.starts[first+min(k, n-1)]
	}
	a, b, c, d, e, g, h, i := at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]
	for moved := true; moved; {
		p, q, r, s := step[T](base, x, a), step[T](base, x, b), step[T](base, x, c), step[T](base, x, d)
		t, u, v, w := step[T](base, x, e), step[T](base, x, g), step[T](base, x, h), step[T](base, x, i)
		a, b, c, d = step[T](base, x, p), step[T](base, x, q), step[T](base, x, r), step[T](base, x, s)
		moved = (a^p)|(b^q)|(c^r)|(d^s) != 0
		e, g, h, i = step[T](base, x, t), step[T](base, x, u), step[T](base, x, v), step[T](base, x, w)
		moved = moved || (e^t)|(g^u)|(h^v)|(i^w) != 0
	}
	f.numbers([Lanes]uint32{a, b, c, d, e, g, h, i}, leaves, n)
}

func (f *Forest[T]) numbers(at [Lanes]uint32, leaves *[Lanes]int32, n int) {
	for k, i := range at[:n] {
		leaves[k] = f.leaf[i/cellBytes]
	}
}
