package exec

import (
	"math"
	"slices"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/offheap"
	"github.com/goruntime/goruntime/goruntime/plan"
)

// most returns how many bytes one value of a run may take: what an arena allows, or what
// the machine has.
func (on Resources) most() int {
	n := max(on.Execution.Limit(), on.IO.Limit())
	if on.Execution.Limit() == arena.NoLimit || on.IO.Limit() == arena.NoLimit {
		n = math.MaxInt64
	}
	return min(int(n), offheap.Machine())
}

// fits refuses a program with a value that takes more than can be had. Kernels are
// prepared before memory is asked for, and what they prepare grows with their outputs.
//
// Errors: errs.Memory naming the node.
func (z *specializer) fits(most int) error {
	for i := range z.p.steps {
		st := &z.p.steps[i]
		if !st.static || st.rename {
			continue
		}
		for _, v := range st.out {
			if v == plan.None {
				continue
			}
			view := &z.p.vals[v].view
			n, err := view.Shape.Check(view.DType)
			switch {
			case err != nil:
			case n > most:
				err = errs.New(errs.Memory, "the output %v takes %d bytes: at most %d can be had", view, n, most)
			case slices.ContainsFunc(view.Shape, func(d int) bool { return d > most }):
				err = errs.New(errs.Memory, "the output %v has no elements and more along a dimension than the %d bytes that can be had", view, most)
			}
			if err != nil {
				return errs.At(err, st.node.OpType, st.node.Name, "")
			}
		}
	}
	return nil
}
