package graph

import (
	"fmt"
	"strings"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/schema"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// resolve finds the schema version and the Def of a node. Where there is none
// it notes the lack and returns false.
func (b *builder) resolve(out *Node, fr *frame) bool {
	opset, imported := fr.opsets[out.Domain]
	if !imported {
		b.lack(Lack{Domain: out.Domain, OpType: out.OpType})
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
		b.lack(Lack{Domain: out.Domain, OpType: out.OpType, Opset: opset, Version: out.Version})
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

func (b *builder) lack(what Lack) {
	if !b.lacking[what] {
		b.lacking[what] = true
		b.missing = append(b.missing, what)
	}
}

// Lack is an operator that a model needs and that is not run here.
type Lack struct {
	Domain, OpType string
	Opset          int // that the model imports, 0 where it imports none of the domain
	Version        int // since_version of the schema, 0 where there is none
	// DType is the element type that no kernel takes, Undefined where there is no
	// kernel at all.
	DType tensor.DType
}

// String names the operator and the opset: "ai.onnx.ml.Scaler (opset 5)".
func (l Lack) String() string {
	name := l.OpType
	if l.Domain != "" {
		name = l.Domain + "." + name
	}
	if l.Opset == 0 {
		return name + " (its domain is not imported)"
	}
	if l.DType != tensor.Undefined {
		return fmt.Sprintf("%s (opset %d, %v)", name, l.Opset, l.DType)
	}
	return fmt.Sprintf("%s (opset %d)", name, l.Opset)
}

// Lacking is the cause of the error of a model that needs what is not run here:
// all of it.
type Lacking struct{ List []Lack }

func (l *Lacking) Error() string {
	list := make([]string, len(l.List))
	for i, k := range l.List {
		list[i] = k.String()
	}
	if len(list) == 1 {
		return "the model needs an operator that is not supported: " + list[0]
	}
	return fmt.Sprintf("the model needs %d operators that are not supported: %s", len(list), strings.Join(list, ", "))
}
