package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWalksOfDoublesReachTheLeavesOfTheOthers(t *testing.T) {
	if !vectors() {
		t.Skip("no instructions for quick walks")
	}
	values, _ := numbers() // and those beside each
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 4))
			features, targets := 1+r.IntN(9), 1+r.IntN(3)
			f := smallForest(r, 1+r.IntN(12), features, []int{1, 2, 15, 16, 17, 33, 64}[seed%7], []int{1, 2, 4}[seed%3], seed%5 < 2, values)
			give := func(leaf int32) (int, float64) { return targets - 1, float64(leaf)*0.37 - 5 }
			d := f.Double(give)
			if d == nil {
				t.Fatal("there is no form for doubles")
			}
			var blocks [2][]uint64
			rows := make([][]uint64, 2*Lanes) // each alone in a block
			for i := range rows {
				row := make([]float64, features)
				for k := range row {
					row[k] = values[r.IntN(len(values))]
					if seed%4 < 2 && r.IntN(10) == 0 {
						row[k] = math.NaN()
					}
				}
				rows[i] = blockOf(f, row)
				block := &blocks[i/Lanes]
				if *block == nil {
					*block = make([]uint64, len(rows[i]))
				}
				for at := 0; at < len(rows[i]); at += Lanes {
					(*block)[at+i%Lanes] = rows[i][at]
				}
			}
			got, want := make([]float64, 2*targets*Lanes), make([]float64, 2*targets*Lanes)
			d.Add(blocks[0], blocks[1], got)
			portableDouble(d, blocks[0], blocks[1], want)
			if !slices.Equal(got, want) {
				t.Fatalf("the sums are %v, the definition's are %v", got, want)
			}
			for i, row := range rows {
				sum := 0.0
				for _, root := range f.roots {
					_, v := give(f.walk(root, row, 0))
					sum += v
				}
				if at := (i/Lanes*targets+targets-1)*Lanes + i%Lanes; got[at] != sum {
					t.Fatalf("row %d: the sum is %v, alone it is %v", i, got[at], sum)
				}
			}
			clear(got)
			d.Add(blocks[1], blocks[1], got)
			if !slices.Equal(got[:len(got)/2], want[len(want)/2:]) {
				t.Fatalf("one block twice gives %v, want %v", got, want)
			}
		})
	}
}
