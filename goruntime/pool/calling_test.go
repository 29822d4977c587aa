package pool

import (
	"sync/atomic"
	"testing"
	"time"
)

// asleep waits until all workers sleep, of which there is one at least.
func asleep(t *testing.T) {
	t.Helper()
	Enter(2).For(64, 1, &slow{})
	for end := time.Now().Add(10 * time.Second); crew.sleep.Load() < int32(crew.workers); {
		if time.Now().After(end) {
			t.Fatalf("%d of %d workers sleep", crew.sleep.Load(), crew.workers)
		}
		time.Sleep(time.Millisecond)
	}
}

// slow is a loop body of a millisecond a chunk.
type slow struct{}

func (*slow) Chunk(int, int) { time.Sleep(time.Millisecond) }

func wakes() uint32 { return atomic.LoadUint32(&crew.word) }

func TestALoopThatIsOverSoonWakesNobody(t *testing.T) {
	twoThreads(t)
	for range 50 { // of which others may interrupt some
		asleep(t)
		before := wakes()
		Enter(2).For(8, 1, &none{})
		if wakes() == before {
			return
		}
	}
	t.Error("each loop of 8 empty chunks woke the workers")
}

func TestALoopThatGoesOnIsHelped(t *testing.T) {
	twoThreads(t)
	asleep(t)
	before, c := wakes(), &Counters{}
	Enter(2).Counting(c).For(64, 1, &slow{})
	if wakes() == before {
		t.Error("a loop of 64 chunks of a millisecond woke nobody")
	}
	if n := c.Now(); n.Chunks != 16 || n.Helped == 0 {
		t.Errorf("%+v, 16 chunks expected, of which workers ran some", n)
	}
}

// A loop of as many chunks as threads is helped from its beginning: when the first chunk is
// over, nothing is left to call for.
func TestALoopOfAChunkAThreadIsHelped(t *testing.T) {
	twoThreads(t)
	asleep(t)
	before := wakes()
	Enter(2).For(2, 1, &none{})
	if wakes() == before {
		t.Error("a loop of 2 chunks for 2 threads woke nobody")
	}
}

// Loops that are short one by one call for help together.
func TestManyShortLoopsAreHelped(t *testing.T) {
	twoThreads(t)
	for range 50 {
		asleep(t)
		before, s := wakes(), &spinTask{}
		for range 20 {
			Enter(2).For(3, 1, s) // 20 microseconds each
		}
		if wakes() != before {
			return
		}
	}
	t.Error("20 loops of 60 microseconds, one behind the other, woke nobody")
}
