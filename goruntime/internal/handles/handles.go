// Package handles holds what C and Python name by handle: sessions, targets,
// arenas and stop tokens. The C exports and the control plane share its tables,
// so that one handle means the same object in both.
package handles

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/own"
)

// The tables of the process.
var (
	Sessions own.Table[Session]
	Targets  own.Table[exec.Target]
	Arenas   own.Table[Arena]
	Stops    own.Table[Stop]
)

// Arena is one arena of either kind.
type Arena struct {
	Memory
	Execution *arena.ExecutionArena // nil where it is an I/O arena
	IO        *arena.IOArena        // nil where it is an execution arena
	borrowed  bool                  // the session that made it closes it
}

// Memory is what the two kinds of arena have in common.
type Memory interface {
	Stats() arena.Stats
	Trim() int64
	Shrink(target int64) int64
	SetRetentionCap(n int64)
	RetentionCap() int64
	Limit() int64
	ResetPeak()
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
		return putIO(arena.NewIO(o), false), nil
	}
	return putExecution(arena.NewExecution(o), false), nil
}

func putIO(a *arena.IOArena, borrowed bool) uint64 {
	return Arenas.Put(&Arena{Memory: a, IO: a, borrowed: borrowed})
}

func putExecution(a *arena.ExecutionArena, borrowed bool) uint64 {
	return Arenas.Put(&Arena{Memory: a, Execution: a, borrowed: borrowed})
}

// CloseArena ends the handle of an arena; what is leased stays valid. An arena
// that a session made lives until the session closes.
func CloseArena(h uint64) error {
	a, err := Arenas.Take(h)
	if err == nil && !a.borrowed {
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
	if err != nil {
		return nil, err
	}
	if a.Execution == nil {
		return nil, errs.New(errs.Argument, "an I/O arena is given, an execution arena expected")
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
	if err != nil {
		return nil, err
	}
	if a.IO == nil {
		return nil, errs.New(errs.Argument, "an execution arena is given, an I/O arena expected")
	}
	return a.IO, nil
}
