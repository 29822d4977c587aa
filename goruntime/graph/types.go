package graph

import (
	"strings"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/schema"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// types follows the element types through a node as far as its schema settles
// them, and notes the lack of a kernel for the type of its key input.
func (b *builder) types(n *Node, g *Graph) {
	if d := g.dtypeOf(n.key()); d != tensor.Undefined && !n.Def.DTypes.Empty() && n.Def.DTypes.Row(d) == nil {
		b.lack(Lack{Domain: n.Domain, OpType: n.OpType, Opset: n.Opset, Version: n.Version, DType: d})
	}
	s := b.schema(n.Domain, n.OpType, n.Opset)
	if s == nil {
		return
	}
	bound := map[string]tensor.DType{}
	for i, id := range n.In {
		if len(s.Inputs) == 0 {
			break
		}
		if d := g.dtypeOf(id); d != tensor.Undefined {
			bound[s.Inputs[min(i, len(s.Inputs)-1)].Type] = d
		}
	}
	for i, id := range n.Out {
		if id != None && len(s.Outputs) > 0 {
			g.Values[id].dtype = fromParam(s.Outputs[min(i, len(s.Outputs)-1)], bound)
		}
	}
}

// fromParam returns the element type of an output: that of an input of the same
// type variable, or the one that the schema names.
func fromParam(p schema.Param, bound map[string]tensor.DType) tensor.DType {
	if p.Variadic && p.Heterogeneous {
		return tensor.Undefined
	}
	if d, ok := bound[p.Type]; ok {
		return d
	}
	name, ok := strings.CutPrefix(p.Type, "tensor(")
	if !ok {
		return tensor.Undefined
	}
	return tensor.ParseONNX(strings.TrimSuffix(name, ")"))
}

// key returns the value whose element type picks the kernel, None where that is
// an output.
func (n *Node) key() ID {
	if k := n.Def.Key; k != op.KeyOutput && k < len(n.In) {
		return n.In[k]
	}
	return None
}

// dtypeOf returns the element type of a value that is surely a tensor of it.
func (g *Graph) dtypeOf(id ID) tensor.DType {
	if id == None {
		return tensor.Undefined
	}
	switch v := &g.Values[id]; {
	case v.Const != nil:
		return v.Const.DType
	case v.Input && v.Type != nil && g.names != nil:
		return v.Type.Elem // of the model's inputs: what is fed is compared with it
	default:
		return v.dtype
	}
}
