package graph

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/gradient"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
)

// nodes adds the nodes of a graph or function body in an order in which each
// value is produced before it is read.
func (b *builder) nodes(list []onnx.Node, sp *space, fr *frame) error {
	list, err := gradient.Expand(fr.bind(list), gradient.Scope{
		Opset: fr.opsets[""], Defined: sp.defined, Producer: sp.producer, Count: &b.written, Type: sp.dtype,
		Function: func(n *onnx.Node) (*onnx.Function, error) { return b.called(n, fr) },
	})
	if err != nil {
		return err
	}
	if err = sp.single(list, fr.prefix); err != nil {
		return err
	}
	order, err := sorted(list, sp.makers)
	if err != nil {
		return err
	}
	for _, i := range order {
		n, name := &list[i], fr.prefix+label(list, i)
		if err := b.node(n, name, sp, fr); err != nil {
			return errs.At(err, n.OpType, name, "")
		}
	}
	return nil
}

func (b *builder) node(n *onnx.Node, name string, sp *space, fr *frame) error {
	domain := onnx.Domain(n.Domain)
	if domain == gradient.Domain {
		standard := *n
		standard.Domain = ""
		return b.node(&standard, name, sp, &frame{opsets: map[string]int{"": gradient.Opset}, depth: fr.depth, prefix: fr.prefix})
	}
	if b.custom != nil && b.custom.Has(domain, n.OpType) {
		return b.customNode(n, name, sp, fr)
	}
	if f := b.functions[funcKey{domain, n.OpType, n.Overload}]; f != nil {
		return b.call(f, n, name, sp, fr)
	}
	if domain == "" && n.OpType == "Constant" {
		return b.constantNode(n, sp, fr)
	}
	out := Node{Name: name, OpType: n.OpType, Domain: domain}
	err := out.inputs(n, sp)
	if err != nil {
		return err
	}
	if !b.resolve(&out, fr) {
		return b.skip(n, sp, fr)
	}
	if err = b.attributes(&out, n, sp, fr); err != nil {
		return err
	}
	if err = out.outputs(n, sp); err != nil {
		return err
	}
	if s := b.schema(out.Domain, out.OpType, out.Opset); s != nil {
		if err := out.arity(s); err != nil {
			return err
		}
		out.tensors(s)
		out.spare(s)
	} else if err := out.needs(); err != nil {
		return err
	}
	if b.count++; b.count > maxNodes {
		return errs.New(errs.Model, "the model has more than %d nodes once its functions are put in place", maxNodes)
	}
	b.types(&out, sp.g)
	sp.g.Nodes = append(sp.g.Nodes, out)
	return nil
}

// inputs looks up the inputs of a node. Omitted ones at the end are left out.
func (n *Node) inputs(from *onnx.Node, sp *space) error {
	for _, in := range from.Inputs {
		id := None
		if in != "" {
			var ok bool
			if id, ok = sp.lookup(in); !ok {
				return errs.New(errs.Model, "the input %q is produced by no node, input or initializer", in)
			}
		}
		n.In = append(n.In, id)
	}
	for len(n.In) > 0 && n.In[len(n.In)-1] == None {
		n.In = n.In[:len(n.In)-1]
	}
	return nil
}

// outputs defines the outputs of a node.
func (n *Node) outputs(from *onnx.Node, sp *space) error {
	for _, o := range from.Outputs {
		id := None
		if o != "" {
			var err error
			if id, err = sp.define(o); err != nil {
				return err
			}
		}
		n.Out = append(n.Out, id)
	}
	if len(n.Out) == 0 {
		return errs.New(errs.Model, "the node has no output")
	}
	return nil
}

// skip defines the outputs of a node that cannot be run and looks into its
// subgraphs, so that the rest of the model is still checked and everything
// missing is listed at once.
func (b *builder) skip(n *onnx.Node, sp *space, fr *frame) error {
	for i := range n.Attrs {
		if a, ok := fr.bound(&n.Attrs[i]); ok && a.Type == onnx.AttrGraph {
			if _, err := b.attribute(a, sp, fr); err != nil {
				return errs.At(err, "", "", n.Attrs[i].Name)
			}
		}
	}
	for _, o := range n.Outputs {
		if o == "" {
			continue
		}
		if _, err := sp.define(o); err != nil {
			return err
		}
	}
	return nil
}

// attributes converts the attributes of a node and builds its subgraphs.
func (b *builder) attributes(out *Node, n *onnx.Node, sp *space, fr *frame) error {
	var set []op.Value
	for i := range n.Attrs {
		a, ok := fr.bound(&n.Attrs[i])
		if !ok {
			continue // refers to an attribute that the call leaves to its default
		}
		v, err := b.attribute(a, sp, fr)
		if err != nil {
			return errs.At(err, "", "", n.Attrs[i].Name)
		}
		v.Name = n.Attrs[i].Name
		if err := b.known(out, v); err != nil {
			return err
		}
		if body, ok := v.V.(*Graph); ok {
			out.Bodies = append(out.Bodies, Body{v.Name, body})
		}
		set = append(set, v)
	}
	var err error
	out.Attrs, err = op.NewValues(out.Def, set)
	return err
}
