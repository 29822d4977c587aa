package own

import (
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
)

type thing struct {
	watch Watch
	next  *thing
}

//go:noinline
func newThing() *thing {
	x := &thing{}
	x.watch = Over(x, "thing")
	return x
}

//go:noinline
func dropThings(end bool) {
	for range 3 {
		x := newThing()
		x.next = x
		if end {
			x.watch.End()
			x.watch.End()
		}
	}
}

func TestLostObjectsAreReportedWithTheirStack(t *testing.T) {
	Lost()
	dropThings(true)
	if l := Lost(); len(l) != 0 {
		t.Errorf("objects that were ended are reported: %v", l)
	}
	dropThings(false)
	l := Lost()
	if !invariants.Enabled {
		if l != nil || newThing().watch.d != nil {
			t.Errorf("without the tag %v is reported", l)
		}
		return
	}
	if len(l) != 3 || !strings.HasPrefix(l[0], "thing was dropped and never closed") || !strings.Contains(l[0], "own.dropThings") {
		t.Errorf("three things are lost, reported: %v", l)
	}
	if l := Lost(); len(l) != 0 {
		t.Errorf("reported twice: %v", l)
	}
	kept := newThing()
	if l := Lost(); len(l) != 0 {
		t.Errorf("what is in use is reported: %v", l)
	}
	kept.watch.End()
}
