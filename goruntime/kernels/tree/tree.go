// Package tree walks ensembles of decision trees. It knows nothing of operators:
// trees are flat lists of nodes, rows are lists of numbers, and what comes out are
// the numbers of the leaves that a row reaches.
//
// Rows lie in blocks of Lanes: feature after feature, in each one number of every
// row, as a Key, and once more where Planes says so. Forests whose tests are all of
// order (<, <=, >, >=) are packed and walked eight rows or eight trees at a time,
// without a jump but at the end, so that the loads of one overlap with those of the
// others; the leaf that a row reaches does not depend on what is walked beside it. For
// rows of float32s there are two more forms, Narrow and, of small trees, Quick, over
// blocks of Wide rows as Key32; Double is Quick for weights of 64 bits.
package tree

import (
	"math"
	"slices"
)

// Lanes is how many rows a block holds, and how many trees Trees walks.
const Lanes = 8

// Mode is the test of a node, true sends a row to Yes.
type Mode uint8

// The tests, x against the node's value. A NaN fails all but NotEqual.
const (
	Leaf Mode = iota
	LessEqual
	Less
	GreaterEqual
	Greater
	Equal
	NotEqual
	Member // x is one of the node's members
)

// Node is one node of the forest. A leaf has its number in Yes.
type Node struct {
	Value    float64
	Feature  int32
	Yes, No  int32
	Mode     Mode
	NaNIsYes bool      // missing_value_tracks_true
	Members  []float64 // ascending, of the mode Member
}

// Key returns the form of x in a block: keys order as numbers do, with -0 before 0
// and every NaN the same, behind all numbers.
func Key(x float64) uint64 {
	if x != x {
		return nanKey
	}
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

const nanKey = math.MaxUint64 - 1

// number returns the number of a key.
func number(k uint64) float64 {
	if k == nanKey {
		return math.NaN()
	}
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}

// Forest is an ensemble, checked by its maker: children and features are there,
// and no node leads back to itself.
//
// Concurrency: walks may run at the same time.
type Forest struct {
	nodes []Node
	roots []int32

	cells  []cell   // the packed form, none where a test is not one of order
	starts []uint32 // of the trees in cells, in bytes
	rounds []int    // of two steps that lead to every leaf of a tree
	leaf   []int32  // by cell, the number of the leaf
	planes int      // of keys that a block has, see Planes
}

// New returns the forest of the trees that start at roots.
func New(nodes []Node, roots []int32) *Forest {
	f := &Forest{nodes: nodes, roots: roots, planes: 1}
	f.pack()
	return f
}

// Len returns the number of trees.
func (f *Forest) Len() int { return len(f.roots) }

// Leaves calls visit with the number of each leaf of a tree, once for each way to it
// that no other has gone.
func (f *Forest) Leaves(tree int, visit func(leaf int32)) {
	seen, stack := map[int32]bool{}, []int32{f.roots[tree]}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		if n := &f.nodes[i]; n.Mode == Leaf {
			visit(n.Yes)
		} else {
			stack = append(stack, n.Yes, n.No)
		}
	}
}

// Packed says whether the packed walk serves the forest.
func (f *Forest) Packed() bool { return len(f.cells) > 0 }

// Planes returns how many keys a block has for each number: [features][planes][lanes].
// Tests send NaN where the greatest numbers go, or where the smallest go; where some do
// the latter, each feature has a second key, in which NaN is 0.
func (f *Forest) Planes() int { return f.planes }

// plane returns which of a feature's keys an inner node tests.
func (n *Node) plane() int {
	if (n.Mode <= Less) == n.NaNIsYes {
		return 1
	}
	return 0
}

// Blocks gives the leaves of one tree that the rows of blocks reach, which lie side
// by side in x; there are Lanes leaves for each block.
func (f *Forest) Blocks(tree int, x []uint64, leaves []int32) {
	if f.Packed() && len(x) > 0 {
		f.walkRows(tree, x, leaves)
		return
	}
	size := len(x) / (len(leaves) / Lanes)
	for i := range leaves {
		leaves[i] = f.walk(f.roots[tree], x[i/Lanes*size:(i/Lanes+1)*size], i%Lanes)
	}
}

// Trees gives the leaves that the first row of a block reaches in at most Lanes
// trees from first on.
func (f *Forest) Trees(first int, x []uint64, leaves []int32) {
	if f.Packed() && len(x) > 0 {
		f.walkTrees(first, x, leaves)
		return
	}
	for k := range leaves {
		leaves[k] = f.walk(f.roots[first+k], x, 0)
	}
}

// walk goes from a node to a leaf, by the row in a lane of a block.
func (f *Forest) walk(root int32, x []uint64, lane int) int32 {
	n := &f.nodes[root]
	for n.Mode != Leaf {
		if n.test(number(x[int(n.Feature)*f.planes*Lanes+lane])) {
			n = &f.nodes[n.Yes]
		} else {
			n = &f.nodes[n.No]
		}
	}
	return n.Yes
}

func (n *Node) test(x float64) bool {
	if x != x && n.NaNIsYes {
		return true
	}
	switch n.Mode {
	case LessEqual:
		return x <= n.Value
	case Less:
		return x < n.Value
	case GreaterEqual:
		return x >= n.Value
	case Greater:
		return x > n.Value
	case Equal:
		return x == n.Value
	case Member:
		_, found := slices.BinarySearch(n.Members, x)
		return found && x == x
	default:
		return x != n.Value
	}
}
