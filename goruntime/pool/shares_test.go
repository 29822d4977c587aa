package pool

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A thread runs its share from the front, then what others left from the back.
func TestAThreadBeginsWithItsShare(t *testing.T) {
	shares := make([]share, 3)
	deal(shares, 10)
	var got []int
	for {
		i, ok := claim(shares, 1)
		if !ok {
			break
		}
		got = append(got, i)
	}
	want := []int{3, 4, 5, 9, 8, 7, 6, 2, 1, 0}
	if len(got) != len(want) {
		t.Fatalf("chunks %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("chunks %v, want %v", got, want)
		}
	}
}

func TestEachChunkIsClaimedOnce(t *testing.T) {
	for _, chunks := range []int{0, 1, 2, 5, 64, 1000} {
		shares := make([]share, 4)
		deal(shares, chunks)
		hits := make([]atomic.Int32, chunks)
		var wg sync.WaitGroup
		for own := range 7 { // more workers than shares
			wg.Go(func() {
				for {
					i, ok := claim(shares, own)
					if !ok {
						return
					}
					hits[i].Add(1)
				}
			})
		}
		wg.Wait()
		for i := range hits {
			if n := hits[i].Load(); n != 1 {
				t.Fatalf("%d chunks: number %d was claimed %d times", chunks, i, n)
			}
		}
	}
}

func TestNothingIsClaimedAfterAWithdrawal(t *testing.T) {
	shares := make([]share, 2)
	deal(shares, 100)
	withdraw(shares)
	if i, ok := claim(shares, 0); ok {
		t.Errorf("chunk %d", i)
	}
}
