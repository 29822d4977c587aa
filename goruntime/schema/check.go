package schema

import (
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// Check compares a node with the schema that applies to an opset of its domain:
// the operator exists, and its inputs, outputs and attributes are what the
// schema says. Types of values are not looked at.
//
// Errors: errs.Unsupported for an operator that is unknown, newer than the opset
// or deprecated, errs.Model for the rest.
func Check(n *onnx.Node, opset int64) error {
	o, ok := Lookup(n.Domain, n.OpType, opset)
	if !ok {
		return unknown(n, opset)
	}
	if o.Deprecated {
		return errs.New(errs.Unsupported, "the operator %s is deprecated since opset %d", display(n), o.SinceVersion)
	}
	if err := checkCount("input", n.Inputs, o.Inputs); err != nil {
		return err
	}
	if err := checkCount("output", n.Outputs, o.Outputs); err != nil {
		return err
	}
	return o.checkAttrs(n)
}

func display(n *onnx.Node) string {
	if d := onnx.Domain(n.Domain); d != "" {
		return d + "." + n.OpType
	}
	return n.OpType
}

func unknown(n *onnx.Node, opset int64) error {
	if MaxOpset(n.Domain) == 0 {
		return errs.New(errs.Unsupported, "the operator %s is of the domain %q, which the standard does not define", display(n), n.Domain)
	}
	if v := Versions(n.Domain, n.OpType); len(v) > 0 {
		return errs.New(errs.Unsupported, "the operator %s exists from opset %d, the model imports %d", display(n), v[0], opset)
	}
	return errs.New(errs.Unsupported, "the operator %s is unknown; the nearest are %s", display(n),
		nearest.Quoted(n.OpType, Names(n.Domain), 3))
}

// checkCount compares the inputs or outputs of a node with the formal ones. An
// empty name stands for an optional one that is left out.
func checkCount(kind string, names []string, params []Param) error {
	least, most := count(params)
	if len(names) > most {
		return errs.New(errs.Model, "%d %ss given, at most %d expected", len(names), kind, most)
	}
	for i, p := range params {
		switch {
		case p.Variadic:
			if got := max(0, len(names)-i); got < p.Min {
				return errs.New(errs.Model, "the %s %s is given %d times, at least %d expected", kind, p.Name, got, p.Min)
			}
		case !p.Optional && (i >= len(names) || names[i] == ""):
			return errs.New(errs.Model, "the %s %s, number %d of at least %d, is required and missing", kind, p.Name, i, least)
		}
	}
	return nil
}

func (o *Op) checkAttrs(n *onnx.Node) error {
	set := make(map[string]bool, len(n.Attrs))
	for i := range n.Attrs {
		a := &n.Attrs[i]
		if set[a.Name] {
			return errs.New(errs.Model, "the attribute %q is set twice", a.Name)
		}
		set[a.Name] = true
		if strings.HasPrefix(a.Name, "__") {
			continue // reserved for what tools note on a node
		}
		if err := o.checkAttr(a); err != nil {
			return err
		}
	}
	for _, want := range o.Attrs {
		if want.Required && !set[want.Name] {
			return errs.New(errs.Model, "the attribute %q of type %s is required and missing", want.Name, want.Type)
		}
	}
	return nil
}

func (o *Op) checkAttr(a *onnx.Attr) error {
	want, ok := o.Attr(a.Name)
	if !ok {
		names := make([]string, len(o.Attrs))
		for i := range o.Attrs {
			names[i] = o.Attrs[i].Name
		}
		if len(names) == 0 {
			return errs.New(errs.Model, "the attribute %q is unknown: %s %d has none", a.Name, o.Name, o.SinceVersion)
		}
		return errs.New(errs.Model, "the attribute %q is unknown to %s %d; the nearest are %s", a.Name, o.Name, o.SinceVersion,
			nearest.Quoted(a.Name, names, 3))
	}
	if a.RefName != "" && a.Type == onnx.AttrUndefined {
		return nil // of the type of what the function is given
	}
	if attrTypes[a.Type] != want.Type {
		return errs.New(errs.Model, "the attribute %q has type %s, %s expected", a.Name, typeName(a.Type), want.Type)
	}
	return nil
}

func typeName(t onnx.AttrType) string {
	if name, ok := attrTypes[t]; ok {
		return name
	}
	return t.String()
}
