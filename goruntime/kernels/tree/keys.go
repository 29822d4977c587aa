package tree

import (
	"math"
	"unsafe"
)

// Wide is how many rows a block of keys of float32s holds.
const Wide = 16

// maxFeatures is up to how many features rows of float32s have.
const maxFeatures = 8192

// Key32 is the form of a float32 in a block: it orders as Key does.
func Key32(x float32) uint32 {
	if x != x {
		return nan32
	}
	b := math.Float32bits(x)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

const nan32 = math.MaxUint32

// Rows32 writes the keys of up to Wide rows of k float32s, which lie side by side from
// x on, to a block [k][Wide], and tells whether one is a NaN. The other lanes are
// those of 0 or anything.
func Rows32(keys []uint32, x unsafe.Pointer, k, rows int) (nan bool) {
	if k == 0 {
		return false
	}
	if vectors() {
		return keysOfRows(unsafe.SliceData(keys), x, 4*k, k, rows) != 0
	}
	// SAFETY: there are as many rows from x on.
	for i, v := range unsafe.Slice((*float32)(x), rows*k) {
		keys[i%k*Wide+i/k] = Key32(v)
		nan = nan || v != v
	}
	return nan
}

// Columns32 does the same for the rows from first on of columns of float32s.
func Columns32(keys []uint32, columns []unsafe.Pointer, first, rows int) (nan bool) {
	if len(columns) == 0 {
		return false
	}
	if vectors() {
		return keysOfColumns(unsafe.SliceData(keys), unsafe.SliceData(columns), 4*first, len(columns), rows) != 0
	}
	for c, p := range columns {
		// SAFETY: the column has as many elements.
		for lane, v := range unsafe.Slice((*float32)(p), first+rows)[first:] {
			keys[c*Wide+lane] = Key32(v)
			nan = nan || v != v
		}
	}
	return nan
}

// bound32 returns the key of the greatest float32 that goes to the first child of a
// node that was packed.
func (n *Node) bound32() uint32 {
	v := n.Value + 0 // -0 is 0, which no number equal to it is above
	t := float32(v)
	strict := n.Mode == Less || n.Mode == GreaterEqual
	if float64(t) > v || strict && float64(t) == v {
		t = math.Nextafter32(t, float32(math.Inf(-1)))
	}
	return Key32(t)
}

// order returns the children of a node that was packed, the one for small numbers first.
func (n *Node) order() (first, second int32) {
	if n.Mode == Greater || n.Mode == GreaterEqual {
		return n.No, n.Yes
	}
	return n.Yes, n.No
}
