package ml

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ballot is a tree of one test, x0 <= 1, whose two leaves vote for the classes
// ids with weights.
func ballot(ids []int, weights []float32, more ...any) []op.Value {
	per := len(ids) / 2
	trees, nodes := make([]int, len(ids)), make([]int, len(ids))
	for i := range nodes {
		nodes[i] = 1 + i/per
	}
	return replaced(optest.Attrs("nodes_treeids", []int{0, 0, 0}, "nodes_nodeids", []int{0, 1, 2}, "nodes_featureids", []int{0, 0, 0}, "nodes_values", []float32{1, 0, 0},
		"nodes_modes", []string{"BRANCH_LEQ", "LEAF", "LEAF"}, "nodes_truenodeids", []int{1, 0, 0}, "nodes_falsenodeids", []int{2, 0, 0},
		"class_treeids", trees, "class_nodeids", nodes, "class_ids", ids, "class_weights", weights), optest.Attrs(more...))
}

// The scores of two classes of which one has votes, and one base value or none, were
// computed by ONNX Runtime 1.32, those of PROBIT and of more by the formulas of the
// specification.
func TestTreeEnsembleClassifier(t *testing.T) {
	two, three := []any{"classlabels_int64s", []int{10, 17}}, []any{"classlabels_strings", []string{"ant", "", "cat"}}
	with := func(list []any, more ...any) []any { return append(append([]any{}, list...), more...) }
	first, second := []int{0, 0}, []int{1, 1}
	plus, mixed := []float32{0.3, 0.7}, []float32{-0.3, 0.7}
	all, votes := []int{0, 1, 2, 0, 1, 2}, []float32{1, 3, 2, 0.5, -1, 0.25}
	var cases []optest.Case
	for _, c := range []struct {
		name    string
		attrs   []op.Value
		labels  *tensor.View
		classes int
		scores  []float32
	}{
		{"votes for the first", ballot(first, plus, two...), optest.Ints(10, 17), 2, []float32{0.7, 0.3, 0.3, 0.7}},
		{"one base value", ballot(first, plus, with(two, "base_values", []float32{0.1})...), optest.Ints(10, 17), 2, []float32{0.6, 0.4, 0.2, 0.8}},
		{"logistic", ballot(first, plus, with(two, "post_transform", "LOGISTIC")...), optest.Ints(10, 17), 2, []float32{0.42556, 0.57444, 0.33181, 0.66819}},
		{"softmax", ballot(first, plus, with(two, "post_transform", "SOFTMAX")...), optest.Ints(10, 17), 2, []float32{0.7, 0.3, 0.3, 0.7}},
		{"a negative vote", ballot(first, mixed, two...), optest.Ints(10, 17), 2, []float32{0.3, -0.3, -0.7, 0.7}},
		{"a negative vote, logistic", ballot(first, mixed, with(two, "base_values", []float32{0.1}, "post_transform", "LOGISTIC")...), optest.Ints(10, 17), 2, []float32{0.54983, 0.45017, 0.31003, 0.68997}},
		{"votes for the second", ballot(second, plus, two...), optest.Ints(10, 17), 2, []float32{0, 0.3, 0, 0.7}},
		{"votes for the second, softmax", ballot(second, mixed, with(two, "post_transform", "SOFTMAX")...), optest.Ints(10, 17), 2, []float32{0.57444, 0.42556, 0.33181, 0.66819}},
		{"two base values", ballot(second, mixed, with(two, "base_values", []float32{0.25, 0.5})...), optest.Ints(10, 17), 2, []float32{0.25, 0.2, 0.25, 1.2}},
		{"two base values, votes for the first", ballot(first, mixed, with(two, "base_values", []float32{0.25, 0.5})...), optest.Ints(17, 10), 2, []float32{-0.05, 0.5, 0.95, 0.5}},
		{"probit", ballot(first, plus, with(two, "post_transform", "PROBIT")...), optest.Ints(10, 17), 2, []float32{0.524401, -0.524401, -0.524401, 0.524401}},
		{"votes for both", ballot([]int{0, 1, 0, 1}, []float32{0.7, 0.3, 0.4, 0.6}, two...), optest.Ints(10, 17), 2, []float32{0.7, 0.3, 0.4, 0.6}},
		{"three", ballot(all, votes, three...), optest.Str(optest.Dims(2), "", "ant"), 3, votes},
		{"three with base values", ballot(all, votes, with(three, "base_values", []float32{2, 0, 3})...), optest.Str(optest.Dims(2), "cat", "cat"), 3, []float32{3, 3, 5, 2.5, -1, 3.25}},
		{"three, softmax", ballot(all, votes, with(three, "post_transform", "SOFTMAX")...), optest.Str(optest.Dims(2), "", "ant"), 3, []float32{0.0900306, 0.665241, 0.244728, 0.499518, 0.111457, 0.389025}},
		{"only classes with votes count", ballot([]int{1, 1}, []float32{-1, -2}, three...), optest.Str(optest.Dims(2), "", ""), 3, []float32{0, -1, 0, 0, -2, 0}},
		{"one class", ballot([]int{0, 0}, mixed, "classlabels_int64s", []int{5}, "base_values", []float32{1}), optest.Ints(5, 5), 1, []float32{0.7, 1.7}},
	} {
		for _, d := range TreeEnsembleClassifier.Def().DTypes.Types() {
			cases = append(cases, optest.Case{
				Name: c.name + " " + d.String(), Attrs: c.attrs, In: optest.In(optest.Filled(d, optest.Dims(2, 1), 0, 2)),
				Want: optest.Want(c.labels, optest.F32(optest.Dims(2, c.classes), c.scores...)), Tol: 2e-5,
			})
		}
	}
	x := optest.F32(optest.Dims(2, 1), float32(math.NaN()), 1)
	optest.Run(t, TreeEnsembleClassifier, append(cases,
		optest.Case{Name: "a NaN", Attrs: ballot(all, votes, three...), In: optest.In(x), Want: optest.Want(optest.Str(optest.Dims(2), "ant", ""), optest.F32(optest.Dims(2, 3), 0.5, -1, 0.25, 1, 3, 2))},
		optest.Case{Name: "labels alone", Attrs: ballot(all, votes, three...), In: optest.In(x), Want: optest.Want(optest.Str(optest.Dims(2), "ant", ""))},
		optest.Case{Name: "scores alone", Attrs: ballot(all, votes, three...), In: optest.In(x), Want: optest.Want(nil, optest.F32(optest.Dims(2, 3), 0.5, -1, 0.25, 1, 3, 2))},
		optest.Case{
			Name: "no features", In: optest.In(optest.F32(optest.Dims(9, 0))), Attrs: optest.Attrs("nodes_treeids", []int{0}, "nodes_nodeids", []int{0}, "nodes_featureids", []int{0}, "nodes_values", []float32{0},
				"nodes_modes", []string{"LEAF"}, "nodes_truenodeids", []int{0}, "nodes_falsenodeids", []int{0}, "class_treeids", []int{0}, "class_nodeids", []int{0}, "class_ids", []int{0}, "class_weights", []float32{2},
				"classlabels_int64s", []int{3, 4, 5}),
			Want: optest.Want(optest.Ints(3, 3, 3, 3, 3, 3, 3, 3, 3), optest.F32(optest.Dims(9, 3), 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0)),
		},
		optest.Case{Name: "no rows", Attrs: ballot(all, votes, three...), In: optest.In(optest.F32(optest.Dims(0, 1))), Want: optest.Want(optest.Str(optest.Dims(0)), optest.F32(optest.Dims(0, 3)))},
	))
}

