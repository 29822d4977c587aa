package gradient

import (
	"fmt"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// trainingDomain is where the standard has Gradient.
const trainingDomain = "ai.onnx.preview.training"

func isGradient(n *onnx.Node) bool { return n.Domain == trainingDomain && n.OpType == "Gradient" }

// Expand returns the nodes of a graph with others in the place of its Gradient nodes,
// in no particular order; a list without any is returned as it is. opset is the version
// of ai.onnx that the list is written in.
//
// Errors: errs.Model for a Gradient that is not valid, errs.Unsupported naming the
// operator that has no rule.
func Expand(list []onnx.Node, opset int) ([]onnx.Node, error) {
	if !slices.ContainsFunc(list, func(n onnx.Node) bool { return isGradient(&n) }) {
		return list, nil
	}
	e := expander{opset: opset, producer: map[string]*onnx.Node{}, pending: map[string]*onnx.Node{}, state: map[*onnx.Node]state{}}
	var wanted []*onnx.Node
	for i := range list {
		n := &list[i]
		if isGradient(n) {
			wanted = append(wanted, n)
			for _, o := range n.Outputs {
				e.pending[o] = n
			}
			continue
		}
		e.add(n)
	}
	for _, n := range wanted {
		if err := e.expand(n); err != nil {
			return nil, errs.At(err, "Gradient", n.Name, "")
		}
	}
	return e.nodes(), nil
}

type state uint8

const (
	unseen state = iota
	underWay
	done
)

type expander struct {
	opset    int
	all      []*onnx.Node
	producer map[string]*onnx.Node // of each value but those of Gradients to come
	pending  map[string]*onnx.Node // the Gradient that will produce a value
	state    map[*onnx.Node]state  // of Gradients
	count    int                   // names made
}

func (e *expander) add(n *onnx.Node) {
	e.all = append(e.all, n)
	for _, o := range n.Outputs {
		if o != "" {
			e.producer[o] = n
		}
	}
}

func (e *expander) nodes() []onnx.Node {
	list := make([]onnx.Node, len(e.all))
	for i, n := range e.all {
		list[i] = *n
	}
	return list
}

// name returns a name that no model has by chance.
func (e *expander) name(of string) string {
	e.count++
	return fmt.Sprintf("%s/%s.%d", Domain, of, e.count)
}

// expand writes the nodes of Gradient n.
func (e *expander) expand(n *onnx.Node) error {
	switch e.state[n] {
	case done:
		return nil
	case underWay:
		return errs.New(errs.Model, "the gradient is one of itself")
	}
	e.state[n] = underWay
	s, err := e.subgraph(n)
	if err != nil {
		return err
	}
	if err := s.differentiate(); err != nil {
		return err
	}
	e.state[n] = done
	return nil
}

// settled expands the Gradient that produces a value, if one does.
func (e *expander) settled(name string) error {
	if n := e.pending[name]; n != nil && name != "" {
		return e.expand(n)
	}
	return nil
}
