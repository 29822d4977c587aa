package ml

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// uneven returns weights for the leaves of grove whose sum depends on the order of trees,
// and the roots of so many of these.
func uneven(trees int) (weights []float64, roots []int) {
	for i := range trees {
		roots = append(roots, []int{0, 2, 1, 0}[i*7%4])
	}
	return []float64{0.1, 0.7, -1.0 / 3, 1e9}, roots
}

// leafOf walks from a root of grove, whose tests are 0: x <= 3.125, 1: x <= 1.25, 2: x <= 4.5.
func leafOf(root int, x float64) int {
	switch {
	case root != 2 && (root == 1 || x <= 3.125):
		if x <= 1.25 {
			return 0
		}
		return 2
	case x <= 4.5:
		return 1
	}
	return 3
}

// Where threads share the trees, what their leaves give is added in the order of the
// trees.
func TestThreadsThatShareTreesAddInTheirOrder(t *testing.T) {
	weights, roots := uneven(400)
	var cases []optest.Case
	for _, rows := range []int{7, 8, 13, 16, 31} {
		x, want := make([]float64, rows), make([]float64, 2*rows)
		for i := range x {
			x[i] = float64(i%9) - 2
			for _, root := range roots {
				k := leafOf(root, x[i])
				want[2*i+k%2] += weights[k]
			}
		}
		cases = append(cases, optest.Case{
			Name:  optest.Dims(rows).String(),
			Attrs: grove(tensor.F64, "tree_roots", roots, "leaf_weights", optest.Filled(tensor.F64, optest.Dims(4), weights...)),
			In:    optest.In(optest.Filled(tensor.F64, optest.Dims(rows, 1), x...)), Want: optest.Want(optest.Filled(tensor.F64, optest.Dims(rows, 2), want...)),
		})
	}
	optest.Run(t, TreeEnsemble, cases)
}
