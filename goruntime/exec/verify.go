package exec

import (
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// verifyOutputs checks, in the invariants build, that each output of a step lies in
// the arena of its role. In the release build an output that leaves the run from
// the wrong arena is copied and counted as a migration (see Call.result).
func (f *frame) verifyOutputs(st *step) {
	for _, v := range st.out {
		if v == plan.None || f.views[v].DType == tensor.Other {
			continue
		}
		b := f.prog.plan.Of[v]
		h := f.own[b]
		if !h.Valid() {
			continue // in the slab, in lent memory, in an element or borrowed
		}
		wantIO := f.exitFor(v).io
		if f.run.io.Holds(h) != wantIO {
			invariants.Bug("output %q of %s is in the wrong arena: role %v", f.prog.vals[v].name, st.node.OpType, f.prog.plan.Buffers[b].Role)
		}
	}
}
