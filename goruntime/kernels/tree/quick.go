package tree

import (
	"math"
	"math/bits"
	"unsafe"
)

// mostLeaves is up to how many leaves a tree may have to be walked quickly.
const mostLeaves = 64

// Quick walks float32 rows down the trees of a forest all of whose trees are small.
// No row is led from node to node: every test of a tree is made for all rows, and takes
// from the rows that fail it the leaves on its left. The leftmost leaf that is left is
// the one that the row reaches (C. Lucchese and others, "QuickScorer", 2015). What a
// leaf gives is added to its target, tree after tree, as a walk alone would.
//
// Concurrency: walks may run at the same time.
type Quick struct {
	trees  []quickTree
	nodes  []quickNode
	values []float32 // of the leaves of each tree, 16, 32 or 64 of them
}

// quickTree is a tree: so many of the nodes and values that follow those of the trees
// before it.
type quickTree struct {
	nodes  uint32
	wide   uint32 // 0, 1 or 2: the tree has 16, 32 or 64 values
	target uint32 // in bytes, of the sums of 16 rows
}

// quickNode is a test: rows with a greater key than the node's keep the leaves in keep
// only. The first leaf of a tree is the highest bit of the first word.
type quickNode struct {
	key     uint32
	feature uint32 // in bytes, of the keys of 16 rows
	keep    [2]uint32
}

// Quick returns the quick form of the forest, each of whose leaves gives a value to one
// target; nil where a test is not one of order, where a tree is too large, or where the
// processor has no instructions for it.
func (f *Forest) Quick(leaf func(number int32) (target int, value float32)) *Quick {
	q := &Quick{}
	b := quickBuilder{
		f: f, leaf: func(number int32) (int, float64) {
			target, value := leaf(number)
			return target, float64(value)
		},
		test: func(n *Node, keep uint64) bool {
			feature := uint32(int(n.Feature)*f.planes+n.plane()) * Wide * 4
			q.nodes = append(q.nodes, quickNode{n.bound32(), feature, [2]uint32{uint32(keep >> 32), uint32(keep)}})
			return n.Feature < maxFeatures
		},
	}
	ok := b.build(func(nodes, target int, values []float64) {
		t := quickTree{nodes: uint32(nodes), target: uint32(target) * Wide * 4}
		size := Wide
		for ; size < len(values); size *= 2 {
			t.wide++
		}
		q.trees = append(q.trees, t)
		for _, v := range values {
			q.values = append(q.values, float32(v))
		}
		q.values = append(q.values, make([]float32, size-len(values))...)
	})
	if !ok {
		return nil
	}
	return q
}

// quickBuilder builds the trees of a quick form one after the other.
type quickBuilder struct {
	f    *Forest
	leaf func(number int32) (target int, value float64)
	test func(n *Node, keep uint64) bool // appends a node, and reports whether that may be

	tests, target int
	values        []float64 // of the leaves of the tree
}

// build walks the trees and calls finish with each, whose nodes were appended; it reports
// whether the forest may have the form.
func (b *quickBuilder) build(finish func(nodes, target int, values []float64)) bool {
	if !vectors() || len(b.f.cells) == 0 {
		return false
	}
	for _, root := range b.f.roots {
		b.tests, b.target, b.values = 0, 0, b.values[:0]
		if !b.visit(root, 0) || b.target >= math.MaxInt32/(Wide*4) {
			return false
		}
		finish(b.tests, b.target, b.values)
	}
	return true
}

// visit appends a node so deep in the tree and what is below it.
func (b *quickBuilder) visit(i int32, depth int) bool {
	n := &b.f.nodes[i]
	if n.Mode == Leaf {
		target, value := b.leaf(n.Yes)
		same := len(b.values) == 0 || target == b.target
		b.target, b.values = target, append(b.values, value)
		return same && len(b.values) <= mostLeaves
	}
	if depth == mostLeaves {
		return false
	}
	first, second := n.order()
	left := uint64(len(b.values))
	if !b.visit(first, depth+1) {
		return false
	}
	// The bits of the leaves before and behind those of the first child.
	keep := ^(^uint64(0) >> left) | ^uint64(0)>>len(b.values)
	b.tests++
	return b.test(n, keep) && b.visit(second, depth+1)
}

// Pays says whether so many rows are walked sooner together than each alone. A walk
// alone takes as long for a tree as so many tests of all.
func (q *Quick) Pays(rows int) bool {
	const tests = 16
	return rows*len(q.trees)*tests >= len(q.nodes)
}

// Add adds to sums [targets][16] what the leaves give that the rows of a block of keys
// [features][planes][Wide] reach.
func (q *Quick) Add(keys []uint32, sums []float32) {
	if len(q.trees) == 0 {
		return
	}
	walkQuick(unsafe.SliceData(q.trees), len(q.trees), unsafe.SliceData(q.nodes), unsafe.SliceData(q.values), unsafe.SliceData(keys), unsafe.SliceData(sums))
}

// portableQuick is the definition of walkQuick.
func portableQuick(q *Quick, keys []uint32, sums []float32) {
	nodes, values := q.nodes, q.values
	for _, t := range q.trees {
		size := Wide << t.wide
		for lane := range Wide {
			left := [2]uint32{^uint32(0), ^uint32(0)}
			for _, n := range nodes[:t.nodes] {
				if keys[n.feature/4+uint32(lane)] > n.key {
					left[0] &= n.keep[0]
					left[1] &= n.keep[1]
				}
			}
			sums[t.target/4+uint32(lane)] += values[leftmost(left)&(size-1)]
		}
		nodes, values = nodes[t.nodes:], values[size:]
	}
}

func leftmost(left [2]uint32) int {
	return bits.LeadingZeros64(uint64(left[0])<<32 | uint64(left[1]))
}
