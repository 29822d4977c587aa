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

// stumps are two trees of one test each: x0 <= 2 gives target 0 a 1 or a 10,
// x1 <= 5 gives target 1 a 2 or targets 0 and 1 a 100 and a 20. More attributes
// replace these.
func stumps(more ...any) []op.Value {
	list := optest.Attrs("n_targets", 2, "nodes_treeids", []int{0, 0, 0, 1, 1, 1}, "nodes_nodeids", []int{0, 1, 2, 0, 1, 2}, "nodes_featureids", []int{0, 0, 0, 1, 0, 0},
		"nodes_modes", []string{"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"}, "nodes_values", []float32{2, 0, 0, 5, 0, 0},
		"nodes_truenodeids", []int{1, 0, 0, 1, 0, 0}, "nodes_falsenodeids", []int{2, 0, 0, 2, 0, 0},
		"target_treeids", []int{0, 0, 1, 1, 1}, "target_nodeids", []int{1, 2, 1, 2, 2}, "target_ids", []int{0, 0, 1, 0, 1}, "target_weights", []float32{1, 10, 2, 100, 20})
	for _, v := range optest.Attrs(more...) {
		list = slices.DeleteFunc(list, func(w op.Value) bool { return w.Name == v.Name || w.Name+"_as_tensor" == v.Name })
		list = append(list, v)
	}
	return list
}

