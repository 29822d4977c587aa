package own

import (
	"sync/atomic"
	"testing"
)

// A handle whose object was taken never names the object that gets its slot
// next, also while that one is being put there.
func TestStaleHandleNeverNamesTheNextObject(t *testing.T) {
	var table Table[int]
	var dead atomic.Uint64
	var stop atomic.Bool
	wrong := make(chan uint64, 1)
	go func() {
		defer close(wrong)
		for !stop.Load() {
			if h := dead.Load(); h != 0 {
				if _, err := table.Get(h); err == nil {
					wrong <- h
					return
				}
			}
		}
	}()
	v := 1
	for range 300_000 {
		h := table.Put(&v)
		if _, err := table.Take(h); err != nil {
			t.Fatal(err)
		}
		dead.Store(h)
	}
	stop.Store(true)
	if h, bad := <-wrong; bad {
		t.Errorf("the dead handle %x names an object", h)
	}
}
