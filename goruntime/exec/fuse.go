package exec

import (
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// fuse joins steps of the finished list into fewer ones that compute the same
// values but those that nobody looks at. What it may not join is looked at: values
// that leave the program, and all values of a program that is whole.
func (z *specializer) fuse() error {
	if z.p.whole {
		return nil
	}
	if err := z.fuseHalves(); err != nil {
		return err
	}
	z.fuseBytes()
	if err := z.fuseCodes(); err != nil {
		return err
	}
	if err := z.fuseAffine(); err != nil {
		return err
	}
	z.fuseChains()
	return nil
}

// tail is a chain of elementwise steps that one step stands for.
type tail struct {
	program *chain.Program
	in      []int    // the values that it reads, after the node's own output where onto
	onto    bool     // it follows the node, whose output is its input 0
	nodes   []string // the operators, in order
}

// links says who makes and who reads each value of a program.
type links struct {
	maker   []int   // the step, or plan.None
	readers [][]int // the steps, one entry for each input slot
	leaves  []bool
}

func (p *program) links() *links {
	l := &links{maker: make([]int, len(p.vals)), readers: make([][]int, len(p.vals)), leaves: make([]bool, len(p.vals))}
	for v := range l.maker {
		l.maker[v] = plan.None
	}
	for i := range p.steps {
		for _, v := range p.steps[i].in {
			if v != plan.None {
				l.readers[v] = append(l.readers[v], i)
			}
		}
		for _, v := range p.steps[i].out {
			if v != plan.None {
				l.maker[v] = i
			}
		}
	}
	for _, v := range p.outputs {
		l.leaves[v] = true
	}
	return l
}

// only reports whether a step has one output, of known shape, in f32.
func (p *program) only(st *step) bool {
	if !st.static || st.rename || len(st.bodies) > 0 || len(st.out) == 0 || st.out[0] == plan.None {
		return false
	}
	for _, v := range st.out[1:] {
		if v != plan.None {
			return false
		}
	}
	v := &p.vals[st.out[0]]
	return v.view.DType == tensor.F32 && v.view.Elements() > 0
}
