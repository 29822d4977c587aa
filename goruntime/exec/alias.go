package exec

import (
	"github.com/goruntime/goruntime/goruntime/op"
)

// aliasCopy copies a value that leaves the run under memory that is not its
// own: an input, a constant, or the memory of another output. It is the one
// copy that a run makes of its own accord, and it is counted.
var aliasCopy = &op.Def{
	Name:     "Identity",
	Versions: op.Versions{1: ""},
	Shape:    op.SameAsInput,
	Run: func(c *op.Context) error {
		copy(c.Out(0).Raw(), c.In(0).Raw())
		return nil
	},
}
