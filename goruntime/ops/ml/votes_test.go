package ml

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// grown is a forest of full trees, as the attributes have it.
type grown struct {
	trees, depth, features int
	tree, node             []int
	feature, yes, no       []int
	value                  []float32
	modes                  []string
	of, at, target         []int // of the weights
	weight                 []float32
}

// grow lets trees of one depth have, at each leaf, weights for some targets: for one
// that belongs to the tree, for all, or for a few that differ from leaf to leaf.
func grow(r *rand.Rand, trees, depth, features, targets, habit int) *grown {
	g := &grown{trees: trees, depth: depth, features: features}
	inner := 1<<depth - 1
	for t := range trees {
		for i := range 2*inner + 1 {
			g.tree, g.node = append(g.tree, t), append(g.node, i)
			if i < inner {
				g.feature, g.value, g.modes = append(g.feature, r.IntN(features)), append(g.value, float32(r.IntN(7))), append(g.modes, "BRANCH_LEQ")
				g.yes, g.no = append(g.yes, 2*i+1), append(g.no, 2*i+2)
				continue
			}
			g.feature, g.value, g.modes, g.yes, g.no = append(g.feature, 0), append(g.value, 0), append(g.modes, "LEAF"), append(g.yes, 0), append(g.no, 0)
			for target := range targets {
				if habit == 0 && target != t%targets || habit == 2 && r.IntN(2) == 0 {
					continue
				}
				g.of, g.at, g.target = append(g.of, t), append(g.at, i), append(g.target, target)
				g.weight = append(g.weight, float32(r.IntN(3)-1)/8*float32(1+r.IntN(5)))
			}
		}
	}
	return g
}

// sums adds up what the leaves give that a row reaches.
func (g *grown) sums(row []float32, targets int) []float32 {
	list, size := make([]float32, targets), 1<<(g.depth+1)-1
	for t := range g.trees {
		i := 0
		for g.modes[t*size+i] != "LEAF" {
			if n := t*size + i; row[g.feature[n]] <= g.value[n] {
				i = g.yes[n]
			} else {
				i = g.no[n]
			}
		}
		for k, w := range g.weight {
			if g.of[k] == t && g.at[k] == i {
				list[g.target[k]] += w
			}
		}
	}
	return list
}

// However leaves give their weights, and however the rows are walked, the sums are
// those of a row alone.
func TestLeavesGiveAllTheirWeights(t *testing.T) {
	var cases []optest.Case
	for seed := range uint64(36) {
		r := rand.New(rand.NewPCG(seed, 5))
		habit, depth, targets, features, n := int(seed%3), []int{0, 1, 3, 5, 7}[seed%5], 1+r.IntN(4), 1+r.IntN(6), 1+r.IntN(40)
		g := grow(r, 1+r.IntN(11), depth, features, targets, habit)
		x, want := make([]float32, n*features), []float32{}
		for i := range x {
			x[i] = float32(r.IntN(8))
		}
		for row := range n {
			want = append(want, g.sums(x[row*features:(row+1)*features], targets)...)
		}
		cases = append(cases, optest.Case{
			Name: fmt.Sprintf("%d: habit %d, depth %d, %d targets", seed, habit, depth, targets),
			Attrs: optest.Attrs("nodes_treeids", g.tree, "nodes_nodeids", g.node, "nodes_featureids", g.feature, "nodes_values", g.value, "nodes_modes", g.modes,
				"nodes_truenodeids", g.yes, "nodes_falsenodeids", g.no, "target_treeids", g.of, "target_nodeids", g.at, "target_ids", g.target,
				"target_weights", g.weight, "n_targets", targets),
			In: optest.In(optest.F32(optest.Dims(n, features), x...)), Want: optest.Want(optest.F32(optest.Dims(n, targets), want...)),
		})
	}
	optest.Run(t, TreeEnsembleRegressor, cases)
}

// A class for which no leaf has a weight counts only where it has a base value, also
// where others have nothing but zeros.
func TestZerosAreVotes(t *testing.T) {
	stump := []any{
		"nodes_treeids",
		[]int{0, 0, 0},
		"nodes_nodeids",
		[]int{0, 1, 2},
		"nodes_featureids",
		[]int{0, 0, 0},
		"nodes_values",
		[]float32{1, 0, 0},
		"nodes_modes",
		[]string{"BRANCH_LEQ", "LEAF", "LEAF"},
		"nodes_truenodeids",
		[]int{1, 0, 0},
		"nodes_falsenodeids",
		[]int{2, 0, 0},
		"classlabels_int64s",
		[]int{10, 20, 30},
	}
	x := optest.In(optest.F32(optest.Dims(2, 1), 0, 2))
	optest.Run(t, TreeEnsembleClassifier, []optest.Case{
		{
			Name: "zeros and less", In: x, Want: optest.Want(optest.Ints(30, 20), optest.F32(optest.Dims(2, 3), 0, -1, 0, 0, 0, -2)),
			Attrs: optest.Attrs(append(stump[:len(stump):len(stump)], "class_treeids", []int{0, 0, 0, 0}, "class_nodeids", []int{1, 1, 2, 2}, "class_ids", []int{1, 2, 1, 2},
				"class_weights", []float32{-1, 0, 0, -2})...),
		},
		{
			Name: "votes that differ", In: x, Want: optest.Want(optest.Ints(20, 30), optest.F32(optest.Dims(2, 3), 0, -1, 0, 0, 0, -2)),
			Attrs: optest.Attrs(append(stump[:len(stump):len(stump)], "class_treeids", []int{0, 0}, "class_nodeids", []int{1, 2}, "class_ids", []int{1, 2},
				"class_weights", []float32{-1, -2})...),
		},
	})
}

// A forest is laid out once for a node, whatever is scored.
func TestForestsAreSharedByShapes(t *testing.T) {
	g := grow(rand.New(rand.NewPCG(1, 5)), 3, 3, 2, 1, 0)
	attrs, err := op.NewValues(TreeEnsembleRegressor.Def(), optest.Attrs("nodes_treeids", g.tree, "nodes_nodeids", g.node, "nodes_featureids", g.feature, "nodes_values", g.value,
		"nodes_modes", g.modes, "nodes_truenodeids", g.yes, "nodes_falsenodeids", g.no, "target_treeids", g.of, "target_nodeids", g.at, "target_ids", g.target, "target_weights", g.weight))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	get := func(x *tensor.View) *wood[float32] {
		var c op.Context
		c.Attr = &attrs
		c.Bind(op.Bind{In: []*tensor.View{x}})
		w, err := woodOf[float32](&c, func(features int) (*wood[float32], error) {
			made++
			forest, votes, err := newForest[float32](&attrs, "target_", features, 1)
			if err != nil {
				return nil, err
			}
			return newWood(x.DType, forest, votes, 1, features, sum), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	one, many, wider := get(optest.F32(optest.Dims(1, 2), 1, 2)), get(optest.F32(optest.Dims(3, 2), 1, 2, 3, 4, 5, 6)), get(optest.F32(optest.Dims(1, 3), 1, 2, 3))
	if one != many || one == wider || made != 2 {
		t.Errorf("%d forests were made for rows of two lengths", made)
	}
}
