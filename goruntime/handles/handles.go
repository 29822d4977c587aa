// Package handles holds what C and Python name by handle: sessions, arenas and
// stop tokens. The C exports and the control plane share its tables, so that one
// handle means the same object in both.
package handles

import (
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/own"
)

// The tables of the process.
var (
	Sessions = own.Table[Session]{What: "session"}
	Arenas   = own.Table[Arena]{What: "arena"}
	Stops    = own.Table[exec.Stop]{What: "stop"}
)
