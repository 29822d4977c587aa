package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe" //lint:allow unsafe the walks take addresses
)

// smallForest grows trees of up to so many leaves, with thresholds in float64 that lie
// at and between float32s.
func smallForest(r *rand.Rand, trees, features, leaves, modes int, tracked bool, thresholds []float64) *Forest {
	var nodes []Node
	var roots []int32
	number := int32(0)
	var grow func(leaves int) int32
	grow = func(leaves int) int32 {
		at := int32(len(nodes))
		nodes = append(nodes, Node{})
		if leaves == 1 {
			nodes[at].Yes = number
			number++
			return at
		}
		left := 1 + r.IntN(leaves-1)
		yes := grow(left)
		no := grow(leaves - left)
		nodes[at] = Node{Value: thresholds[r.IntN(len(thresholds))], Feature: int32(r.IntN(features)), Yes: yes, No: no, Mode: Mode(1 + r.IntN(modes)), NaNIsYes: tracked && r.IntN(2) == 0}
		return at
	}
	for range trees {
		roots = append(roots, grow(1+r.IntN(leaves)))
	}
	return New(nodes, roots)
}

// numbers are those at which comparisons go wrong.
func numbers() (thresholds []float64, values []float32) {
	inf := math.Inf(1)
	for _, v := range []float64{-inf, -math.MaxFloat64, -math.MaxFloat32, -1, -1e-300, 0, math.Copysign(0, -1), 1e-300, math.SmallestNonzeroFloat32, 0.1, 1, 1e30, math.MaxFloat32, math.MaxFloat64, inf} {
		t := float32(v)
		values = append(values, t, math.Nextafter32(t, 0), math.Nextafter32(t, float32(inf)), -t)
		if v == -inf {
			continue // a test for less than it is of no order
		}
		thresholds = append(thresholds, v, math.Nextafter(v, 0), math.Nextafter(v, inf))
	}
	return thresholds, values
}

// quickSums walks rows [n][features] by the quick form and by the definition.
func quickSums(t *testing.T, f *Forest, rows []float32, n, features, targets int, columns bool) {
	t.Helper()
	give := func(leaf int32) (int, float32) { return 0, float32(leaf)*0.37 - 5 }
	q := f.Quick(give)
	if q == nil {
		t.Fatal("there is no quick form")
	}
	keys, got, want := make([]uint32, features*f.planes*Wide), make([]float32, targets*Wide), make([]float32, targets*Wide)
	if columns {
		var list []unsafe.Pointer
		for c := range features {
			column := make([]float32, 0, n+3)[:3]
			for r := range n {
				column = append(column, rows[r*features+c])
			}
			list = append(list, unsafe.Pointer(&column[0]))
		}
		Columns32(keys, list, 3, n, f.planes)
	} else {
		Rows32(keys, unsafe.Pointer(unsafe.SliceData(rows)), features, n, f.planes)
	}
	for i, key := range keys {
		c, plane, lane := i/Wide/f.planes, i/Wide%f.planes, i%Wide
		if lane >= n {
			continue
		}
		x := rows[lane*features+c]
		want := Key32(x)
		if plane > 0 && x != x {
			want = 0
		}
		if key != want {
			t.Fatalf("the key of row %d, feature %d, plane %d is %d, want %d", lane, c, plane, key, want)
		}
	}
	q.Add(keys, got)
	portableQuick(q, keys, want)
	if !slices.Equal(got, want) {
		t.Fatalf("the sums are %v, the definition's are %v", got, want)
	}
	for row := range n {
		sum, block := float32(0), blockOf(f, wide(rows[row*features:(row+1)*features]))
		for _, root := range f.roots {
			_, v := give(f.walk(root, block, 0))
			sum += v
		}
		if got[row] != sum {
			t.Fatalf("row %d: the sum is %v, alone it is %v", row, got[row], sum)
		}
	}
}

func wide(row []float32) []float64 {
	list := make([]float64, len(row))
	for i, x := range row {
		list[i] = float64(x)
	}
	return list
}

func TestQuickWalksReachTheLeavesOfTheOthers(t *testing.T) {
	if !vectors() {
		t.Skip("no instructions for quick walks")
	}
	thresholds, values := numbers()
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			features, n := 1+r.IntN(9), 1+r.IntN(Wide)
			f := smallForest(r, 1+r.IntN(12), features, []int{1, 2, 16, 17, 32, 33, 64}[seed%7], []int{1, 2, 4}[seed%3], seed%5 < 2, thresholds)
			rows := make([]float32, n*features)
			for i := range rows {
				rows[i] = values[r.IntN(len(values))]
				if seed%4 < 2 && r.IntN(10) == 0 {
					rows[i] = float32(math.NaN())
				}
			}
			quickSums(t, f, rows, n, features, 1, seed%2 == 0)
		})
	}
}

// What the quick walk is not for has no quick form.
func TestQuickFormsAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	give := func(leaf int32) (int, float32) { return 0, 1 }
	if f := smallForest(r, 30, 4, 64, 7, false, []float64{1, 2}); f.Quick(give) != nil {
		t.Errorf("tests of equality have a quick form")
	}
	chain := make([]Node, 0, 200)
	for i := range 70 {
		chain = append(chain, Node{Mode: LessEqual, Yes: int32(2*i + 1), No: int32(2*i + 2)}, Node{Yes: int32(i)})
	}
	chain = append(chain, Node{Yes: 70})
	if New(chain, []int32{0}).Quick(give) != nil {
		t.Errorf("a tree of 71 leaves has a quick form")
	}
	if !vectors() {
		t.Skip("no instructions for quick walks")
	}
	if New(chain[len(chain)-5:], []int32{4}).Quick(give) == nil {
		t.Errorf("a tree of one leaf has no quick form")
	}
	two := []Node{{Mode: LessEqual, Yes: 1, No: 2}, {Yes: 0}, {Yes: 1}}
	if New(two, []int32{0}).Quick(func(leaf int32) (int, float32) { return int(leaf), 1 }) != nil {
		t.Errorf("a tree for two targets has a quick form")
	}
}

func BenchmarkQuick(b *testing.B) {
	for _, leaves := range []int{8, 32, 64} {
		b.Run(fmt.Sprintf("100 trees of %d leaves, 16 rows", leaves), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			var thresholds []float64
			for range 100 {
				thresholds = append(thresholds, r.NormFloat64())
			}
			const features = 30
			nodes := []Node{}
			var roots []int32
			var grow func(leaves int) int32
			grow = func(leaves int) int32 {
				at := int32(len(nodes))
				nodes = append(nodes, Node{})
				if leaves > 1 {
					yes := grow(leaves / 2)
					no := grow(leaves - leaves/2)
					nodes[at] = Node{Mode: LessEqual, Value: thresholds[r.IntN(100)], Feature: int32(r.IntN(features)), Yes: yes, No: no}
				}
				return at
			}
			for range 100 {
				roots = append(roots, grow(leaves))
			}
			q := New(nodes, roots).Quick(func(leaf int32) (int, float32) { return 0, 1 })
			if q == nil {
				b.Skip("no quick form")
			}
			keys, sums := make([]uint32, features*Wide), make([]float32, Wide)
			for i := range keys {
				keys[i] = Key32(float32(r.NormFloat64()))
			}
			for b.Loop() {
				q.Add(keys, sums)
			}
		})
	}
}
