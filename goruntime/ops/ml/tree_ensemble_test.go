package ml

import (
	"math"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// replaced returns attributes with some replaced or added.
func replaced(list, more []op.Value) []op.Value {
	for _, v := range more {
		list = slices.DeleteFunc(list, func(w op.Value) bool { return w.Name == v.Name })
		list = append(list, v)
	}
	return list
}

// grove is the example of the specification: one tree of three tests over three
// features, with four leaves for two targets.
func grove(d tensor.DType, more ...any) []op.Value {
	return replaced(optest.Attrs("aggregate_function", 1, "leaf_targetids", []int{0, 1, 0, 1}, "leaf_weights", optest.Filled(d, optest.Dims(4), 5.25, 12.125, -12.25, 7.5),
		"n_targets", 2, "nodes_falseleafs", []int{0, 1, 1}, "nodes_falsenodeids", []int{2, 2, 3}, "nodes_featureids", []int{0, 0, 0},
		"nodes_modes", optest.U8(optest.Dims(3), 0, 0, 0), "nodes_splits", optest.Filled(d, optest.Dims(3), 3.125, 1.25, 4.5),
		"nodes_trueleafs", []int{0, 1, 1}, "nodes_truenodeids", []int{1, 0, 1}, "tree_roots", []int{0}), optest.Attrs(more...))
}

func TestTreeEnsemble(t *testing.T) {
	nan := math.NaN()
	var cases []optest.Case
	for _, d := range TreeEnsemble.Def().DTypes.Types() {
		x := optest.Filled(d, optest.Dims(3, 1), 1.25, -3.5, 1.75)
		for _, c := range []struct {
			name string
			more []any
			want []float64
		}{
			{"the sum", nil, []float64{5.25, 0, 5.25, 0, -12.25, 0}},
			{"logistic", []any{"post_transform", 2}, []float64{0.994780, 0.5, 0.994780, 0.5, 4.785e-6, 0.5}},
			{"tests reversed", []any{"nodes_modes", optest.U8(optest.Dims(3), 3, 3, 3)}, []float64{0, 7.5, 0, 7.5, 0, 7.5}},
			{"less", []any{"nodes_modes", optest.U8(optest.Dims(3), 0, 1, 0)}, []float64{-12.25, 0, 5.25, 0, -12.25, 0}},
			{"two roots, their average", []any{"tree_roots", []int{0, 2}, "aggregate_function", 0}, []float64{2.625, 6.0625, 2.625, 6.0625, -6.125, 6.0625}},
			{"two roots, the smallest", []any{"tree_roots", []int{1, 1}, "aggregate_function", 2}, []float64{5.25, 0, 5.25, 0, -12.25, 0}},
			{"two roots, the largest", []any{"tree_roots", []int{0, 2}, "aggregate_function", 3}, []float64{5.25, 12.125, 5.25, 12.125, -12.25, 12.125}},
			{"members", []any{"nodes_modes", optest.U8(optest.Dims(3), 0, 6, 0), "membership_values", optest.Filled(d, optest.Dims(3), 1.75, -3.5, nan)}, []float64{-12.25, 0, 5.25, 0, 5.25, 0}},
			{"two sets", []any{"nodes_modes", optest.U8(optest.Dims(3), 6, 6, 0), "membership_values", optest.Filled(d, optest.Dims(4), 1.75, nan, 1.75, 9)}, []float64{0, 12.125, 0, 12.125, 5.25, 0}},
			{"one leaf of two names", []any{"nodes_falseleafs", []int{1, 1, 1}, "nodes_trueleafs", []int{1, 1, 1}, "nodes_truenodeids", []int{3, 0, 1}, "nodes_falsenodeids", []int{3, 2, 3}}, []float64{0, 7.5, 0, 7.5, 0, 7.5}},
		} {
			cases = append(cases, optest.Case{
				Name: d.String() + " " + c.name, Attrs: grove(d, c.more...), In: optest.In(x),
				Want: optest.Want(optest.Filled(d, optest.Dims(3, 2), c.want...)), Tol: 1e-3,
			})
		}
		missing := optest.Filled(d, optest.Dims(2, 1), nan, 1)
		cases = append(cases,
			optest.Case{Name: d.String() + " NaN fails", Attrs: grove(d), In: optest.In(missing), Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), 0, 7.5, 5.25, 0))},
			optest.Case{
				Name: d.String() + " NaN is tracked", Attrs: grove(d, "nodes_missing_value_tracks_true", []int{1, 0, 0}), In: optest.In(missing),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 2), -12.25, 0, 5.25, 0)),
			},
			optest.Case{Name: d.String() + " no rows", Attrs: grove(d), In: optest.In(optest.Filled(d, optest.Dims(0, 1))), Want: optest.Want(optest.Filled(d, optest.Dims(0, 2)))},
			optest.Case{Name: d.String() + " a vector", Attrs: grove(d), In: optest.In(optest.Filled(d, optest.Dims(1), 9)), Want: optest.Want(optest.Filled(d, optest.Dims(1, 2), 0, 7.5))},
		)
	}
	optest.Run(t, TreeEnsemble, cases)
}

