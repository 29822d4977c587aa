package arena

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/own"
)

//go:noinline
func acquiresHere(t *testing.T, a acquirer) Handle { return mustAcquire(t, a, 100) }

//go:noinline
func releasesHere(h Handle) { h.Release() }

//go:noinline
func exportsHere(t *testing.T, a *IOArena, h Handle) { mustRelease(t, mustExport(t, a, h, 1)) }

func TestSecondReleaseSaysWhoHadTheBlock(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("histories are kept under the invariants tag only")
	}
	a := NewIO(Options{})
	defer a.Close()
	for _, c := range []struct {
		name, ended string
		end         func(Handle)
	}{
		{"after a release", "releasesHere", releasesHere},
		{"after an export", "exportsHere", func(h Handle) { exportsHere(t, a, h) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := acquiresHere(t, a)
			c.end(h)
			msg := fmt.Sprint(panics(h.Release))
			made, ended, ok := strings.Cut(msg, "ended by\n")
			if !ok || !strings.Contains(made, "a block of 100 bytes is released a second time") ||
				!strings.Contains(made, "arena.acquiresHere") || !strings.Contains(ended, "arena."+c.ended) {
				t.Errorf("the history is\n%s", msg)
			}
		})
	}
	if msg := fmt.Sprint(panics(func() { _, _ = a.Export(Handle{}, 1) })); !strings.Contains(msg, "a handle of nothing was exported") {
		t.Errorf("%s", msg)
	}
}

//go:noinline
func dropsArenas() (Handle, Handle) {
	x, _ := NewExecution(Options{}).Acquire(64)
	y, _ := NewIO(Options{}).Acquire(64)
	return x, y
}

func TestDroppedArenasAreReported(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("objects are watched under the invariants tag only")
	}
	testkit.NoLeaks(t)
	x, y := dropsArenas()
	all := strings.Join(own.Lost(), "")
	for _, want := range []string{"ExecutionArena was dropped", "IOArena was dropped", "arena.dropsArenas"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the report\n%s", want, all)
		}
	}
	for _, h := range []Handle{x, y} { // the store is there as long as a handle is
		h.s.close()
		h.Release()
	}
}
