package handles

import (
	"unsafe" //lint:allow unsafe an address is looked up, never read

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// Arena is one arena of either kind.
type Arena struct {
	Memory
	Execution *arena.ExecutionArena // nil where it is an I/O arena
	IO        *arena.IOArena        // nil where it is an execution arena
}

// Memory is what the two kinds of arena have in common.
type Memory interface {
	Stats() arena.Stats
	Shrink(target int64) int64
	SetRetentionCap(n int64)
	RetentionCap() int64
	Limit() int64
	ResetPeak()
	Owns(p unsafe.Pointer) bool
	Close()
}

// NewArena makes an arena and returns its handle. A negative retentionCap is
// the default bound, a limit of 0 none.
//
// Errors: errs.Argument for a negative capacity or limit.
func NewArena(io bool, capacity, retentionCap, limit int64) (uint64, error) {
	if capacity < 0 || limit < 0 {
		return 0, errs.New(errs.Argument, "capacity %d, limit %d: neither may be negative", capacity, limit)
	}
	o := arena.Options{Capacity: int(capacity), Limit: limit}
	if retentionCap >= 0 {
		o.RetentionCap = &retentionCap
	}
	if io {
		return PutIO(arena.NewIO(o)), nil
	}
	return PutExecution(arena.NewExecution(o)), nil
}

// PutExecution gives an execution arena a handle.
func PutExecution(a *arena.ExecutionArena) uint64 {
	return Arenas.Put(&Arena{Memory: a, Execution: a})
}

// PutIO gives an I/O arena a handle.
func PutIO(a *arena.IOArena) uint64 { return Arenas.Put(&Arena{Memory: a, IO: a}) }

// CloseArena closes an arena and ends its handle; what is leased stays valid.
//
// Errors: errs.Closed.
func CloseArena(h uint64) error {
	a, err := Arenas.Take(h)
	if err == nil {
		a.Close()
	}
	return err
}

// ExecutionOf returns the execution arena of a handle, nil for 0.
//
// Errors: errs.Closed, and errs.Argument for an arena of the other kind.
func ExecutionOf(h uint64) (*arena.ExecutionArena, error) {
	if h == 0 {
		return nil, nil
	}
	a, err := Arenas.Get(h)
	if err == nil && a.Execution == nil {
		err = errs.New(errs.Argument, "an I/O arena given where an execution arena is expected")
	}
	if err != nil {
		return nil, err
	}
	return a.Execution, nil
}

// IOOf returns the I/O arena of a handle, nil for 0.
//
// Errors: as ExecutionOf.
func IOOf(h uint64) (*arena.IOArena, error) {
	if h == 0 {
		return nil, nil
	}
	a, err := Arenas.Get(h)
	if err == nil && a.IO == nil {
		err = errs.New(errs.Argument, "an execution arena given where an I/O arena is expected")
	}
	if err != nil {
		return nil, err
	}
	return a.IO, nil
}
