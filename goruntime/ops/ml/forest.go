package ml

import (
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The attributes that describe the nodes of TreeEnsembleRegressor and
// TreeEnsembleClassifier.
var nodeAttrs = op.Attrs(op.Strings("nodes_modes"), op.Ints("nodes_treeids"), op.Ints("nodes_nodeids"), op.Ints("nodes_featureids"),
	op.Floats("nodes_values"), op.Ints("nodes_truenodeids"), op.Ints("nodes_falsenodeids"), op.Floats("nodes_hitrates"),
	op.Ints("nodes_missing_value_tracks_true"), op.Tensor("nodes_hitrates_as_tensor"), op.Tensor("nodes_values_as_tensor"),
	op.Floats("base_values"), op.Tensor("base_values_as_tensor"), op.String("post_transform", "NONE"))

var modes = map[string]tree.Mode{
	"LEAF": tree.Leaf, "BRANCH_LEQ": tree.LessEqual, "BRANCH_LT": tree.Less, "BRANCH_GTE": tree.GreaterEqual,
	"BRANCH_GT": tree.Greater, "BRANCH_EQ": tree.Equal, "BRANCH_NEQ": tree.NotEqual,
}

// numbers returns an attribute of floats, or the tensor that stands for it from
// version 3 on.
func numbers[T number](a *op.Values, name string) ([]T, error) {
	if tensorName := name + "_as_tensor"; a.Has(tensorName) {
		return tensorNumbers[T](a, tensorName)
	}
	list := make([]T, 0, len(a.Floats(name)))
	for _, x := range a.Floats(name) {
		list = append(list, T(x))
	}
	return list, nil
}

// tensorNumbers returns the elements of a tensor attribute, none where it is
// absent.
func tensorNumbers[T number](a *op.Values, name string) ([]T, error) {
	v := a.Tensor(name)
	if v == nil {
		return nil, nil
	}
	f := toFloats[v.DType]
	if f == nil {
		return nil, errs.New(errs.Type, "%s is %v, f16, f32 or f64 expected", name, v.DType)
	}
	wide := f(v)
	list := make([]T, len(wide))
	for i, x := range wide {
		list[i] = T(x)
	}
	return list, nil
}

var toFloats = [tensor.NumDTypes]func(*tensor.View) []float64{
	tensor.F32: widened(func(x float32) float64 { return float64(x) }), tensor.F64: widened(func(x float64) float64 { return x }),
	tensor.F16: widened(func(x tensor.Half) float64 { return float64(x.Float32()) }),
}

func widened[T any](wide func(T) float64) func(*tensor.View) []float64 {
	return func(v *tensor.View) []float64 {
		list := make([]float64, 0, v.Elements())
		for _, x := range tensor.Elems[T](v) {
			list = append(list, wide(x))
		}
		return list
	}
}

// nodeKey names a node within the attributes.
type nodeKey struct{ tree, node int }

// newForest builds the forest that the attributes describe, whose weights have
// attributes of this prefix: target_ or class_. Features is how many numbers a
// row has, targets how many ids there may be.
func newForest[T number](a *op.Values, prefix string, features, targets int) (*tree.Forest, *votes[T], error) {
	nodes, err := readNodes(a, features)
	if err != nil {
		return nil, nil, err
	}
	trees, ids := a.Ints("nodes_treeids"), a.Ints("nodes_nodeids")
	at, seen := make(map[nodeKey]int32, len(nodes)), map[int]bool{}
	var roots []int32
	for i := range nodes {
		key := nodeKey{trees[i], ids[i]}
		if _, twice := at[key]; twice {
			return nil, nil, errs.New(errs.Model, "node %d of tree %d is there twice", ids[i], trees[i])
		}
		at[key] = int32(i)
		if !seen[trees[i]] { // the first node listed of a tree is its root
			roots, seen[trees[i]] = append(roots, int32(i)), true
		}
	}
	if err := link(a, nodes, at); err != nil {
		return nil, nil, err
	}
	if err := acyclic(nodes, roots); err != nil {
		return nil, nil, err
	}
	v, err := attach[T](a, prefix, nodes, at, targets)
	if err != nil {
		return nil, nil, err
	}
	return tree.New(nodes, roots), v, nil
}

// readNodes reads the nodes but for their children.
func readNodes(a *op.Values, features int) ([]tree.Node, error) {
	trees, ids, feature := a.Ints("nodes_treeids"), a.Ints("nodes_nodeids"), a.Ints("nodes_featureids")
	names, yes, no, missing := a.Strs("nodes_modes"), a.Ints("nodes_truenodeids"), a.Ints("nodes_falsenodeids"), a.Ints("nodes_missing_value_tracks_true")
	values, err := numbers[float64](a, "nodes_values")
	if err != nil {
		return nil, err
	}
	n := len(trees)
	if len(ids) != n || len(feature) != n || len(names) != n || len(yes) != n || len(no) != n || len(values) != n || (len(missing) != 0 && len(missing) != n) {
		return nil, errs.New(errs.Model, "the nodes_ attributes have %d, %d, %d, %d, %d, %d, %d and %d entries: they must be as many",
			n, len(ids), len(feature), len(names), len(yes), len(no), len(values), len(missing))
	}
	nodes := make([]tree.Node, n)
	for i := range nodes {
		mode, ok := modes[names[i]]
		if !ok {
			return nil, errs.New(errs.Unsupported, "node %d has the mode %q, which the specification does not name", i, names[i])
		}
		if mode != tree.Leaf && (feature[i] < 0 || feature[i] >= features) {
			return nil, errs.New(errs.Shape, "node %d of tree %d tests the feature %d, a row has %d", ids[i], trees[i], feature[i], features)
		}
		nodes[i] = tree.Node{Mode: mode, Value: values[i], Feature: int32(feature[i]), NaNIsYes: len(missing) > 0 && missing[i] != 0}
	}
	return nodes, nil
}

// link sets the children.
func link(a *op.Values, nodes []tree.Node, at map[nodeKey]int32) error {
	trees, ids, yes, no := a.Ints("nodes_treeids"), a.Ints("nodes_nodeids"), a.Ints("nodes_truenodeids"), a.Ints("nodes_falsenodeids")
	for i := range nodes {
		n := &nodes[i]
		if n.Mode == tree.Leaf {
			continue
		}
		var okYes, okNo bool
		n.Yes, okYes = at[nodeKey{trees[i], yes[i]}]
		n.No, okNo = at[nodeKey{trees[i], no[i]}]
		if !okYes || !okNo {
			return errs.New(errs.Model, "node %d of tree %d refers to the nodes %d and %d, of which one is not there", ids[i], trees[i], yes[i], no[i])
		}
	}
	return nil
}

// acyclic refuses nodes that lead back to themselves: a walk must end.
func acyclic(nodes []tree.Node, roots []int32) error {
	state := make([]uint8, len(nodes))
	for _, root := range roots {
		stack := []int32{root}
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			n := &nodes[i]
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

// attach numbers the leaves and gives each its weights, in the order of the
// attributes.
func attach[T number](a *op.Values, prefix string, nodes []tree.Node, at map[nodeKey]int32, targets int) (*votes[T], error) {
	trees, ids, target := a.Ints(prefix+"treeids"), a.Ints(prefix+"nodeids"), a.Ints(prefix+"ids")
	values, err := numbers[T](a, prefix+"weights")
	if err != nil {
		return nil, err
	}
	if len(ids) != len(trees) || len(target) != len(trees) || len(values) != len(trees) {
		return nil, errs.New(errs.Model, "the weights have %d trees, %d nodes, %d ids and %d values: they must be as many", len(trees), len(ids), len(target), len(values))
	}
	byLeaf := make(map[int32][]weight[T], len(values))
	for i, id := range target {
		leaf, ok := at[nodeKey{trees[i], ids[i]}]
		if !ok {
			return nil, errs.New(errs.Model, "weight %d belongs to node %d of tree %d, which is not there", i, ids[i], trees[i])
		}
		if id < 0 || id >= targets {
			return nil, errs.New(errs.Model, "%s id %d is outside [0, %d)", strings.TrimSuffix(prefix, "_"), id, targets)
		}
		byLeaf[leaf] = append(byLeaf[leaf], weight[T]{int32(id), values[i]})
	}
	v := &votes[T]{starts: []int32{0}}
	for i := range nodes {
		if n := &nodes[i]; n.Mode == tree.Leaf {
			n.Yes = int32(len(v.starts) - 1)
			v.list = append(v.list, byLeaf[int32(i)]...)
			v.starts = append(v.starts, int32(len(v.list)))
		}
	}
	return v, nil
}
