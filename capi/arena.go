package main

// #include "api.h"
import "C"

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/own"
)

// box is an arena of either kind as C holds it.
type box struct {
	execution *arena.ExecutionArena
	io        *arena.IOArena
}

// common is what both kinds do.
type common interface {
	Stats() arena.Stats
	Shrink(target int64) int64
	SetRetentionCap(n int64)
	ResetPeak()
	Owns(p unsafe.Pointer) bool
	Close()
}

func (b *box) any() common {
	if b.io != nil {
		return b.io
	}
	return b.execution
}

var arenas own.Table[box]

// withArena runs f on the arena of a handle.
func withArena(h C.uint64_t, out **C.gr_error, f func(a common)) C.gr_status {
	return guard(out, func() error {
		b, err := arenas.Get(uint64(h))
		if err == nil {
			f(b.any())
		}
		return err
	})
}

// executionArena returns the arena of a handle, nil for 0.
func executionArena(h C.uint64_t) (*arena.ExecutionArena, error) {
	if h == 0 {
		return nil, nil
	}
	b, err := arenas.Get(uint64(h))
	if err == nil && b.execution == nil {
		err = errs.New(errs.Argument, "an I/O arena given where an execution arena is expected")
	}
	if err != nil {
		return nil, err
	}
	return b.execution, nil
}

// ioArena returns the arena of a handle, nil for 0.
func ioArena(h C.uint64_t) (*arena.IOArena, error) {
	if h == 0 {
		return nil, nil
	}
	b, err := arenas.Get(uint64(h))
	if err == nil && b.io == nil {
		err = errs.New(errs.Argument, "an execution arena given where an I/O arena is expected")
	}
	if err != nil {
		return nil, err
	}
	return b.io, nil
}

//export gr_arena_new
func gr_arena_new(io C.int32_t, capacity, retentionCap, limit C.int64_t, handle *C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		o := arena.Options{Capacity: int(max(0, capacity)), Limit: int64(limit)}
		if retentionCap >= 0 {
			n := int64(retentionCap)
			o.RetentionCap = &n
		}
		b := &box{}
		if io != 0 {
			b.io = arena.NewIO(o)
		} else {
			b.execution = arena.NewExecution(o)
		}
		*handle = C.uint64_t(arenas.Put(b))
		return nil
	})
}

//export gr_arena_close
func gr_arena_close(h C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		b, err := arenas.Take(uint64(h))
		if err == nil {
			b.any().Close()
		}
		return err
	})
}

//export gr_arena_get_stats
func gr_arena_get_stats(h C.uint64_t, stats *C.gr_arena_stats, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a common) {
		s := a.Stats()
		// SAFETY: gr_arena_stats lists the int64 fields of arena.Stats in order; a test
		// compares the sizes.
		*(*arena.Stats)(unsafe.Pointer(stats)) = s
	})
}

//export gr_arena_trim
func gr_arena_trim(h C.uint64_t, target C.int64_t, bytes *C.int64_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a common) { *bytes = C.int64_t(a.Shrink(int64(target))) })
}

//export gr_arena_set_cap
func gr_arena_set_cap(h C.uint64_t, n C.int64_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a common) { a.SetRetentionCap(max(int64(n), arena.NoCap)) })
}

//export gr_arena_reset_peak
func gr_arena_reset_peak(h C.uint64_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a common) { a.ResetPeak() })
}

//export gr_arena_owns
func gr_arena_owns(h C.uint64_t, address unsafe.Pointer, owns *C.int32_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a common) {
		*owns = 0
		if a.Owns(address) {
			*owns = 1
		}
	})
}

//export gr_arena_copy_block
func gr_arena_copy_block(h C.uint64_t, bytes C.size_t, reason C.int32_t, block *C.gr_output, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		a, err := ioArena(h)
		if err != nil {
			return err
		}
		b, err := a.Acquire(int(bytes))
		if err != nil {
			return err
		}
		l, err := a.Export(b, 1)
		if err != nil {
			return err
		}
		a.CountCopy(arena.CopyReason(reason), int(bytes))
		block.data = l.Address()
		block.lease, block.generation = (*C.gr_lease)(unsafe.Pointer(l.Header)), C.uint32_t(l.Generation)
		return nil
	})
}
