package graph

import (
	"slices"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/schema"
)

// arity compares the inputs and outputs of a node with its schema: operators
// rely on what is required being there.
func (n *Node) arity(s *schema.Op) error {
	if err := arity("input", n.In, s.Inputs); err != nil {
		return err
	}
	if k := len(s.Inputs) - 1; k >= 0 && s.Inputs[k].Variadic {
		for i := k; i < len(n.In); i++ {
			if n.In[i] == None {
				return errs.New(errs.Model, "the input %s, number %d, is one of a list and missing", s.Inputs[k].Name, i)
			}
		}
	}
	return arity("output", n.Out, s.Outputs)
}

// needs looks for the inputs that an operator without a schema relies on.
func (n *Node) needs() error {
	for _, i := range n.Def.Needs {
		if i >= len(n.In) || n.In[i] == None {
			return errs.New(errs.Model, "the input number %d is required and missing", i)
		}
	}
	return nil
}

// tensors lists the inputs that the schema has tensors for, and nothing else.
func (n *Node) tensors(s *schema.Op) {
	if !n.Def.Control {
		return
	}
	for i := range n.In {
		p, _ := s.Input(i)
		if !slices.ContainsFunc(s.Types(p), func(t string) bool { return !strings.HasPrefix(t, "tensor(") }) {
			n.Tensors = append(n.Tensors, i)
		}
	}
}

// spare lists the outputs that the standard lets a node leave out.
func (n *Node) spare(s *schema.Op) {
	for k := range n.Out {
		if p, _ := s.Output(k); p.Optional {
			n.Spare = append(n.Spare, k)
		}
	}
}

// known refuses an attribute that the operator's schema does not have, and a
// subgraph that the operator would not run.
func (b *builder) known(n *Node, v op.Value) error {
	if slices.ContainsFunc(n.Def.Attrs, func(a op.Attr) bool { return a.Name == v.Name }) {
		return nil
	}
	s := b.schema(n.Domain, n.OpType, n.Opset)
	if v.Kind == op.KindGraph || (s != nil && !slices.ContainsFunc(s.Attrs, func(a schema.Attr) bool { return a.Name == v.Name })) {
		return errs.New(errs.Model, "the operator has no attribute %q", v.Name)
	}
	return nil
}

func arity(kind string, ids []ID, params []schema.Param) error {
	for i, p := range params {
		switch {
		case p.Variadic:
			if n := max(0, len(ids)-i); n < p.Min {
				return errs.New(errs.Model, "the %s %s is given %d times, at least %d expected", kind, p.Name, n, p.Min)
			}
			return nil
		case !p.Optional && (i >= len(ids) || ids[i] == None):
			return errs.New(errs.Model, "the %s %s, number %d, is required and missing", kind, p.Name, i)
		}
	}
	if len(ids) > len(params) {
		return errs.New(errs.Model, "%d %ss given, at most %d expected", len(ids), kind, len(params))
	}
	return nil
}
