package tree

import (
	"math"
	"unsafe"
)

// Wide is how many rows a block of keys of float32s holds.
const Wide = 16

// maxFeatures is up to how many features rows of float32s have: with two keys each they
// are numbered by 16 bits, in units of 8 bytes.
const maxFeatures = 4096

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
// x on, to a block [k][planes][Wide]; see Forest.Planes. The other lanes are those of 0
// or anything.
func Rows32(keys []uint32, x unsafe.Pointer, k, rows, planes int) {
	switch {
	case k == 0:
	case vectors():
		keysOfRows(unsafe.SliceData(keys), x, 4*k, k, rows, planes)
	default:
		// SAFETY: there are as many rows from x on.
		for i, v := range unsafe.Slice((*float32)(x), rows*k) {
			putKeys(keys[i%k*planes*Wide:], i/k, planes, v)
		}
	}
}

// Columns32 does the same for the rows from first on of columns of float32s.
func Columns32(keys []uint32, columns []unsafe.Pointer, first, rows, planes int) {
	switch {
	case len(columns) == 0:
	case vectors():
		keysOfColumns(unsafe.SliceData(keys), unsafe.SliceData(columns), 4*first, len(columns), rows, planes)
	default:
		for c, p := range columns {
			// SAFETY: the column has as many elements.
			for lane, v := range unsafe.Slice((*float32)(p), first+rows)[first:] {
				putKeys(keys[c*planes*Wide:], lane, planes, v)
			}
		}
	}
}

// putKeys writes the keys of one number.
func putKeys(keys []uint32, lane, planes int, v float32) {
	keys[lane] = Key32(v)
	if planes > 1 {
		keys[Wide+lane] = keys[lane]
		if v != v {
			keys[Wide+lane] = 0
		}
	}
}

// bound returns the key of the greatest number that goes to the first child of a node that
// is packed.
func (n *Node) bound() uint64 {
	v := n.Value + 0 // -0 is 0, which no number equal to it is above
	if n.Mode == Less || n.Mode == GreaterEqual {
		v = math.Nextafter(v, math.Inf(-1))
	}
	return Key(v)
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