// Rows give the same bits alone, in blocks and in batches of any size.
func TestRowsDoNotDependOnTheirBatch(t *testing.T) {
	const rows = 100
	x, want := make([]float32, rows), make([]float32, 2*rows)
	for i := range x {
		x[i] = float32(i)/10 - 2
		switch v := x[i]; {
		case v <= 1.25:
			want[2*i] = 5.25
		case v <= 3.125:
			want[2*i] = -12.25
		case v <= 4.5:
			want[2*i+1] = 12.125
		default:
			want[2*i+1] = 7.5
		}
	}
	var cases []optest.Case
	for _, n := range []int{1, 7, 8, 9, 63, 64, 65, 72, 100} {
		cases = append(cases, optest.Case{Name: optest.Dims(n).String(), Attrs: grove(tensor.F32), In: optest.In(optest.F32(optest.Dims(n, 1), x[:n]...)), Want: optest.Want(optest.F32(optest.Dims(n, 2), want[:2*n]...))})
	}
	optest.Run(t, TreeEnsemble, cases)
}

func TestTreeEnsembleErrors(t *testing.T) {
	in := optest.In(optest.F32(optest.Dims(1, 1), 1))
	with := func(more ...any) []op.Value { return grove(tensor.F32, more...) }
	optest.Run(t, TreeEnsemble, []optest.Case{
		{Name: "a scalar", Attrs: with(), In: optest.In(optest.F32(nil, 1)), Err: "X has shape [], [N, F] or [F] expected", Code: errs.Shape},
		{Name: "a transform", Attrs: with("post_transform", 5), In: in, Err: "post_transform is 5: it must lie in [0, 4]", Code: errs.Argument},
		{Name: "an aggregate", Attrs: with("aggregate_function", -1), In: in, Err: "aggregate_function is -1: it must lie in [0, 3]", Code: errs.Argument},
		{Name: "a mode", Attrs: with("nodes_modes", optest.U8(optest.Dims(3), 0, 7, 0)), In: in, Err: "node 1 has the mode 7: it must lie in [0, 6]", Code: errs.Model},
		{Name: "modes of another type", Attrs: with("nodes_modes", optest.Ints(0, 0, 0)), In: in, Err: "nodes_modes is i64, u8 expected", Code: errs.Type},
		{Name: "splits of another type", Attrs: with("nodes_splits", optest.Ints(0, 0, 0)), In: in, Err: "nodes_splits is i64, f16, f32 or f64 expected", Code: errs.Type},
		{Name: "a feature", Attrs: with("nodes_featureids", []int{0, 1, 0}), In: in, Err: "node 1 tests the feature 1, a row has 1", Code: errs.Shape},
		{Name: "a target", Attrs: with("n_targets", 1), In: in, Err: "leaf 1 has the target 1, which is outside [0, 1)", Code: errs.Model},
		{Name: "a negative number of targets", Attrs: with("n_targets", -1), In: in, Err: "n_targets is -1", Code: errs.Model},
		{Name: "a leaf that is not there", Attrs: with("nodes_truenodeids", []int{1, 4, 1}), In: in, Err: "node 1 refers to leaf 4 of 4", Code: errs.Model},
		{Name: "a node that is not there", Attrs: with("nodes_truenodeids", []int{3, 0, 1}), In: in, Err: "node 0 refers to node 3 of 3", Code: errs.Model},
		{Name: "a root that is not there", Attrs: with("tree_roots", []int{3}), In: in, Err: "a tree starts at node 3 of 3", Code: errs.Model},
		{Name: "a cycle", Attrs: with("nodes_truenodeids", []int{0, 0, 1}), In: in, Err: "leads back to node 0: a tree has no cycle", Code: errs.Model},
		{Name: "no set", Attrs: with("nodes_modes", optest.U8(optest.Dims(3), 0, 6, 0)), In: in, Err: "node 1 tests for members, of which membership_values has no more sets", Code: errs.Model},
		{Name: "other lengths", Attrs: with("nodes_trueleafs", []int{0, 1}), In: in, Err: "they must be as many", Code: errs.Model},
		{Name: "other leaves", Attrs: with("leaf_targetids", []int{0, 1}), In: in, Err: "4 leaf weights and 2 target ids given", Code: errs.Model},
	})
}
