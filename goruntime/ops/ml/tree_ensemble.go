package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TreeEnsemble adds up what the leaves of many trees give: inner nodes and leaves
// are listed apart, and a node may test for membership in a set.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
// Departures: none. ONNX Runtime transforms a single target by PROBIT only and
// takes the numbers of SOFTMAX and LOGISTIC for each other.
var TreeEnsemble = op.Declare(Domain, "TreeEnsemble", func() op.Def {
	return op.Def{
		Versions: op.Versions{5: ""},
		Attrs: op.Attrs(op.Int("aggregate_function", 1), op.Int("post_transform", 0), op.Required("tree_roots", op.KindInts), op.Tensor("nodes_hitrates"),
			op.Ints("nodes_missing_value_tracks_true"), op.Required("nodes_modes", op.KindTensor), op.Required("leaf_weights", op.KindTensor),
			op.Required("leaf_targetids", op.KindInts), op.Required("nodes_falsenodeids", op.KindInts), op.Optional("n_targets", op.KindInt),
			op.Required("nodes_trueleafs", op.KindInts), op.Required("nodes_featureids", op.KindInts), op.Required("nodes_splits", op.KindTensor),
			op.Required("nodes_falseleafs", op.KindInts), op.Required("nodes_truenodeids", op.KindInts), op.Tensor("membership_values")),
		Shape:   func(c *op.Infer) error { return targetsShape(c, c.DType(0), "leaf_targetids") },
		Prepare: func(c *op.Context) error { return op.Row[regression](c).prepare(c) },
		Run: func(c *op.Context) error {
			op.Row[regression](c).run(c)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]regression{
			tensor.F32: sumsOf[float32](load[float32], func(x float32) float32 { return x }),
			tensor.F64: sumsOf[float64](load[float64], func(x float64) float64 { return x }),
			tensor.F16: sumsOf[float32](loadHalf, tensor.HalfOf),
		}),
		Columns: op.AnyMatrix,
	}
})

// totals is the State of a TreeEnsemble whose output has elements Out.
type totals[T number, Out any] struct {
	ensemble  *ensemble[T]
	transform transform
	narrow    func(T) Out
	out       []Out
}

func sumsOf[T number, Out any](load loader, narrow func(T) Out) regression {
	return regression{
		prepare: func(c *op.Context) error {
			f := &totals[T, Out]{narrow: narrow, transform: transform(c.Attr.Int("post_transform"))}
			c.State = f
			return f.build(c, load)
		},
		run: func(c *op.Context) {
			f := c.State.(*totals[T, Out])
			f.out = tensor.Elems[Out](c.Out(0))
			f.ensemble.run(c)
		},
	}
}

func (f *totals[T, Out]) build(c *op.Context, load loader) error {
	a := c.Attr
	if f.transform < none || f.transform > probit {
		return errs.New(errs.Argument, "post_transform is %d: it must lie in [0, 4]", f.transform)
	}
	by := aggregate(a.Int("aggregate_function"))
	if by < average || by > most {
		return errs.New(errs.Argument, "aggregate_function is %d: it must lie in [0, 3]", by)
	}
	g, err := woodOf[T](c, func(features int) (*wood[T], error) { return leafWood[T](c, features, by) })
	if err == nil {
		f.ensemble = newEnsemble(c, g, load, f)
	}
	return err
}

func leafWood[T number](c *op.Context, features int, by aggregate) (*wood[T], error) {
	a := c.Attr
	targets := targetsOf(a, "leaf_targetids")
	v, err := leafVotes[T](a, targets)
	if err != nil {
		return nil, err
	}
	nodes, err := innerNodes(a, features, len(v.list))
	if err != nil {
		return nil, err
	}
	inner := len(nodes) - len(v.list)
	var roots []int32
	for _, r := range a.Ints("tree_roots") {
		if r < 0 || r >= inner {
			return nil, errs.New(errs.Model, "a tree starts at node %d of %d", r, inner)
		}
		roots = append(roots, int32(r))
	}
	if err := acyclic(nodes, roots); err != nil {
		return nil, err
	}
	return newWood(c.In(0).DType, tree.New(nodes, roots), v, targets, features, by), nil
}

// leafVotes reads the leaves: each has one weight.
func leafVotes[T number](a *op.Values, targets int) (*votes[T], error) {
	weights, err := tensorNumbers[T](a, "leaf_weights")
	if err != nil {
		return nil, err
	}
	ids := a.Ints("leaf_targetids")
	if len(ids) != len(weights) {
		return nil, errs.New(errs.Model, "%d leaf weights and %d target ids given: they must be as many", len(weights), len(ids))
	}
	v := &votes[T]{starts: make([]int32, len(ids)+1)}
	for i, id := range ids {
		if id < 0 || id >= targets {
			return nil, errs.New(errs.Model, "leaf %d has the target %d, which is outside [0, %d)", i, id, targets)
		}
		v.starts[i+1] = int32(i + 1)
		v.list = append(v.list, weight[T]{int32(id), weights[i]})
	}
	return v, nil
}

