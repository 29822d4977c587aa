package arena

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// sizes are those around every class boundary up to a terabyte.
func sizes(yield func(int) bool) {
	for n := range 5000 {
		if !yield(n) {
			return
		}
	}
	for c := range numClasses {
		for d := -2; d <= 2; d++ {
			if n := classSize(c) + d; n >= 5000 && n < 1<<40 && !yield(n) {
				return
			}
		}
	}
}

func TestClassIsTheSmallestThatFits(t *testing.T) {
	for n := range sizes {
		c := classOf(n)
		size := classSize(c)
		if size < n {
			t.Fatalf("%d bytes get class %d of %d", n, c, size)
		}
		if size-n > max(n/8, minBlock) {
			t.Errorf("%d bytes get a block of %d: more than an eighth is wasted", n, size)
		}
		if c > 0 && n > minBlock && c != classOf(size) {
			t.Errorf("%d bytes and the %d of its block have classes %d and %d", n, size, c, classOf(size))
		}
		for below := c - 1; below >= 0 && classSize(below) >= n; below-- {
			if classSize(below) < size {
				t.Errorf("%d bytes get class %d of %d, class %d of %d fits", n, c, size, below, classSize(below))
			}
		}
		if size%minBlock != 0 {
			t.Errorf("class %d has %d bytes, no multiple of %d", c, size, minBlock)
		}
	}
}

func TestSizesThatNoBlockHas(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewExecution(Options{})
	defer a.Close()
	for _, n := range []int{-1, math.MinInt, math.MaxInt, 1 << 50} {
		_, err := a.Acquire(n)
		if errs.CodeOf(err) != errs.Memory {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestFreeBlockServesDownToHalf(t *testing.T) {
	testkit.NoLeaks(t)
	for _, size := range []int{4096, 80 << 10, 3 << 20} {
		for _, c := range []struct {
			name string
			ask  int
			hit  bool
		}{
			{"its own size", size, true},
			{"a little less", size - size/5, true},
			{"half", size / 2, true},
			{"less than half", size/2 - 1, false},
			{"a byte", 1, false},
			{"more", size + size/4, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := NewExecution(Options{})
				defer a.Close()
				hold := mustAcquire(t, a, 4*size) // so that the bound evicts nothing
				defer hold.Release()
				mustAcquire(t, a, size).Release()
				before := a.Stats()
				h := mustAcquire(t, a, c.ask)
				if got := a.Stats().Hits - before.Hits; (got == 1) != c.hit {
					t.Errorf("a free block of %d bytes, %d asked for: %d hits", size, c.ask, got)
				}
				if c.hit && h.Capacity() != size {
					t.Errorf("the reused block's capacity is %d, it was %d", h.Capacity(), size)
				}
				h.Release()
			})
		}
	}
}

func TestSameBlockForAllSizesOfAClass(t *testing.T) {
	testkit.NoLeaks(t)
	a := NewExecution(Options{})
	defer a.Close()
	mustAcquire(t, a, 65).Release()
	for n := 65; n <= 128; n++ {
		mustAcquire(t, a, n).Release()
	}
	if st := a.Stats(); st.Misses != 1 || st.Hits != 64 {
		t.Errorf("%d misses, %d hits: a block of 128 bytes serves 65 to 128", st.Misses, st.Hits)
	}
}
