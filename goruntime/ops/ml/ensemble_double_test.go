package ml

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Rows of doubles that are walked together, in blocks of which the last is not full or has
// none beside it, have the sums of the trees in their order.
func TestDoublesThatAreWalkedTogetherAddInTheOrderOfTheTrees(t *testing.T) {
	weights, roots := uneven(50)
	var cases []optest.Case
	for _, rows := range []int{1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 100, 1000} {
		x, want := make([]float64, rows), make([]float64, rows)
		for i := range x {
			x[i] = []float64{-2, 1.25, 1.25 + 1e-15, 3.125, 4.5, 4.6, 3}[i%7]
			for _, root := range roots {
				want[i] += weights[leafOf(root, x[i])]
			}
		}
		cases = append(cases, optest.Case{
			Name: optest.Dims(rows).String(),
			Attrs: grove(tensor.F64, "tree_roots", roots, "n_targets", 1, "leaf_targetids", []int{0, 0, 0, 0},
				"leaf_weights", optest.Filled(tensor.F64, optest.Dims(4), weights...)),
			In: optest.In(optest.Filled(tensor.F64, optest.Dims(rows, 1), x...)), Want: optest.Want(optest.Filled(tensor.F64, optest.Dims(rows, 1), want...)),
		})
	}
	optest.Run(t, TreeEnsemble, cases)
}
