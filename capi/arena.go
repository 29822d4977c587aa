package main

// #include "api.h"
import "C"

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/handles"
)

// withArena runs f on the arena of a handle.
func withArena(h C.uint64_t, out **C.gr_error, f func(a *handles.Arena)) C.gr_status {
	return guard(out, func() error {
		a, err := handles.Arenas.Get(uint64(h))
		if err == nil {
			f(a)
		}
		return err
	})
}

//export gr_arena_new
func gr_arena_new(io C.int32_t, capacity, retentionCap, limit C.int64_t, handle *C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		h, err := handles.NewArena(io != 0, int64(capacity), int64(retentionCap), int64(limit))
		*handle = C.uint64_t(h)
		return err
	})
}

//export gr_arena_close
func gr_arena_close(h C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error { return handles.CloseArena(uint64(h)) })
}

// The build fails where gr_arena_stats and arena.Stats differ in size.
var (
	_ [unsafe.Sizeof(arena.Stats{}) - C.sizeof_gr_arena_stats]byte
	_ [C.sizeof_gr_arena_stats - unsafe.Sizeof(arena.Stats{})]byte
)

//export gr_arena_get_stats
func gr_arena_get_stats(h C.uint64_t, stats *C.gr_arena_stats, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a *handles.Arena) {
		s := a.Stats()
		// SAFETY: gr_arena_stats lists the int64 fields of arena.Stats in order, and is
		// as large.
		*(*arena.Stats)(unsafe.Pointer(stats)) = s
	})
}

//export gr_arena_trim
func gr_arena_trim(h C.uint64_t, target C.int64_t, bytes *C.int64_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a *handles.Arena) { *bytes = C.int64_t(a.Shrink(int64(target))) })
}

//export gr_arena_set_cap
func gr_arena_set_cap(h C.uint64_t, n C.int64_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a *handles.Arena) { a.SetRetentionCap(max(int64(n), arena.NoCap)) })
}

//export gr_arena_reset_peak
func gr_arena_reset_peak(h C.uint64_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a *handles.Arena) { a.ResetPeak() })
}

//export gr_arena_owns
func gr_arena_owns(h C.uint64_t, address unsafe.Pointer, owns *C.int32_t, out **C.gr_error) C.gr_status {
	return withArena(h, out, func(a *handles.Arena) {
		*owns = 0
		if a.Owns(address) {
			*owns = 1
		}
	})
}

//export gr_arena_copy_block
func gr_arena_copy_block(h C.uint64_t, bytes C.size_t, reason C.int32_t, block *C.gr_output, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		a, err := handles.IOOf(uint64(h))
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
		place(block, l.Address(), l)
		return nil
	})
}

//export gr_arena_count_copy
func gr_arena_count_copy(h C.uint64_t, bytes C.size_t, reason C.int32_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		a, err := handles.IOOf(uint64(h))
		if err == nil {
			a.CountCopy(arena.CopyReason(reason), int(bytes))
		}
		return err
	})
}
