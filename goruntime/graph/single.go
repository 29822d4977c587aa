package graph

import (
	"fmt"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// single makes list the nodes of the space and says which one gives a name. An output
// may not have a name that means a value already: of this list, of the graph or function
// that it is the body of, or of a graph around it. Inputs and initializers of a subgraph
// may hide what is around it, as the checker of the standard lets them.
//
// Errors: errs.Model naming both places.
func (sp *space) single(list []onnx.Node, prefix string) error {
	sp.nodes, sp.makers, sp.prefix = list, make(map[string]int, len(list)), prefix
	for i := range list {
		for _, o := range list[i].Outputs {
			if o == "" {
				continue
			}
			if owner := sp.owner(o); owner != "" {
				err := errs.New(errs.Model, "the output %q is also %s: a name is given to one value (single static assignment), rename one of the two where it is given and read", o, owner)
				return errs.At(err, list[i].OpType, prefix+label(list, i), "")
			}
			sp.makers[o] = i
		}
	}
	return nil
}

// owner says what gives a name: a node of this list, an input or initializer, or
// whatever does around here; "" where nothing does so far.
func (sp *space) owner(name string) string {
	if i, ok := sp.makers[name]; ok {
		return sp.output(i)
	}
	for ; sp != nil; sp = sp.parent {
		id, ok := sp.names[name]
		i, made := sp.makers[name]
		switch {
		case !ok:
		case made:
			return sp.output(i)
		case sp.calls != nil:
			return fmt.Sprintf("an input of the function %q", sp.calls.Name)
		case id < sp.given && sp.g.Values[id].Input:
			return fmt.Sprintf("an input of the graph %q", sp.g.Name)
		case id < sp.given:
			return fmt.Sprintf("an initializer of the graph %q", sp.g.Name)
		}
	}
	return ""
}

func (sp *space) output(i int) string {
	return fmt.Sprintf("an output of %s node %q", sp.nodes[i].OpType, sp.prefix+label(sp.nodes, i))
}

// label is the name of node i of a list, its position where it has none.
func label(list []onnx.Node, i int) string {
	if name := list[i].Name; name != "" {
		return name
	}
	return fmt.Sprintf("#%d", i)
}
