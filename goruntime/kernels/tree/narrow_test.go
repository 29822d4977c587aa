package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe" //lint:allow unsafe the walks take addresses
)

func TestNarrowWalksReachTheLeavesOfTheOthers(t *testing.T) {
	thresholds, values := numbers()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 4))
			features, blocks := 1+r.IntN(9), 1+r.IntN(4)
			f := smallForest(r, 1+r.IntN(6), features, []int{1, 3, 40, 300}[seed%4], []int{1, 2, 4}[seed%3], seed%5 < 2, thresholds)
			n := f.Narrow()
			if n == nil {
				t.Fatal("tests of order have no narrow form")
			}
			size := features * f.planes * Wide
			keys, rows := make([]uint32, blocks*size), make([]float32, blocks*Wide*features)
			for i := range rows {
				rows[i] = values[r.IntN(len(values))]
				if seed%2 == 0 && r.IntN(10) == 0 {
					rows[i] = float32(math.NaN())
				}
			}
			for b := range blocks {
				Rows32(keys[b*size:], unsafe.Pointer(&rows[b*Wide*features]), features, Wide, f.planes)
			}
			sameLeaves(t, f, n, keys, rows, features, blocks)
		})
	}
}

func sameLeaves(t *testing.T, f *Forest, n *Narrow, keys []uint32, rows []float32, features, blocks int) {
	t.Helper()
	got, at := make([]int32, blocks*Wide), make([]uint32, blocks*Wide)
	for tree := range f.Len() {
		n.Blocks(tree, keys, got)
		portableNarrow(&n.cells[n.starts[tree]], &keys[0], &at[0], blocks, 4*len(keys)/blocks, 0)
		for row, leaf := range got {
			want := f.walk(f.roots[tree], blockOf(f, wide(rows[row*features:(row+1)*features])), 0)
			if leaf != want {
				t.Fatalf("tree %d leads row %d to leaf %d, want %d", tree, row, leaf, want)
			}
			if portable := n.leaf[n.starts[tree]+int(at[row])]; portable != want {
				t.Fatalf("tree %d: the portable walk leads row %d to leaf %d, want %d", tree, row, portable, want)
			}
		}
	}
}

// What the narrow form has no room for, and what is of no order, has none.
func TestNarrowFormsAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	if smallForest(r, 30, 4, 64, 7, false, []float64{1, 2}).Narrow() != nil {
		t.Errorf("tests of equality have a narrow form")
	}
	wide := []Node{{Mode: LessEqual, Feature: maxFeatures, Yes: 1, No: 2}, {Yes: 0}, {Yes: 1}}
	if New(wide, []int32{0}).Narrow() != nil {
		t.Errorf("feature %d has a narrow form", maxFeatures)
	}
	var deep []Node
	for i := range 40000 {
		deep = append(deep, Node{Mode: LessEqual, Yes: int32(2*i + 1), No: int32(2*i + 2)}, Node{Yes: int32(i)})
	}
	if New(append(deep, Node{}), []int32{0}).Narrow() != nil {
		t.Errorf("a tree of 80001 nodes has a narrow form")
	}
}

func BenchmarkNarrow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const features, blocks = 30, 4
	f := randomForest(r, 100, features, 1, false)
	n, x, keys := f.Narrow(), make([]uint64, 2*blocks*features*Lanes), make([]uint32, blocks*features*Wide)
	for i := range x {
		v := float64(r.IntN(10))
		x[i], keys[i] = Key(v), Key32(float32(v))
	}
	leaves := make([]int32, blocks*Wide)
	for _, form := range []struct {
		name string
		run  func(tree int)
	}{{"general", func(tree int) { f.Blocks(tree, x, leaves) }}, {"narrow", func(tree int) { n.Blocks(tree, keys, leaves) }}} {
		b.Run(form.name, func(b *testing.B) {
			for b.Loop() {
				for tree := range f.Len() {
					form.run(tree)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*f.Len()*len(leaves)), "ns/walk")
		})
	}
}
