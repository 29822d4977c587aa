package graph

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/schema"
)

// arity compares the inputs and outputs of a node with its schema: operators
// rely on what is required being there.
func (n *Node) arity(s *schema.Op) error {
	if err := arity("input", n.In, s.Inputs); err != nil {
		return err
	}
	return arity("output", n.Out, s.Outputs)
}

func arity(kind string, ids []ID, params []schema.Param) error {
	for i, p := range params {
		switch {
		case p.Variadic:
			if len(ids)-i < p.Min {
				return errs.New(errs.Model, "the %s %s is given %d times, at least %d expected", kind, p.Name, max(0, len(ids)-i), p.Min)
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
