// Package tree walks ensembles of decision trees. It knows nothing of operators:
// trees are flat lists of nodes, rows are lists of numbers, and what comes out are
// the numbers of the leaves that a row reaches.
//
// Rows lie in blocks of Lanes: feature after feature, in each one number of every
// row. Forests whose tests are all of order (<, <=, >, >=) are walked eight rows
// or eight trees at a time, so that the loads of one overlap with those of the
// others; the leaf that a row reaches does not depend on what is walked beside it.
package tree

import "slices"

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

// Number is what the features and thresholds are.
type Number interface{ float32 | float64 }

// Node is one node of the forest. A leaf has its number in Yes.
type Node[T Number] struct {
	Value    T
	Feature  int32
	Yes, No  int32
	Mode     Mode
	NaNIsYes bool // missing_value_tracks_true
	Members  []T  // ascending, of the mode Member
}

// Forest is an ensemble, checked by its maker: children and features are there,
// and no node leads back to itself.
//
// Concurrency: walks may run at the same time.
type Forest[T Number] struct {
	nodes []Node[T]
	roots []int32

	cells  [][2]uint64 // the packed form, none where a test is not one of order
	starts []uint32    // of the trees in cells, in bytes
	leaf   []int32     // by cell, the number of the leaf
	toNo   bool        // a NaN goes where +Inf goes
}

// New returns the forest of the trees that start at roots.
func New[T Number](nodes []Node[T], roots []int32) *Forest[T] {
	f := &Forest[T]{nodes: nodes, roots: roots}
	f.pack()
	return f
}

// Len returns the number of trees.
func (f *Forest[T]) Len() int { return len(f.roots) }

// Packed says, for a block of rows, whether the packed walk serves it; nan tells
// whether there is a NaN in x, and those that go where +Inf goes are made +Inf.
func (f *Forest[T]) Packed(x []T, nan bool) bool {
	if len(f.cells) == 0 || len(x) == 0 {
		return false
	}
	if !nan {
		return true
	}
	if f.toNo {
		infinite(x)
	}
	return f.toNo
}

// Block gives the leaves of one tree that the rows of a block reach.
func (f *Forest[T]) Block(tree int, x []T, packed bool, leaves *[Lanes]int32) {
	if packed {
		f.walkRows(tree, x, leaves)
		return
	}
	for lane := range leaves {
		leaves[lane] = f.walk(f.roots[tree], x[min(lane, len(x)):])
	}
}

// Trees gives the leaves that the first row of a block reaches in the trees from
// first on, as many as there are up to Lanes.
func (f *Forest[T]) Trees(first int, x []T, packed bool, leaves *[Lanes]int32) {
	if packed {
		f.walkTrees(first, x, leaves)
		return
	}
	for k, root := range f.roots[first:min(first+Lanes, len(f.roots))] {
		leaves[k] = f.walk(root, x)
	}
}

// walk goes from a node to a leaf, by the features at every Lanes-th place.
func (f *Forest[T]) walk(root int32, x []T) int32 {
	n := &f.nodes[root]
	for n.Mode != Leaf {
		if n.test(x[int(n.Feature)*Lanes]) {
			n = &f.nodes[n.Yes]
		} else {
			n = &f.nodes[n.No]
		}
	}
	return n.Yes
}

func (n *Node[T]) test(x T) bool {
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
