package wide

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Numbers that a type holds come back as they were.
func TestStoreAfterLoad(t *testing.T) {
	room := make([]uint64, 8)
	for d := tensor.F32; d < tensor.NumDTypes; d++ {
		if (Load[d] == nil) != (d == tensor.Str || d.Width() == 0 || d == tensor.F8E8M0) {
			t.Errorf("%v: readable is %v", d, Load[d] != nil)
		}
		if Store[d] == nil {
			continue
		}
		v, err := tensor.ViewOf(tensor.C128, tensor.Shape{4}, room)
		if err != nil {
			t.Fatal(err)
		}
		v.DType = d
		want := []float64{0, 1, 5, 100, 2, 3, 4, 7}[:4*Parts(d)]
		if d == tensor.Bool {
			want[2], want[3] = 1, 1
		}
		Store[d](&v, want)
		got := make([]float64, len(want))
		Load[d](got, &v)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%v: element %d is %v, want %v", d, i, got[i], want[i])
			}
		}
	}
}

func TestIntegersSaturateAndCutFractionsOff(t *testing.T) {
	for _, c := range []struct {
		x   float64
		i8  int8
		u8  uint8
		i64 int64
		u64 uint64
	}{
		{1.9, 1, 1, 1, 1},
		{-1.9, -1, 0, -1, 0},
		{300, 127, 255, 300, 300},
		{-300, -128, 0, -300, 0},
		{math.Inf(1), 127, 255, math.MaxInt64, math.MaxUint64},
		{math.Inf(-1), -128, 0, math.MinInt64, 0},
		{math.NaN(), 0, 0, 0, 0},
	} {
		i8, u8, i64, u64 := Integer[int8]().Narrow(c.x), Integer[uint8]().Narrow(c.x), Integer[int64]().Narrow(c.x), Integer[uint64]().Narrow(c.x)
		if i8 != c.i8 || u8 != c.u8 || i64 != c.i64 || u64 != c.u64 {
			t.Errorf("%v becomes %d, %d, %d, %d; want %d, %d, %d, %d", c.x, i8, u8, i64, u64, c.i8, c.u8, c.i64, c.u64)
		}
	}
}

func TestSmallSaturates(t *testing.T) {
	n := Small(tensor.E4M3FN)
	if got := n.Widen(n.Narrow(1e6)); got != 448 {
		t.Errorf("1e6 becomes %v, want the greatest number 448", got)
	}
}
