package gradient

import (
	"fmt"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/schema"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// trainingDomain is where the standard has Gradient.
const trainingDomain = "ai.onnx.preview.training"

func isGradient(n *onnx.Node) bool { return n.Domain == trainingDomain && n.OpType == "Gradient" }

// maxNodes bounds the nodes of a list: each Gradient of a Gradient may multiply them.
const maxNodes = 1 << 20

// Scope is where a list of nodes stands.
type Scope struct {
	Opset    int                          // the version of ai.onnx that the list is written in
	Defined  func(name string) bool       // whether a name is that of a value that comes from outside the list
	Producer func(name string) *onnx.Node // the node of a graph around the list that produces such a value, or nil
	Count    *int                         // of the names made, which all lists of a model share
	// Function returns the function that a node calls, with its attributes bound, or nil:
	// the nodes of its body are written in the opset of the list. May be nil.
	Function func(n *onnx.Node) (*onnx.Function, error)
	// Type returns the element type of a value that comes from outside the list, Undefined
	// where it is not known. May be nil.
	Type func(name string) tensor.DType
}

// Expand returns the nodes of a graph with others in the place of its Gradient nodes,
// in no particular order; a list without any is returned as it is. Attributes that refer
// to those of a function are bound.
//
// Errors: errs.Model for a Gradient that is not valid, errs.Unsupported naming the
// operator that has no rule.
func Expand(list []onnx.Node, scope Scope) ([]onnx.Node, error) {
	if !slices.ContainsFunc(list, func(n onnx.Node) bool { return isGradient(&n) }) {
		return list, nil
	}
	e := expander{Scope: scope, producer: map[string]*onnx.Node{}, pending: map[string]*onnx.Node{}, state: map[*onnx.Node]state{}, depth: map[*onnx.Node]int{}}
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
	Scope
	all      []*onnx.Node
	producer map[string]*onnx.Node // of each value but those of Gradients to come
	pending  map[string]*onnx.Node // the Gradient that will produce a value
	state    map[*onnx.Node]state  // of Gradients
	depth    map[*onnx.Node]int    // in how many functions a node stood
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

// name returns a name that the model does not have.
func (e *expander) name(of string) string {
	for {
		*e.Count++
		if name := fmt.Sprintf("%s/%s.%d", Domain, of, *e.Count); !e.known(name) {
			return name
		}
	}
}

// known reports whether a name is that of a value.
func (e *expander) known(name string) bool {
	return e.producer[name] != nil || e.pending[name] != nil || e.Defined(name)
}

// maker returns the node that produces a value, in the list or around it.
func (e *expander) maker(name string) *onnx.Node {
	if n := e.producer[name]; n != nil || name == "" {
		return n
	}
	return e.Producer(name)
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
	if err := schema.Check(n, 1); err != nil {
		return err
	}
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
