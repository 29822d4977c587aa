// Package tree walks ensembles of decision trees. It knows nothing of operators:
// trees are flat lists of nodes, rows are lists of numbers.
//
// Trees are visited in the order given, so sums come in one order whatever the
// rows or the threads. NaN goes where the node says, and else fails every test.
package tree

// Mode is the test of a node, true sends a row to Yes.
type Mode uint8

// The tests, x against the node's value.
const (
	Leaf Mode = iota
	LessEqual
	Less
	GreaterEqual
	Greater
	Equal
	NotEqual
)

// Node is one node of the forest. A leaf has its weights at [Yes, No) of
// Forest.Weights.
type Node[T float32 | float64] struct {
	Value    T
	Feature  int32
	Yes, No  int32
	Mode     Mode
	NaNIsYes bool // missing_value_tracks_true
}

// Weight is what a leaf gives to a target.
type Weight[T float32 | float64] struct {
	Target int32
	Value  T
}

// Forest is an ensemble; Roots are the first nodes of its trees.
type Forest[T float32 | float64] struct {
	Nodes   []Node[T]
	Roots   []int32
	Weights []Weight[T]
	Simple  bool // all tests are LessEqual and no NaN is tracked
}

// Leaf returns the leaf that a row of features reaches from root.
func (f *Forest[T]) Leaf(root int32, x []T) *Node[T] {
	n := &f.Nodes[root]
	if f.Simple {
		for n.Mode != Leaf {
			if x[n.Feature] <= n.Value {
				n = &f.Nodes[n.Yes]
			} else {
				n = &f.Nodes[n.No]
			}
		}
		return n
	}
	for n.Mode != Leaf {
		if n.test(x[n.Feature]) {
			n = &f.Nodes[n.Yes]
		} else {
			n = &f.Nodes[n.No]
		}
	}
	return n
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
	default:
		return x != n.Value
	}
}
