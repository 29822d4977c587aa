package tree

import (
	"math/bits"
	"unsafe"
)

// Double is Quick for numbers of 64 bits: it walks two of the blocks of Lanes rows that the
// packed forest walks, and adds float64s.
//
// Concurrency: walks may run at the same time.
type Double struct {
	trees  []doubleTree
	nodes  []doubleNode
	values []float64 // of the leaves of each tree, and as many as registers or the tree have
}

// doubleTree is a tree, as quickTree.
type doubleTree struct {
	nodes  uint32
	values uint32 // in bytes
	target uint32 // in bytes, of the sums of Lanes rows
}

// inRegisters is how many values of a tree are looked up in registers.
const inRegisters = 16

// doubleNode is a test, as quickNode.
type doubleNode struct {
	key     uint64
	keep    uint64
	feature uint64 // in bytes, of the keys of Lanes rows
}

// Double returns the form of the forest for numbers of 64 bits, whose leaves each give a value to
// one target; nil where Quick would be.
func (f *Forest) Double(leaf func(number int32) (target int, value float64)) *Double {
	d := &Double{}
	b := quickBuilder{
		f: f, leaf: leaf,
		test: func(n *Node, keep uint64) bool {
			feature := uint64(int(n.Feature)*f.planes+n.plane()) * Lanes * uint64(keyBytes)
			d.nodes = append(d.nodes, doubleNode{n.bound(), keep, feature})
			return true
		},
	}
	ok := b.build(func(nodes, target int, values []float64) {
		size := max(inRegisters, len(values))
		d.trees = append(d.trees, doubleTree{uint32(nodes), uint32(8 * size), uint32(8 * Lanes * target)})
		d.values = append(append(d.values, values...), make([]float64, size-len(values))...)
	})
	if !ok {
		return nil
	}
	return d
}

// Pays says whether so many rows are walked sooner together than each alone, or in one
// block by the packed forest.
func (d *Double) Pays(rows int) bool {
	const tests = 15
	return rows*len(d.trees)*tests >= len(d.nodes)
}

// Add adds to sums [2][targets][Lanes] what the leaves give that the rows of two blocks of
// keys reach, of [features][planes][Lanes] each, which may be the same.
func (d *Double) Add(first, second []uint64, sums []float64) {
	if len(d.trees) == 0 {
		return
	}
	walkDouble(unsafe.SliceData(d.trees), len(d.trees), unsafe.SliceData(d.nodes), unsafe.SliceData(d.values),
		unsafe.SliceData(first), unsafe.SliceData(second), unsafe.SliceData(sums), len(sums)/2*8)
}

// portableDouble is the definition of walkDouble.
func portableDouble(d *Double, first, second []uint64, sums []float64) {
	for block, keys := range [][]uint64{first, second} {
		nodes, values := d.nodes, d.values
		for _, t := range d.trees {
			for lane := range Lanes {
				left := ^uint64(0)
				for _, n := range nodes[:t.nodes] {
					if keys[n.feature/8+uint64(lane)] > n.key {
						left &= n.keep
					}
				}
				sums[block*len(sums)/2+int(t.target/8)+lane] += values[bits.LeadingZeros64(left)]
			}
			nodes, values = nodes[t.nodes:], values[t.values/8:]
		}
	}
}
