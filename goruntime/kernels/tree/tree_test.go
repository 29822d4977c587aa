package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe" //lint:allow unsafe the walks take addresses
)

// blockOf returns a block whose first row is this one.
func blockOf(f *Forest, row []float64) []uint64 {
	x := make([]uint64, len(row)*f.planes*Lanes)
	for i, v := range row {
		for plane := range f.planes {
			key := &x[(i*f.planes+plane)*Lanes]
			if *key = Key(v); plane > 0 && v != v {
				*key = 0
			}
		}
	}
	return x
}

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
		f := New([]Node{
			{Value: 2, Feature: 1, Yes: 1, No: 2, Mode: c.mode, NaNIsYes: c.tracked, Members: []float64{5, 7, 9}}, {Yes: 10}, {Yes: 20},
		}, []int32{0})
		x := blockOf(f, []float64{0, c.x})
		want := int32(20)
		if c.yes {
			want = 10
		}
		if c.mode <= Greater != f.Packed() {
			t.Errorf("%s: packed is %v", c.name, f.Packed())
		}
		var leaves [Lanes]int32
		if f.Blocks(0, x, leaves[:]); leaves[0] != want {
			t.Errorf("%s: a row reaches leaf %d, want %d", c.name, leaves[0], want)
		}
		if f.Trees(0, x, leaves[:1]); leaves[0] != want {
			t.Errorf("%s: in a walk of trees it reaches leaf %d, want %d", c.name, leaves[0], want)
		}
		if leaf := f.walk(0, x, 0); leaf != want {
			t.Errorf("%s: alone it reaches leaf %d, want %d", c.name, leaf, want)
		}
	}
}

func TestKeysOrderAsNumbers(t *testing.T) {
	inf := math.Inf(1)
	list := []float64{-inf, -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, inf, math.NaN()}
	for i, x := range list {
		if i > 0 && Key(list[i-1]) >= Key(x) {
			t.Errorf("the key of %v is not below that of %v", list[i-1], x)
		}
		if back := number(Key(x)); math.Float64bits(back) != math.Float64bits(x) && x == x || (x != x) != (back != back) {
			t.Errorf("the key of %v is that of %v", x, back)
		}
	}
	if Key(math.Copysign(math.NaN(), -1)) != Key(math.NaN()) {
		t.Errorf("NaNs have different keys")
	}
}

// Zeros of either sign are equal.
func TestZerosAreEqual(t *testing.T) {
	zero, minus := 0.0, math.Copysign(0, -1)
	for _, mode := range []Mode{LessEqual, Less, GreaterEqual, Greater} {
		for _, v := range []float64{zero, minus} {
			for _, x := range []float64{zero, minus} {
				f := New([]Node{{Value: v, Yes: 1, No: 2, Mode: mode}, {Yes: 1}, {Yes: 0}}, []int32{0})
				var leaves [Lanes]int32
				want := int32(0)
				if mode == LessEqual || mode == GreaterEqual {
					want = 1
				}
				if f.Trees(0, blockOf(f, []float64{x}), leaves[:1]); leaves[0] != want {
					t.Errorf("mode %d, %v against %v: leaf %d, want %d", mode, x, v, leaves[0], want)
				}
			}
		}
	}
}

// randomForest grows trees whose tests are of the first so many modes.
func randomForest(r *rand.Rand, trees, features, modes int, tracked bool) *Forest {
	var nodes []Node
	var roots []int32
	leaves := int32(0)
	var grow func(depth int) int32
	grow = func(depth int) int32 {
		at := int32(len(nodes))
		nodes = append(nodes, Node{})
		if depth == 0 || r.IntN(6) == 0 {
			nodes[at].Yes = leaves
			leaves++
			return at
		}
		yes := grow(depth - 1)
		no := grow(depth - 1)
		nodes[at] = Node{
			Value: float64(r.IntN(9)), Feature: int32(r.IntN(features)), Yes: yes, No: no, Mode: Mode(1 + r.IntN(modes)), NaNIsYes: tracked && r.IntN(2) == 0,
			Members: []float64{1, 4, 6},
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
			leavesAgree(t, seed)
		})
	}
}

