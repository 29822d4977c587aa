// Package own keeps the objects that C holds, by handle and never by pointer, and
// reports objects that were dropped without being closed. It is the one place
// with cleanup hooks, which report and never free.
//
// A handle is slot and generation, so that a stale or twice-closed one is an
// error and not a crash. The zero handle names nothing.
package own

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Table maps handles to objects of one kind.
//
// Concurrency: all methods are safe from any goroutine; Get takes no lock.
type Table[T any] struct {
	// What the objects are, as errors name one.
	What string

	mu    sync.Mutex // protects free, and the growth of slots
	free  []uint32
	slots atomic.Pointer[[]*slot[T]]
}

type slot[T any] struct {
	generation atomic.Uint32
	value      atomic.Pointer[T]
}

// Put adds v and returns its handle, which is not zero.
func (t *Table[T]) Put(v *T) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		t.grow()
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	s := (*t.slots.Load())[i]
	s.value.Store(v)
	return uint64(s.generation.Load())<<32 | uint64(i)
}

// grow doubles the slots. The lock is held.
func (t *Table[T]) grow() {
	var old []*slot[T]
	if p := t.slots.Load(); p != nil {
		old = *p
	}
	grown := make([]*slot[T], max(16, 2*len(old)))
	copy(grown, old)
	for i := len(grown) - 1; i >= len(old); i-- {
		grown[i] = &slot[T]{}
		grown[i].generation.Store(1) // the zero handle names nothing
		t.free = append(t.free, uint32(i))
	}
	t.slots.Store(&grown)
}

// Get returns the object of a handle.
//
// Errors: errs.Closed for a handle that was taken or never given.
func (t *Table[T]) Get(h uint64) (*T, error) {
	if s := t.slot(h); s != nil {
		if v := s.value.Load(); v != nil && s.generation.Load() == uint32(h>>32) {
			return v, nil
		}
	}
	return nil, errs.New(errs.Closed, "the %s is closed", cmp.Or(t.What, "object"))
}

func (t *Table[T]) slot(h uint64) *slot[T] {
	p := t.slots.Load()
	if p == nil || uint64(uint32(h)) >= uint64(len(*p)) {
		return nil
	}
	return (*p)[uint32(h)]
}

// Take removes the object of a handle and returns it: the handle is dead.
//
// Errors: as Get.
func (t *Table[T]) Take(h uint64) (*T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, err := t.Get(h)
	if err != nil {
		return nil, err
	}
	s := t.slot(h)
	s.value.Store(nil)
	// Ended before the slot is free: whoever then sees the next object sees
	// another generation too.
	s.generation.Add(1)
	t.free = append(t.free, uint32(h))
	return v, nil
}

// Len returns how many objects the table holds.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.slots.Load(); p != nil {
		return len(*p) - len(t.free)
	}
	return 0
}