// innerModes are the tests by their numbers.
var innerModes = []tree.Mode{tree.LessEqual, tree.Less, tree.GreaterEqual, tree.Greater, tree.Equal, tree.NotEqual, tree.Member}

// innerNodes reads the inner nodes and puts the leaves behind them.
func innerNodes(a *op.Values, features, leaves int) ([]tree.Node, error) {
	splits, err := tensorNumbers[float64](a, "nodes_splits")
	if err != nil {
		return nil, err
	}
	kinds := a.Tensor("nodes_modes")
	if kinds.DType != tensor.U8 {
		return nil, errs.New(errs.Type, "nodes_modes is %v, u8 expected", kinds.DType)
	}
	sets, err := memberSets(a)
	if err != nil {
		return nil, err
	}
	feature, yes, no := a.Ints("nodes_featureids"), a.Ints("nodes_truenodeids"), a.Ints("nodes_falsenodeids")
	yesLeaf, noLeaf, missing := a.Ints("nodes_trueleafs"), a.Ints("nodes_falseleafs"), a.Ints("nodes_missing_value_tracks_true")
	n := len(feature)
	if len(splits) != n || kinds.Elements() != n || len(yes) != n || len(no) != n || len(yesLeaf) != n || len(noLeaf) != n || (len(missing) != 0 && len(missing) != n) {
		return nil, errs.New(errs.Model, "the nodes_ attributes have %d, %d, %d, %d, %d, %d, %d and %d entries: they must be as many",
			n, len(splits), kinds.Elements(), len(yes), len(no), len(yesLeaf), len(noLeaf), len(missing))
	}
	nodes := make([]tree.Node, n+leaves)
	for i, kind := range tensor.Elems[uint8](kinds) {
		if int(kind) >= len(innerModes) {
			return nil, errs.New(errs.Model, "node %d has the mode %d: it must lie in [0, %d]", i, kind, len(innerModes)-1)
		}
		if feature[i] < 0 || feature[i] >= features {
			return nil, errs.New(errs.Shape, "node %d tests the feature %d, a row has %d", i, feature[i], features)
		}
		node := tree.Node{Mode: innerModes[kind], Value: splits[i], Feature: int32(feature[i]), NaNIsYes: len(missing) > 0 && missing[i] != 0}
		if node.Mode == tree.Member {
			if len(sets) == 0 {
				return nil, errs.New(errs.Model, "node %d tests for members, of which membership_values has no more sets", i)
			}
			node.Members, sets = sets[0], sets[1:]
		}
		if node.Yes, err = child(i, yes[i], yesLeaf[i], n, leaves); err != nil {
			return nil, err
		}
		if node.No, err = child(i, no[i], noLeaf[i], n, leaves); err != nil {
			return nil, err
		}
		nodes[i] = node
	}
	for i := range leaves {
		nodes[n+i].Yes = int32(i)
	}
	return nodes, nil
}

// child returns where a child of node i lies among n nodes and the leaves.
func child(i, id, leaf, n, leaves int) (int32, error) {
	switch {
	case leaf != 0 && id >= 0 && id < leaves:
		return int32(n + id), nil
	case leaf == 0 && id >= 0 && id < n:
		return int32(id), nil
	case leaf != 0:
		return 0, errs.New(errs.Model, "node %d refers to leaf %d of %d", i, id, leaves)
	}
	return 0, errs.New(errs.Model, "node %d refers to node %d of %d", i, id, n)
}

// memberSets returns the sets that membership_values lists, a NaN behind each.
func memberSets(a *op.Values) ([][]float64, error) {
	values, err := tensorNumbers[float64](a, "membership_values")
	var sets [][]float64
	for err == nil && len(values) > 0 {
		end := slices.IndexFunc(values, func(x float64) bool { return x != x })
		if end < 0 {
			end = len(values)
		}
		set := slices.Clone(values[:end])
		slices.Sort(set)
		sets, values = append(sets, set), values[min(end+1, len(values)):]
	}
	return sets, err
}

// finish implements finisher.
func (f *totals[T, Out]) finish(row int, sums []T, _ []bool) {
	if f.ensemble.aggregate == average {
		for i := range sums {
			sums[i] /= T(f.ensemble.trees.Len())
		}
	}
	apply(f.transform, sums)
	for i, s := range sums {
		f.out[row*len(sums)+i] = f.narrow(s)
	}
}