func leavesAgree(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	const features, blocks = 5, 3
	f := randomForest(r, 1+r.IntN(20), features, []int{1, 2, 4, 7}[seed%4], seed%3 == 0)
	size := features * f.planes * Lanes
	x := make([]uint64, size*blocks)
	for b := range blocks {
		for lane := range Lanes {
			row := make([]float64, features)
			for i := range row {
				if row[i] = float64(r.IntN(10)); seed%5 == 0 && r.IntN(8) == 0 {
					row[i] = math.NaN()
				}
			}
			for i, key := range blockOf(f, row) {
				if i%Lanes == 0 {
					x[b*size+i+lane] = key
				}
			}
		}
	}
	if !f.Packed() && seed%4 != 3 {
		t.Fatalf("tests of order are not packed")
	}
	want, got := make([]int32, blocks*Lanes), make([]int32, blocks*Lanes)
	alone := make([]int32, f.Len())
	for tree := range alone {
		for i := range want {
			want[i] = f.walk(f.roots[tree], x[i/Lanes*size:][:size], i%Lanes)
		}
		if f.Blocks(tree, x, got); !slices.Equal(got, want) {
			t.Fatalf("tree %d: leaves %v, want %v", tree, got, want)
		}
		if f.Packed() {
			portableLanes(unsafe.Pointer(&f.cells[0]), unsafe.Pointer(&x[0]), (*uint32)(unsafe.Pointer(&got[0])), blocks, size*8, int(f.starts[tree]), 0)
			for k, c := range got {
				if leaf := f.leaf[c/int32(cellBytes)]; leaf != want[k] {
					t.Fatalf("tree %d: the portable walk leads row %d to leaf %d, want %d", tree, k, leaf, want[k])
				}
			}
		}
		alone[tree] = want[0]
	}
	for first := 0; first < f.Len(); first += Lanes {
		list := got[:min(Lanes, f.Len()-first)]
		if f.Trees(first, x, list); !slices.Equal(list, alone[first:first+len(list)]) {
			t.Fatalf("trees from %d on: leaves %v, want %v", first, list, alone[first:first+len(list)])
		}
		if f.Packed() && len(list) == Lanes {
			at := [Lanes]uint32(f.starts[first:])
			portableOne(unsafe.Pointer(&f.cells[0]), unsafe.Pointer(&x[0]), &at)
			for k, c := range at {
				if leaf := f.leaf[c/uint32(cellBytes)]; leaf != alone[first+k] {
					t.Fatalf("tree %d: the portable walk leads the first row to leaf %d, want %d", first+k, leaf, alone[first+k])
				}
			}
		}
	}
}

// Many rows, so that no processor learns their ways.
func BenchmarkBlocks(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const features, blocks = 30, 8
	f := randomForest(r, 100, features, 1, false)
	x := make([]uint64, blocks*features*Lanes)
	for i := range x {
		x[i] = Key(float64(r.IntN(10)))
	}
	leaves := make([]int32, blocks*Lanes)
	for b.Loop() {
		for tree := range f.Len() {
			f.Blocks(tree, x, leaves)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*f.Len()*blocks*Lanes), "ns/walk")
}

// Sharing subtrees may make a forest exponentially large as trees.
func TestSharedSubtreesAreNotCopiedWithoutEnd(t *testing.T) {
	const depth = 40
	nodes := make([]Node, depth+1)
	for i := range depth {
		nodes[i] = Node{Mode: LessEqual, Yes: int32(i + 1), No: int32(i + 1)}
	}
	nodes[depth].Yes = 3
	f := New(nodes, []int32{0})
	x := make([]uint64, Lanes)
	var leaves [Lanes]int32
	if f.Trees(0, x, leaves[:1]); leaves[0] != 3 {
		t.Errorf("leaf %d, want 3", leaves[0])
	}
}