func TestTreeEnsembleClassifierErrors(t *testing.T) {
	in := optest.In(optest.F32(optest.Dims(1, 1), 1))
	ids, weights := []int{0, 0}, []float32{1, 2}
	optest.Run(t, TreeEnsembleClassifier, []optest.Case{
		{Name: "no labels", Attrs: ballot(ids, weights), In: in, Err: "0 classlabels_int64s and 0 classlabels_strings given", Code: errs.Model},
		{Name: "labels of both kinds", Attrs: ballot(ids, weights, "classlabels_int64s", []int{1}, "classlabels_strings", []string{"a"}), In: in, Err: "labels of one kind are expected", Code: errs.Model},
		{Name: "a class outside", Attrs: ballot([]int{0, 2}, weights, "classlabels_int64s", []int{1, 2}), In: in, Err: "class id 2 is outside [0, 2)", Code: errs.Model},
		{Name: "base values", Attrs: ballot(ids, weights, "classlabels_int64s", []int{1, 2, 3}, "base_values", []float32{1, 2}), In: in, Err: "2 base values given for 3 targets", Code: errs.Model},
		{Name: "a transform", Attrs: ballot(ids, weights, "classlabels_int64s", []int{1, 2}, "post_transform", "TANH"), In: in, Err: `post_transform "TANH" is none`, Code: errs.Argument},
		{Name: "a node twice", Attrs: ballot(ids, weights, "classlabels_int64s", []int{1, 2}, "nodes_nodeids", []int{0, 1, 1}), In: in, Err: "node 1 of tree 0 is there twice", Code: errs.Model},
	})
}
