package arena

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/lease"
)

// model is what an arena is, said simply: what is owned, with the byte that it
// was filled with.
type model struct {
	a      *IOArena
	live   []owned
	leased []ownedLease
	peak   int64
	cap    int64
	limit  int64
}

type owned struct {
	h Handle
	v byte
}

type ownedLease struct {
	l     lease.Handle
	v     byte
	bytes int64
	refs  int
}

func (m *model) bytes() (n int64) {
	for _, o := range m.live {
		n += int64(o.h.Capacity())
	}
	for _, o := range m.leased {
		n += o.bytes
	}
	return n
}

// pick removes one of the list at random.
func pick[T any](t *rapid.T, list *[]T) T {
	i := rapid.IntRange(0, len(*list)-1).Draw(t, "which")
	v := (*list)[i]
	(*list)[i] = (*list)[len(*list)-1]
	*list = (*list)[:len(*list)-1]
	return v
}

func (m *model) acquire(t *rapid.T) {
	n := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(300, 20000), rapid.IntRange(20000, 3<<20)).Draw(t, "bytes")
	h, err := m.a.Acquire(n)
	if err != nil {
		if m.limit == NoLimit || m.bytes()+int64(classSize(classOf(n))) <= m.limit {
			t.Fatalf("%d bytes refused: %v", n, err)
		}
		return
	}
	o := owned{h, byte(rapid.IntRange(1, 255).Draw(t, "fill"))}
	touch(h.Data(), n, o.v)
	m.live = append(m.live, o)
}

// touch writes v to the ends and the middle of n bytes.
func touch(p unsafe.Pointer, n int, v byte) {
	for _, at := range []int{0, n / 2, n - 1} {
		if at >= 0 && at < n {
			*(*byte)(unsafe.Add(p, at)) = v
		}
	}
}

func touched(p unsafe.Pointer, n int, v byte) bool {
	for _, at := range []int{0, n / 2, n - 1} {
		if at >= 0 && at < n && *(*byte)(unsafe.Add(p, at)) != v {
			return false
		}
	}
	return true
}

func (m *model) release(t *rapid.T) {
	if len(m.live) == 0 {
		t.Skip("nothing to release")
	}
	o := pick(t, &m.live)
	if !touched(o.h.Data(), o.h.Size(), o.v) {
		t.Fatalf("a live block was overwritten")
	}
	o.h.Release()
}

func (m *model) export(t *rapid.T) {
	if len(m.live) == 0 {
		t.Skip("nothing to export")
	}
	o, refs := pick(t, &m.live), rapid.IntRange(1, 3).Draw(t, "refs")
	l, err := m.a.Export(o.h, refs)
	if err != nil {
		t.Fatal(err)
	}
	m.leased = append(m.leased, ownedLease{l, o.v, int64(o.h.Capacity()), refs})
}

func (m *model) giveBack(t *rapid.T) {
	if len(m.leased) == 0 {
		t.Skip("nothing is leased")
	}
	o := pick(t, &m.leased)
	if !touched(o.l.Address(), o.l.Bytes(), o.v) {
		t.Fatal("leased memory was overwritten")
	}
	if err := o.l.Release(); err != nil {
		t.Fatal(err)
	}
	if o.refs--; o.refs > 0 {
		m.leased = append(m.leased, o)
	} else if o.l.Release() == nil {
		t.Fatal("a lease was released once too often")
	}
}

// check compares the arena's books with the model.
func (m *model) check(t *rapid.T) {
	st := m.a.Stats()
	if st.Live != m.bytes() || st.LiveBlocks != int64(len(m.live)+len(m.leased)) || st.Leases != int64(len(m.leased)) {
		t.Fatalf("%d bytes in %d blocks and %d leases: %+v", m.bytes(), len(m.live), len(m.leased), st)
	}
	if m.limit != NoLimit && st.Live+st.Retained > m.limit {
		t.Fatalf("above the limit: %+v", st)
	}
	if m.cap != NoCap && st.Retained > m.cap {
		t.Fatalf("above the cap of %d: %+v", m.cap, st)
	}
	if m.cap == NoCap && st.Live+st.Retained > m.a.s.bound(st.PeakLive) && st.Live+st.Retained > m.a.s.bound(m.peak) {
		t.Fatalf("above the bound: %+v", st)
	}
	m.peak = max(m.peak, st.PeakLive)
	if st.Misuses != 0 || (st.RetainedBlocks == 0) != (st.Retained == 0) {
		t.Fatalf("%+v", st)
	}
	m.checkLists(t, st)
}

// checkLists walks the free lists, which must hold what the counters say.
func (m *model) checkLists(t *rapid.T, st Stats) {
	s := m.a.s
	s.mu.Lock()
	defer s.mu.Unlock()
	byAge, byClass, bytes := int64(0), int64(0), int64(0)
	for b := s.oldest; b != nil; b = b.newer {
		byAge++
		bytes += int64(b.bytes)
		if b.state != free {
			t.Fatalf("a block on the free list is in state %d", b.state)
		}
	}
	for c, b := range s.classes {
		if (b != nil) != (s.occupied[c/64]>>(c%64)&1 == 1) {
			t.Fatalf("the bit of class %d is wrong", c)
		}
		for ; b != nil; b = b.below {
			byClass++
		}
	}
	if byAge != st.RetainedBlocks || byClass != st.RetainedBlocks || bytes != st.Retained {
		t.Fatalf("%d blocks by age and %d by class of %d bytes on the lists: %+v", byAge, byClass, bytes, st)
	}
}

func TestArenaAgreesWithAModel(t *testing.T) {
	testkit.NoLeaks(t)
	rapid.Check(t, func(t *rapid.T) {
		m := &model{cap: NoCap}
		o := Options{Capacity: rapid.IntRange(0, 4).Draw(t, "capacity")}
		if rapid.Bool().Draw(t, "limited") {
			m.limit = int64(rapid.IntRange(1<<16, 16<<20).Draw(t, "limit"))
			o.Limit = m.limit
		}
		m.a = NewIO(o)
		t.Repeat(map[string]func(*rapid.T){
			"acquire":  m.acquire,
			"acquire2": m.acquire,
			"release":  m.release,
			"export":   m.export,
			"giveBack": m.giveBack,
			"trim": func(t *rapid.T) {
				before := m.a.Stats().Retained
				if n := m.a.Trim(); n != before || m.a.Stats().Retained != 0 {
					t.Fatalf("Trim returns %d of %d", n, before)
				}
			},
			"shrink": func(t *rapid.T) {
				target := int64(rapid.IntRange(0, 4<<20).Draw(t, "target"))
				m.a.Shrink(target)
				if st := m.a.Stats(); st.Retained > target {
					t.Fatalf("Shrink(%d): %+v", target, st)
				}
			},
			"cap": func(t *rapid.T) {
				m.cap = rapid.OneOf(rapid.Just(int64(NoCap)), rapid.Int64Range(0, 4<<20)).Draw(t, "cap")
				m.a.SetRetentionCap(m.cap)
				m.peak = 1 << 60 // what was retained under another bound may stay until the next miss
			},
			"resetPeak": func(*rapid.T) { m.a.ResetPeak() },
			"":          m.check,
		})
		for len(m.live) > 0 {
			m.release(t)
		}
		m.a.Close()
		for len(m.leased) > 0 {
			m.giveBack(t)
		}
		if m.a.Stats().Live != 0 {
			t.Fatalf("%+v", m.a.Stats())
		}
	})
}
