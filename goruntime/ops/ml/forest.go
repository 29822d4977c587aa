package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The attributes that describe the nodes of TreeEnsembleRegressor and
// TreeEnsembleClassifier.
var nodeAttrs = op.Attrs(op.Strings("nodes_modes"), op.Ints("nodes_treeids"), op.Ints("nodes_nodeids"), op.Ints("nodes_featureids"),
	op.Floats("nodes_values"), op.Ints("nodes_truenodeids"), op.Ints("nodes_falsenodeids"), op.Floats("nodes_hitrates"),
	op.Ints("nodes_missing_value_tracks_true"))

var modes = map[string]tree.Mode{
	"LEAF": tree.Leaf, "BRANCH_LEQ": tree.LessEqual, "BRANCH_LT": tree.Less, "BRANCH_GTE": tree.GreaterEqual,
	"BRANCH_GT": tree.Greater, "BRANCH_EQ": tree.Equal, "BRANCH_NEQ": tree.NotEqual,
}

// numbers returns an attribute of floats, or the tensor that stands for it from
// version 3 on.
func numbers[T float32 | float64](a *op.Values, name string) []T {
	if tensorName := name + "_as_tensor"; a.Has(tensorName) {
		v := a.Tensor(tensorName)
		if f := toFloats[v.DType]; f != nil {
			wide := f(v)
			list := make([]T, len(wide))
			for i, x := range wide {
				list[i] = T(x)
			}
			return list
		}
	}
	list := make([]T, 0, len(a.Floats(name)))
	for _, x := range a.Floats(name) {
		list = append(list, T(x))
	}
	return list
}

var toFloats = [tensor.NumDTypes]func(*tensor.View) []float64{
	tensor.F32: widened[float32], tensor.F64: widened[float64],
}

func widened[T float32 | float64](v *tensor.View) []float64 {
	list := make([]float64, 0, v.Elements())
	for _, x := range tensor.Elems[T](v) {
		list = append(list, float64(x))
	}
	return list
}

// nodeKey names a node within the attributes.
type nodeKey struct{ tree, node int }

// leafWeights are the attributes that give weights to leaves, by their prefix:
// target_ or class_.
type leafWeights struct{ trees, nodes, ids []int }

// newForest builds the forest that the attributes describe; features is how
// many numbers a row has.
func newForest[T float32 | float64](a *op.Values, w leafWeights, weights []T, features int) (*tree.Forest[T], error) {
	trees, nodes, feature := a.Ints("nodes_treeids"), a.Ints("nodes_nodeids"), a.Ints("nodes_featureids")
	names, yes, no := a.Strs("nodes_modes"), a.Ints("nodes_truenodeids"), a.Ints("nodes_falsenodeids")
	values, missing := numbers[T](a, "nodes_values"), a.Ints("nodes_missing_value_tracks_true")
	n := len(trees)
	if len(nodes) != n || len(feature) != n || len(names) != n || len(yes) != n || len(no) != n || len(values) != n || (len(missing) != 0 && len(missing) != n) {
		return nil, errs.New(errs.Model, "the nodes_ attributes have %d, %d, %d, %d, %d, %d, %d and %d entries: they must be as many",
			n, len(nodes), len(feature), len(names), len(yes), len(no), len(values), len(missing))
	}
	if len(w.nodes) != len(w.trees) || len(w.ids) != len(w.trees) || len(weights) != len(w.trees) {
		return nil, errs.New(errs.Model, "the weights have %d trees, %d nodes, %d ids and %d values: they must be as many", len(w.trees), len(w.nodes), len(w.ids), len(weights))
	}
	f := &tree.Forest[T]{Nodes: make([]tree.Node[T], n), Simple: true}
	at, seen := make(map[nodeKey]int32, n), map[int]bool{}
	for i := range n {
		at[nodeKey{trees[i], nodes[i]}] = int32(i)
		if !seen[trees[i]] { // the first node listed of a tree is its root
			f.Roots, seen[trees[i]] = append(f.Roots, int32(i)), true
		}
	}
	for i := range n {
		mode, ok := modes[names[i]]
		if !ok {
			return nil, errs.New(errs.Unsupported, "node %d has the mode %q, which the specification does not name", i, names[i])
		}
		node := &f.Nodes[i]
		node.Mode, node.Value, node.Feature = mode, values[i], int32(feature[i])
		node.NaNIsYes = len(missing) > 0 && missing[i] != 0
		if mode == tree.Leaf {
			continue
		}
		f.Simple = f.Simple && mode == tree.LessEqual && !node.NaNIsYes
		var okYes, okNo bool
		node.Yes, okYes = at[nodeKey{trees[i], yes[i]}]
		node.No, okNo = at[nodeKey{trees[i], no[i]}]
		if !okYes || !okNo {
			return nil, errs.New(errs.Model, "node %d of tree %d refers to the nodes %d and %d, of which one is not there", nodes[i], trees[i], yes[i], no[i])
		}
		if feature[i] < 0 || feature[i] >= features {
			return nil, errs.New(errs.Shape, "node %d of tree %d tests the feature %d, a row has %d", nodes[i], trees[i], feature[i], features)
		}
	}
	if err := acyclic(f); err != nil {
		return nil, err
	}
	return f, attach(f, w, weights, at)
}

// acyclic refuses nodes that lead back to themselves: a walk must end.
func acyclic[T float32 | float64](f *tree.Forest[T]) error {
	state := make([]uint8, len(f.Nodes))
	for _, root := range f.Roots {
		stack := []int32{root}
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			n := &f.Nodes[i]
			if state[i] == 0 && n.Mode != tree.Leaf {
				state[i] = 1
				for _, next := range [2]int32{n.Yes, n.No} {
					switch state[next] {
					case 1:
						return errs.New(errs.Model, "node %d leads back to node %d: a tree has no cycle", i, next)
					case 0:
						stack = append(stack, next)
					}
				}
				continue
			}
			state[i] = 2
			stack = stack[:len(stack)-1]
		}
	}
	return nil
}

// attach gives each leaf its weights, in the order of the attributes.
func attach[T float32 | float64](f *tree.Forest[T], w leafWeights, weights []T, at map[nodeKey]int32) error {
	byLeaf := make(map[int32][]tree.Weight[T], len(weights))
	for i := range w.trees {
		leaf, ok := at[nodeKey{w.trees[i], w.nodes[i]}]
		if !ok {
			return errs.New(errs.Model, "weight %d belongs to node %d of tree %d, which is not there", i, w.nodes[i], w.trees[i])
		}
		byLeaf[leaf] = append(byLeaf[leaf], tree.Weight[T]{Target: int32(w.ids[i]), Value: weights[i]})
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Mode == tree.Leaf {
			n.Yes = int32(len(f.Weights))
			f.Weights = append(f.Weights, byLeaf[int32(i)]...)
			n.No = int32(len(f.Weights))
		}
	}
	return nil
}