func TestTreeEnsembleRegressor(t *testing.T) {
	var cases []optest.Case
	four := optest.Dims(4, 2)
	for _, d := range TreeEnsembleRegressor.Def().DTypes.Types() {
		in := optest.In(optest.Filled(d, four, 2, 5, 3, 5, 2, 6, 3, 6))
		for _, c := range []struct {
			name string
			more []any
			want []float32
		}{
			{"the sum", nil, []float32{1, 2, 10, 2, 101, 20, 110, 20}},
			{"the average", []any{"aggregate_function", "AVERAGE"}, []float32{0.5, 1, 5, 1, 50.5, 10, 55, 10}},
			{"the smallest", []any{"aggregate_function", "MIN"}, []float32{1, 2, 10, 2, 1, 20, 10, 20}},
			{"the largest", []any{"aggregate_function", "MAX"}, []float32{1, 2, 10, 2, 100, 20, 100, 20}},
			{"base values", []any{"base_values", []float32{0.5, -2}}, []float32{1.5, 0, 10.5, 0, 101.5, 18, 110.5, 18}},
			{"one base value", []any{"base_values", []float32{1}}, []float32{2, 3, 11, 3, 102, 21, 111, 21}},
			{"a target of no leaf", []any{"target_ids", []int{1, 1, 1, 1, 1}}, []float32{0, 3, 0, 12, 0, 121, 0, 130}},
			{"a target of no leaf, the largest", []any{"target_ids", []int{1, 1, 1, 1, 1}, "aggregate_function", "MAX"}, []float32{0, 2, 0, 10, 0, 100, 0, 100}},
			{"other tests", []any{"nodes_modes", []string{"BRANCH_GT", "LEAF", "LEAF", "BRANCH_EQ", "LEAF", "LEAF"}}, []float32{10, 2, 1, 2, 110, 20, 101, 20}},
			{"more tests", []any{"nodes_modes", []string{"BRANCH_LT", "LEAF", "LEAF", "BRANCH_NEQ", "LEAF", "LEAF"}}, []float32{110, 20, 110, 20, 10, 2, 10, 2}},
			{"the last test", []any{"nodes_modes", []string{"BRANCH_GTE", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"}}, []float32{1, 2, 1, 2, 101, 20, 101, 20}},
			{"trees whose nodes are mixed", []any{
				"nodes_treeids",
				[]int{0, 1, 0, 1, 0, 1},
				"nodes_nodeids",
				[]int{0, 0, 1, 1, 2, 2},
				"nodes_featureids",
				[]int{0, 1, 0, 0, 0, 0},
				"nodes_modes",
				[]string{"BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF", "LEAF"},
				"nodes_values",
				[]float32{2, 5, 0, 0, 0, 0},
				"nodes_truenodeids",
				[]int{1, 1, 0, 0, 0, 0},
				"nodes_falsenodeids",
				[]int{2, 2, 0, 0, 0, 0},
			}, []float32{1, 2, 10, 2, 101, 20, 110, 20}},
		} {
			cases = append(cases, optest.Case{Name: d.String() + " " + c.name, Attrs: stumps(c.more...), In: in, Want: optest.Want(optest.F32(four, c.want...))})
		}
	}
	optest.Run(t, TreeEnsembleRegressor, cases)
}

func TestTreeEnsembleRegressorOnEdges(t *testing.T) {
	nan := float32(math.NaN())
	f64 := func(v ...float64) *tensor.View { return optest.F64(optest.Dims(len(v)), v...) }
	third := 1.0 / 3
	optest.Run(t, TreeEnsembleRegressor, []optest.Case{
		{Name: "one row without its dimension", Attrs: stumps(), In: optest.In(optest.F32(optest.Dims(2), 3, 6)), Want: optest.Want(optest.F32(optest.Dims(1, 2), 110, 20))},
		{Name: "no rows", Attrs: stumps(), In: optest.In(optest.F32(optest.Dims(0, 2))), Want: optest.Want(optest.F32(optest.Dims(0, 2)))},
		{Name: "a NaN fails every test", Attrs: stumps(), In: optest.In(optest.F32(optest.Dims(1, 2), nan, nan)), Want: optest.Want(optest.F32(optest.Dims(1, 2), 110, 20))},
		{
			Name: "a NaN goes where missing values go", Attrs: stumps("nodes_missing_value_tracks_true", []int{1, 0, 0, 0, 0, 0}), In: optest.In(optest.F32(optest.Dims(1, 2), nan, nan)),
			Want: optest.Want(optest.F32(optest.Dims(1, 2), 101, 20)),
		},
		{
			Name: "thresholds of f64", Version: 3, Attrs: stumps("nodes_values_as_tensor", f64(third, 0, 0, 5, 0, 0), "target_weights_as_tensor", f64(1, 10, 2, 100, 20)),
			In: optest.In(optest.F64(optest.Dims(2, 2), third, 0, float64(float32(third)), 0)), Want: optest.Want(optest.F32(optest.Dims(2, 2), 1, 2, 10, 2)),
		},
		{
			Name: "LOGISTIC", Attrs: stumps("post_transform", "LOGISTIC", "target_weights", []float32{1, -2, 0, 0, 0}), In: optest.In(optest.F32(optest.Dims(2, 2), 2, 5, 3, 5)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), 0.7310586, 0.5, 0.11920292, 0.5)), Tol: 1e-6,
		},
		{
			Name: "SOFTMAX", Attrs: stumps("post_transform", "SOFTMAX", "target_weights", []float32{1, 0, 2, 0, 0}), In: optest.In(optest.F32(optest.Dims(1, 2), 2, 5)),
			Want: optest.Want(optest.F32(optest.Dims(1, 2), 0.26894142, 0.7310586)), Tol: 1e-6,
		},
		{
			Name: "SOFTMAX_ZERO leaves zeros", Attrs: stumps("post_transform", "SOFTMAX_ZERO", "target_weights", []float32{1, 0, 0, 0, 0}), In: optest.In(optest.F32(optest.Dims(1, 2), 2, 5)),
			Want: optest.Want(optest.F32(optest.Dims(1, 2), 1, 0)), Tol: 1e-6,
		},
		{
			Name: "PROBIT", Attrs: stumps("post_transform", "PROBIT", "target_weights", []float32{0.975, 0, 0.5, 0, 0}), In: optest.In(optest.F32(optest.Dims(1, 2), 2, 5)),
			Want: optest.Want(optest.F32(optest.Dims(1, 2), 1.959964, 0)), Tol: 1e-5,
		},
	})
}

func TestTreeEnsembleRegressorErrors(t *testing.T) {
	in := optest.In(optest.F32(optest.Dims(1, 2), 1, 2))
	optest.Run(t, TreeEnsembleRegressor, []optest.Case{
		{Name: "a cube", Attrs: stumps(), In: optest.In(optest.F32(optest.Dims(1, 1, 1), 1)), Err: "X has shape [1, 1, 1], [N, F] or [F] expected", Code: errs.Shape},
		{Name: "too few features", Attrs: stumps(), In: optest.In(optest.F32(optest.Dims(1, 1), 1)), Err: "node 0 of tree 1 tests the feature 1, a row has 1", Code: errs.Shape},
		{Name: "a target outside", Attrs: stumps("n_targets", 1), In: in, Err: "target id 1 is outside [0, 1)", Code: errs.Model},
		{Name: "attributes of other lengths", Attrs: stumps("nodes_values", []float32{1}), In: in, Err: "they must be as many", Code: errs.Model},
		{Name: "weights of other lengths", Attrs: stumps("target_weights", []float32{1}), In: in, Err: "the weights have 5 trees, 5 nodes, 5 ids and 1 values", Code: errs.Model},
		{Name: "an unknown mode", Attrs: stumps("nodes_modes", []string{"BRANCH", "LEAF", "LEAF", "LEAF", "LEAF", "LEAF"}), In: in, Err: `node 0 has the mode "BRANCH"`, Code: errs.Unsupported},
		{Name: "a node that is not there", Attrs: stumps("nodes_truenodeids", []int{7, 0, 0, 1, 0, 0}), In: in, Err: "node 0 of tree 0 refers to the nodes 7 and 2", Code: errs.Model},
		{Name: "a cycle", Attrs: stumps("nodes_truenodeids", []int{0, 0, 0, 1, 0, 0}), In: in, Err: "leads back to node 0: a tree has no cycle", Code: errs.Model},
		{Name: "a weight of no node", Attrs: stumps("target_nodeids", []int{1, 2, 1, 2, 9}), In: in, Err: "weight 4 belongs to node 9 of tree 1, which is not there", Code: errs.Model},
		{Name: "an unknown aggregate", Attrs: stumps("aggregate_function", "MEDIAN"), In: in, Err: `aggregate_function "MEDIAN" is none of`, Code: errs.Argument},
		{Name: "an unknown transform", Attrs: stumps("post_transform", "RELU"), In: in, Err: `post_transform "RELU" is none`, Code: errs.Argument},
		{Name: "base values", Attrs: stumps("base_values", []float32{1, 2, 3}), In: in, Err: "3 base values given for 2 targets", Code: errs.Model},
	})
}
