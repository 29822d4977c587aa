package graph

import (
	"fmt"

	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/schema"
)

// resolve finds the schema version and the Def of a node. Where there is none
// it notes the lack and returns false.
func (b *builder) resolve(out *Node, n *onnx.Node, fr *frame) bool {
	opset, imported := fr.opsets[out.Domain]
	if !imported {
		b.lack(fmt.Sprintf("%s (its domain is not imported)", display(out.Domain, out.OpType)))
		return false
	}
	out.Opset = opset
	if s := b.schema(out.Domain, out.OpType, opset); s != nil {
		out.Version = s.SinceVersion
		out.Def = op.Find(out.Domain, out.OpType, out.Version)
	} else {
		out.Def, out.Version = op.Latest(out.Domain, out.OpType, opset)
	}
	if out.Def == nil {
		b.lack(fmt.Sprintf("%s (opset %d)", display(out.Domain, out.OpType), opset))
		return false
	}
	return true
}

// schema returns the schema of an operator, nil where the standard has none. It
// is read once for all nodes of the operator.
func (b *builder) schema(domain, name string, opset int) *schema.Op {
	k := opKey{domain, name, opset}
	s, seen := b.schemas[k]
	if !seen {
		s, _ = schema.Lookup(domain, name, int64(opset))
		b.schemas[k] = s
	}
	return s
}

func (b *builder) lack(what string) {
	if !b.lacking[what] {
		b.lacking[what] = true
		b.missing = append(b.missing, what)
	}
}

func display(domain, name string) string {
	if domain == "" {
		return name
	}
	return domain + "." + name
}
