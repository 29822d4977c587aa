package own

import (
	"sync"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
)

func TestStaleHandlesAreRefused(t *testing.T) {
	var table Table[int]
	if _, err := table.Get(0); errs.CodeOf(err) != errs.Closed {
		t.Errorf("the zero handle gives %v", err)
	}
	x, y := 1, 2
	h := table.Put(&x)
	if v, err := table.Get(h); err != nil || v != &x {
		t.Fatalf("Get gives %v, %v", v, err)
	}
	if _, err := table.Take(h); err != nil {
		t.Fatal(err)
	}
	for _, again := range []func(uint64) (*int, error){table.Get, table.Take} {
		if _, err := again(h); errs.CodeOf(err) != errs.Closed {
			t.Errorf("a stale handle gives %v", err)
		}
	}
	h2 := table.Put(&y)
	if uint32(h) != uint32(h2) || h == h2 {
		t.Errorf("handles %x and %x: the slot is reused under another generation", h, h2)
	}
	if _, err := table.Get(h); err == nil {
		t.Error("the handle of an earlier life is accepted")
	}
}

func TestTableUnderManyGoroutines(t *testing.T) {
	var table Table[int]
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 1000 {
				h := table.Put(&g)
				if v, err := table.Get(h); err != nil || v != &g {
					t.Errorf("Get gives %v, %v", v, err)
				}
				if _, err := table.Take(h); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if table.Len() != 0 {
		t.Errorf("%d objects left", table.Len())
	}
}
