package lanes

import (
	"math/bits"
	"testing"
)

func TestMasksSetTheFirstLanes(t *testing.T) {
	for n := range 17 {
		if got := *(*uint64)(Mask(16, n)); bits.OnesCount64(got) != n || bits.TrailingZeros64(^got) != n {
			t.Errorf("of 16 lanes the first %d: %b", n, got)
		}
	}
	for n := range 9 {
		for i, word := range *(*[8]int32)(Mask(8, n)) {
			if want := map[bool]int32{true: -1}[i < n]; word != want {
				t.Errorf("of 8 lanes the first %d: lane %d is %x", n, i, word)
			}
		}
	}
}
