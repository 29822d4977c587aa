package gradient

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// subgraph is what a Gradient differentiates: the nodes between its independent
// values and y.
type subgraph struct {
	*expander
	n     *onnx.Node
	y     string
	xs    []string
	value map[string]string // of each independent value, and of what depends on one, the name that holds it
	order []*onnx.Node      // that depend on an independent value, producers first
	// independent are xs and zs, which hide the nodes that produce them.
	independent map[string]bool
	// active are the values that depend on one of xs.
	active map[string]bool
}

// smooth has the element types that gradients have.
var smooth = map[tensor.DType]bool{tensor.F16: true, tensor.BF16: true, tensor.F32: true, tensor.F64: true}

func (e *expander) subgraph(n *onnx.Node) (*subgraph, error) {
	s := &subgraph{expander: e, n: n, value: map[string]string{}, independent: map[string]bool{}, active: map[string]bool{}}
	var zs []string
	for i := range n.Attrs {
		switch a := &n.Attrs[i]; a.Name {
		case "y":
			s.y = string(a.S)
		case "xs":
			s.xs = a.Texts()
		case "zs":
			zs = a.Texts()
		}
	}
	independent := slices.Concat(s.xs, zs)
	if s.y == "" || len(s.xs) == 0 {
		return nil, errs.New(errs.Model, "y is %q and xs are %q: both are needed", s.y, s.xs)
	}
	if len(independent) != len(n.Inputs) || len(n.Outputs) > len(s.xs) {
		return nil, errs.New(errs.Model, "%d inputs and %d outputs given: as many inputs as xs and zs (%d) and as many outputs as xs (%d) expected",
			len(n.Inputs), len(n.Outputs), len(independent), len(s.xs))
	}
	for i, name := range independent {
		given := n.Inputs[i]
		if other, twice := s.value[name]; twice && other != given {
			return nil, errs.New(errs.Model, "%q is given as %q and as %q: it has one value", name, other, given)
		}
		if given == "" || !s.known(name) {
			return nil, errs.New(errs.Model, "%q is given as %q: both are names of values", name, given)
		}
		s.value[name] = given
		s.independent[name] = true
	}
	if !s.known(s.y) {
		return nil, errs.New(errs.Model, "y is %q, which is the name of no value", s.y)
	}
	for _, x := range s.xs {
		if s.Type != nil {
			if t := s.Type(s.value[x]); t != tensor.Undefined && !smooth[t] {
				return nil, errs.New(errs.Type, "%q is %v: only f16, bf16, f32 and f64 have gradients", x, t)
			}
		}
		s.active[x] = true
	}
	if err := s.visit(); err != nil {
		return nil, err
	}
	return s, s.copy()
}

// visit lists the nodes that lie between the independent values and y.
func (s *subgraph) visit() error {
	seen := map[string]bool{}
	type place struct {
		name  string
		n     *onnx.Node // that produces it
		reads []string   // that are still to be looked at
	}
	var path []place // a stack of its own: a chain may be as long as the model
	enter := func(name string) error {
		if _, given := s.value[name]; given || seen[name] {
			return nil
		}
		if err := s.settled(name); err != nil {
			return err
		}
		n := s.maker(name)
		for n != nil {
			again, err := s.inline(n)
			if err != nil {
				return errs.At(err, n.OpType, n.Name, "")
			}
			if !again {
				break
			}
			n = s.maker(name)
		}
		if n != nil {
			seen[name] = true
			path = append(path, place{name, n, reads(n)})
		}
		return nil
	}
	if err := enter(s.y); err != nil {
		return err
	}
	for len(path) > 0 {
		at := &path[len(path)-1]
		if len(at.reads) == 0 {
			s.leave(at.n)
			path = path[:len(path)-1]
			continue
		}
		next := at.reads[0]
		at.reads = at.reads[1:]
		if err := enter(next); err != nil {
			return err
		}
	}
	return nil
}

// reads are the inputs of a node, and what its subgraphs take from outside.
func reads(n *onnx.Node) []string {
	if !hasBody(n) {
		return n.Inputs
	}
	return slices.Collect(n.Reads)
}

func hasBody(n *onnx.Node) bool {
	return slices.ContainsFunc(n.Attrs, func(a onnx.Attr) bool { return a.G != nil || len(a.Graphs) > 0 })
}

// leave places a node all of whose inputs were looked at.
func (s *subgraph) leave(n *onnx.Node) {
	depends := false
	active := false
	for i, in := range reads(n) {
		_, known := s.value[in]
		depends = depends || known
		active = active || s.active[in] && carries(n, i)
	}
	if !depends {
		return
	}
	s.order = append(s.order, n)
	for _, o := range n.Outputs {
		if o != "" && !s.independent[o] {
			s.value[o] = o
			s.active[o] = active
		}
	}
}

// copy repeats the nodes with the values that the Gradient is given, where those are
// others than the named ones.
func (s *subgraph) copy() error {
	same := true
	for name, value := range s.value {
		same = same && name == value
	}
	if same {
		return nil
	}
	for _, n := range s.order {
		if hasBody(n) {
			return errs.New(errs.Unsupported, "y depends on %s %q, which has a subgraph: it cannot be computed for other values", n.OpType, n.Name)
		}
		again := *n
		again.Name = s.name(n.OpType)
		again.Inputs, again.Outputs = make([]string, len(n.Inputs)), make([]string, len(n.Outputs))
		for i, in := range n.Inputs {
			again.Inputs[i] = s.of(in)
		}
		for i, o := range n.Outputs {
			if o != "" {
				again.Outputs[i] = s.name(o)
				if !s.independent[o] {
					s.value[o] = again.Outputs[i]
				}
			}
		}
		s.add(&again)
	}
	return nil
}

// of returns the name that holds a value of the subgraph.
func (s *subgraph) of(name string) string {
	if v, ok := s.value[name]; ok {
		return v
	}
	return name
}
