package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestEveryModeSendsARowToItsSide(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name    string
		mode    Mode
		tracked bool
		x       float64
		yes     bool
	}{
		{"less or equal, below", LessEqual, false, 1, true},
		{"less or equal, at", LessEqual, false, 2, true},
		{"less or equal, above", LessEqual, false, 3, false},
		{"less, at", Less, false, 2, false},
		{"less, below", Less, false, 1, true},
		{"less, just below", Less, false, math.Nextafter(2, 0), true},
		{"less, above", Less, false, 3, false},
		{"greater or equal, at", GreaterEqual, false, 2, true},
		{"greater or equal, below", GreaterEqual, false, 1, false},
		{"greater, at", Greater, false, 2, false},
		{"greater, above", Greater, false, 3, true},
		{"equal", Equal, false, 2, true},
		{"equal, other", Equal, false, 3, false},
		{"not equal", NotEqual, false, 3, true},
		{"not equal, at", NotEqual, false, 2, false},
		{"a member", Member, false, 7, true},
		{"no member", Member, false, 2, false},
		{"infinity", LessEqual, false, inf, false},
		{"NaN fails less or equal", LessEqual, false, nan, false},
		{"NaN fails less", Less, false, nan, false},
		{"NaN fails greater", Greater, false, nan, false},
		{"NaN fails greater or equal", GreaterEqual, false, nan, false},
		{"NaN is no member", Member, false, nan, false},
		{"NaN is tracked", LessEqual, true, nan, true},
		{"NaN is tracked by greater", Greater, true, nan, true},
		{"a number where NaN is tracked", LessEqual, true, 3, false},
	} {
		f := New([]Node[float64]{
			{Value: 2, Feature: 1, Yes: 1, No: 2, Mode: c.mode, NaNIsYes: c.tracked, Members: []float64{5, 7, 9}}, {Yes: 10}, {Yes: 20},
		}, []int32{0})
		x := make([]float64, 2*Lanes)
		x[Lanes] = c.x
		want := int32(20)
		if c.yes {
			want = 10
		}
		packed := f.Packed(x, c.x != c.x)
		var leaves [Lanes]int32
		if f.Block(0, x, packed, &leaves); leaves[0] != want {
			t.Errorf("%s: a row reaches leaf %d, want %d", c.name, leaves[0], want)
		}
		if f.Trees(0, x, packed, &leaves); leaves[0] != want {
			t.Errorf("%s: in a walk of trees it reaches leaf %d, want %d", c.name, leaves[0], want)
		}
	}
}

// randomForest grows trees whose tests are of the first so many modes.
func randomForest[T Number](r *rand.Rand, trees, features, modes int, tracked bool) *Forest[T] {
	var nodes []Node[T]
	var roots []int32
	leaves := int32(0)
	var grow func(depth int) int32
	grow = func(depth int) int32 {
		at := int32(len(nodes))
		nodes = append(nodes, Node[T]{})
		if depth == 0 || r.IntN(6) == 0 {
			nodes[at].Yes = leaves
			leaves++
			return at
		}
		yes := grow(depth - 1)
		no := grow(depth - 1)
		nodes[at] = Node[T]{
			Value: T(r.IntN(9)), Feature: int32(r.IntN(features)), Yes: yes, No: no, Mode: Mode(1 + r.IntN(modes)), NaNIsYes: tracked && r.IntN(2) == 0,
			Members: []T{1, 4, 6},
		}
		return at
	}
	for range trees {
		roots = append(roots, grow(1+r.IntN(9)))
	}
	return New(nodes, roots)
}

// Whatever is walked together, a row reaches the leaf that it reaches alone.
func TestLeavesDoNotDependOnTheWalk(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			leavesAgree[float32](t, seed)
			leavesAgree[float64](t, seed)
		})
	}
}

func leavesAgree[T Number](t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	const features = 5
	f := randomForest[T](r, 1+r.IntN(20), features, []int{1, 2, 4, 7}[seed%4], seed%3 == 0)
	x, nan := make([]T, features*Lanes), false
	for i := range x {
		x[i] = T(r.IntN(10))
		if seed%5 == 0 && r.IntN(8) == 0 {
			x[i], nan = T(math.NaN()), true
		}
	}
	want := make([][Lanes]int32, f.Len())
	for tree := range want {
		f.Block(tree, x, false, &want[tree])
	}
	packed := f.Packed(x, nan)
	if !packed && seed%4 != 3 && !nan {
		t.Fatalf("tests of order are not packed")
	}
	for tree := range want {
		var got [Lanes]int32
		if f.Block(tree, x, packed, &got); got != want[tree] {
			t.Fatalf("tree %d: leaves %v, want %v", tree, got, want[tree])
		}
	}
	for first := 0; first < f.Len(); first += Lanes {
		var got [Lanes]int32
		f.Trees(first, x, packed, &got)
		for k := range min(Lanes, f.Len()-first) {
			if got[k] != want[first+k][0] {
				t.Fatalf("tree %d alone: leaf %d, want %d", first+k, got[k], want[first+k][0])
			}
		}
	}
}

func BenchmarkBlock(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	f := randomForest[float32](r, 100, 30, 1, false)
	x := make([]float32, 30*Lanes)
	for i := range x {
		x[i] = float32(r.IntN(10))
	}
	var leaves [Lanes]int32
	for b.Loop() {
		for tree := range f.Len() {
			f.Block(tree, x, true, &leaves)
		}
	}
}

// Sharing subtrees may make a forest exponentially large as trees.
func TestSharedSubtreesAreNotCopiedWithoutEnd(t *testing.T) {
	const depth = 40
	nodes := make([]Node[float32], depth+1)
	for i := range depth {
		nodes[i] = Node[float32]{Mode: LessEqual, Yes: int32(i + 1), No: int32(i + 1)}
	}
	nodes[depth].Yes = 3
	f := New(nodes, []int32{0})
	x := make([]float32, Lanes)
	var leaves [Lanes]int32
	if f.Trees(0, x, f.Packed(x, false), &leaves); leaves[0] != 3 {
		t.Errorf("leaf %d, want 3", leaves[0])
	}
}
