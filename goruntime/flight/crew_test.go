package flight

import (
	"testing"
	"time"
)

func TestRunsShareTheProcessors(t *testing.T) {
	c := newCrew(4)
	long, short := worthwhile, worthwhile/2
	for i, k := range []struct {
		work time.Duration
		want int
	}{{long, 4}, {long, 2}, {short, 1}, {long, 1}, {long, 1}} {
		if got := c.begin(k.work); got != k.want {
			t.Errorf("run %d of %v gets %d threads, want %d", i, k.work, got, k.want)
		}
	}
	for range 5 {
		c.end()
	}
	if got := c.begin(long); got != 4 {
		t.Errorf("after all have ended a run gets %d threads, want 4", got)
	}
}

func TestTheWorkOfARunIsEstimated(t *testing.T) {
	var p pace
	if got := p.work(1); got < worthwhile {
		t.Errorf("the first run is taken for %v", got)
	}
	p.ran(100, 2, 50*time.Microsecond) // a microsecond a row
	if got := p.work(10); got != 10*time.Microsecond {
		t.Errorf("10 rows are taken for %v, want 10us", got)
	}
	p.ran(0, 1, 3*time.Microsecond) // no rows are taken for one
	if got := p.work(10); got != 20*time.Microsecond {
		t.Errorf("10 rows are taken for %v, want 20us", got)
	}
}
