package exec

import (
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// What an output of a program is, where it is no input: see program.through.
const (
	made     = -1 // by a step of the program
	constant = -2 // of the model: borrowed from it
)

// leave lists what leaves the run. A value whose memory is not the run's own,
// or leaves already, leaves as a copy; but the body of a loop hands its inputs
// and constants through.
func (z *specializer) leave(sc scope) {
	p := z.p
	taken := map[int]bool{}
	for _, id := range p.unit.wanted {
		v := z.value(p.unit.g, sc, id)
		root := p.vals[v].root
		from := made
		switch r := &p.vals[root]; {
		case p.unit.body && r.feed >= 0:
			from = r.feed
		case p.unit.body && r.known && r.model:
			from = constant
		case r.feed >= 0 || r.known || taken[root]:
			v = z.copyOf(v, p.unit.g.Values[id].Name)
		}
		taken[p.vals[v].root] = true
		p.outputs = append(p.outputs, v)
		p.through = append(p.through, from)
		p.others = p.others || !p.vals[v].shaped
	}
}

// copyOf adds a step that copies value v to one of this name.
func (z *specializer) copyOf(v int, name string) int {
	src := z.p.vals[v]
	out := z.add(value{name: name, view: tensor.View{DType: src.view.DType, Shape: src.view.Shape}, shaped: src.shaped, feed: -1})
	n := &graph.Node{Name: name, OpType: "Identity", Version: 1, Def: aliasCopy}
	z.p.steps = append(z.p.steps, step{node: n, in: []int{v}, out: []int{out}, args: 1, static: src.shaped})
	return out
}
