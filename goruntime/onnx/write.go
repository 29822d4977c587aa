package onnx

import "google.golang.org/protobuf/encoding/protowire"

// Marshal returns the model as a ModelProto. Tensors are written as they were
// read: raw, typed, or as a reference to an external file.
func (m *Model) Marshal() []byte { return marshal(m.write) }

// Marshal returns the graph as a GraphProto.
func (g *Graph) Marshal() []byte { return marshal(g.write) }

// Marshal returns the function as a FunctionProto.
func (f *Function) Marshal() []byte { return marshal(f.write) }

// Marshal returns the node as a NodeProto.
func (n *Node) Marshal() []byte { return marshal(n.write) }

func (m *Model) write(e *encoder) {
	e.int(1, m.IRVersion)
	e.text(2, m.ProducerName)
	e.text(3, m.ProducerVersion)
	e.text(4, m.Domain)
	e.int(5, m.ModelVersion)
	e.text(6, m.Doc)
	if m.Graph != nil {
		e.message(7, m.Graph.write)
	}
	e.opsets(8, m.Opsets)
	e.metadata(14, m.Metadata)
	for _, f := range m.Functions {
		e.message(25, f.write)
	}
}

func (e *encoder) opsets(num protowire.Number, list []OpsetID) {
	for _, o := range list {
		e.message(num, func(e *encoder) {
			e.text(1, o.Domain)
			e.int(2, o.Version)
		})
	}
}

func (e *encoder) metadata(num protowire.Number, list []KeyValue) {
	for _, kv := range list {
		e.entry(num, kv.Key, kv.Value)
	}
}

func (e *encoder) entry(num protowire.Number, key, value string) {
	e.message(num, func(e *encoder) {
		e.text(1, key)
		e.text(2, value)
	})
}

func (g *Graph) write(e *encoder) {
	e.nodes(1, g.Nodes)
	e.text(2, g.Name)
	e.tensors(5, g.Initializers)
	e.text(10, g.Doc)
	e.values(11, g.Inputs)
	e.values(12, g.Outputs)
	e.values(13, g.ValueInfo)
	e.sparses(15, g.SparseInitializers)
	e.metadata(16, g.Metadata)
}

func (e *encoder) nodes(num protowire.Number, list []Node) {
	for i := range list {
		e.message(num, list[i].write)
	}
}

func (n *Node) write(e *encoder) {
	e.texts(1, n.Inputs)
	e.texts(2, n.Outputs)
	e.text(3, n.Name)
	e.text(4, n.OpType)
	e.attrs(5, n.Attrs)
	e.text(6, n.Doc)
	e.text(7, n.Domain)
	e.text(8, n.Overload)
	e.metadata(9, n.Metadata)
}

func (f *Function) write(e *encoder) {
	e.text(1, f.Name)
	e.texts(4, f.Inputs)
	e.texts(5, f.Outputs)
	e.texts(6, f.Attrs)
	e.nodes(7, f.Nodes)
	e.text(8, f.Doc)
	e.opsets(9, f.Opsets)
	e.text(10, f.Domain)
	e.attrs(11, f.AttrDefaults)
	e.values(12, f.ValueInfo)
	e.text(13, f.Overload)
	e.metadata(14, f.Metadata)
}
