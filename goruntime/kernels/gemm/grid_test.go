package gemm

import (
	"fmt"
	"testing"
)

// Whatever parts a thread claims together, all of them cover each element once.
func TestAGridCoversAProductOnce(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {65, 384, 128}, {7, 64, 1000}, {1, 1000, 1024}, {300, 3, 5}, {13, 65, 1}, {4096, 8, 64}} {
		for _, threads := range []int{1, 2, 3, 16} {
			g := NewGrid(Work{Products: 2, M: size[0], N: size[1], K: size[2], Steps: 1, InPlace: threads == 3}, threads)
			for step := 1; step <= g.Parts(); step++ {
				seen := make([]int, g.M*g.N)
				for lo := 0; lo < g.Parts(); lo += step {
					for at, hi := lo, min(g.Parts(), lo+step); at < hi; {
						m0, m1, n0, n1, next := g.Cover(at, hi)
						if next <= at || next > hi {
							t.Fatalf("%+v: from part %d to %d of %d", g, at, next, hi)
						}
						for i := m0; i < m1; i++ {
							for j := n0; j < n1; j++ {
								seen[i*g.N+j]++
							}
						}
						at = next
					}
				}
				for i, n := range seen {
					if n != 1 {
						t.Fatalf("%+v by %d: element %d is computed %d times", g, step, i, n)
					}
				}
			}
		}
	}
}

func TestThreadsShareAProductAlike(t *testing.T) {
	for _, c := range []struct {
		products, m, n, k, threads, steps int
		inPlace                           bool
		most                              float64 // what the busiest thread computes, times threads
	}{
		{1, 65, 384, 128, 2, 1, false, 1.1},
		{1, 65, 256, 128, 2, 3, false, 1.1},
		{1, 128, 1536, 384, 2, 3, false, 1.05},
		{1, 128, 384, 1536, 4, 1, false, 1.1},
		{1, 65, 128, 256, 2, 0, false, 1.1},
		{4, 65, 65, 32, 2, 0, false, 1},
		{1, 1, 1000, 1024, 2, 0, false, 1.05},
		{12, 128, 128, 32, 2, 0, false, 1},
		{1, 480, 480, 480, 2, 3, true, 1},
		{1, 240, 960, 240, 2, 3, true, 1},
		{1, 64, 1600, 64, 2, 1, true, 1.02},
		{1, 16, 3025, 64, 2, 0, true, 1.02},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := NewGrid(Work{Products: c.products, M: c.m, N: c.n, K: c.k, Steps: c.steps, InPlace: c.inPlace}, c.threads)
			busy := make([]int, c.threads)
			for i := range c.products * g.Parts() {
				m0, m1, n0, n1, _ := g.Cover(i%g.Parts(), i%g.Parts()+1)
				free := 0 // who claims next is who has done least
				for th := range busy {
					if busy[th] < busy[free] {
						free = th
					}
				}
				busy[free] += (m1 - m0) * (n1 - n0)
			}
			top := 0
			for _, b := range busy {
				top = max(top, b)
			}
			if share := float64(top*c.threads) / float64(c.products*c.m*c.n); share > c.most {
				t.Errorf("%+v: the busiest thread computes %.2f of its share, at most %.2f expected", g, share, c.most)
			}
		})
	}
}

func TestOneThreadComputesAProductWhole(t *testing.T) {
	if g := NewGrid(Work{Products: 1, M: 500, N: 500, K: 500, Steps: 2}, 1); g.Parts() != 1 {
		t.Errorf("%+v has %d parts", g, g.Parts())
	}
}
