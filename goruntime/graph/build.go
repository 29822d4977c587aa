package graph

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/schema"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Alloc returns n bytes that live as long as the graph, for constants that
// cannot be read in place.
type Alloc func(n int) ([]byte, error)

// Build makes the Graph of a model: names become numbers, functions are
// inlined, Constant nodes become constants, nodes are put in order. A custom
// operator goes before a function or operator of its name; custom may be nil.
//
// Ownership: constants alias the model's memory where they can and come from
// alloc where they must be decoded.
// Errors: errs.Model for a graph that is not valid (a name produced twice or
// never, a cycle, a wrong attribute), errs.Unsupported listing every operator
// that is not run here.
func Build(m *onnx.Model, alloc Alloc, custom *Custom) (*Graph, error) {
	b := newBuilder(m, custom)
	b.alloc = alloc
	g, err := b.build()
	if err != nil {
		return nil, err
	}
	if len(b.missing) > 0 {
		return nil, errs.New(errs.Unsupported, "%w", &Lacking{List: b.missing})
	}
	return g, nil
}

// Lacks returns what a model needs and is not run here, without reading its
// weights.
//
// Errors: errs.Model for a graph that is not valid.
func Lacks(m *onnx.Model, custom *Custom) ([]Lack, error) {
	b := newBuilder(m, custom)
	_, err := b.build()
	return b.missing, err
}

func newBuilder(m *onnx.Model, custom *Custom) *builder {
	b := &builder{model: m, custom: custom, functions: map[funcKey]*onnx.Function{}, lacking: map[Lack]bool{}, schemas: map[opKey]*schema.Op{}}
	for _, f := range m.Functions {
		b.functions[funcKey{onnx.Domain(f.Domain), f.Name, f.Overload}] = f
	}
	return b
}

func (b *builder) build() (*Graph, error) {
	return b.graph(b.model.Graph, nil, &frame{opsets: opsets(b.model.Opsets)})
}

type funcKey struct{ domain, name, overload string }

type opKey struct {
	domain, name string
	opset        int
}

type builder struct {
	model     *onnx.Model
	alloc     Alloc // nil where constants are not read
	functions map[funcKey]*onnx.Function
	custom    *Custom
	missing   []Lack // each once
	lacking   map[Lack]bool
	count     int // nodes built
	written   int // names that gradients made
	schemas   map[opKey]*schema.Op
}

// maxDepth bounds subgraphs and functions within each other.
const maxDepth = 100

// maxNodes bounds the nodes of a model whose functions are in place: functions
// that call each other twice double them at each level.
const maxNodes = 1 << 20

// opsets returns the opset of each domain, the greatest of one that is imported twice.
func opsets(list []onnx.OpsetID) map[string]int {
	m := map[string]int{}
	for _, o := range list {
		d := onnx.Domain(o.Domain)
		if v, twice := m[d]; !twice || v < int(o.Version) {
			m[d] = int(o.Version)
		}
	}
	return m
}

// graph builds g as a graph of its own, a subgraph where parent is not nil.
func (b *builder) graph(src *onnx.Graph, parent *space, fr *frame) (*Graph, error) {
	if fr.depth > maxDepth {
		return nil, errs.New(errs.Model, "subgraphs and functions lie more than %d deep within each other", maxDepth)
	}
	g := &Graph{Name: src.Name}
	sp := &space{g: g, names: make(map[string]ID, len(src.Nodes)+len(src.Initializers)), parent: parent}
	if parent == nil {
		g.names = sp.names
	}
	if err := b.initializers(src, sp); err != nil {
		return nil, err
	}
	for i := range src.Inputs {
		in := &src.Inputs[i]
		id, ok := sp.names[in.Name]
		if !ok {
			var err error
			if id, err = sp.define(in.Name); err != nil {
				return nil, err
			}
		}
		if g.Values[id].Input {
			return nil, errs.New(errs.Model, "the input %q is listed twice", in.Name)
		}
		g.Values[id].Input, g.Values[id].Type = true, &in.Type
		g.Inputs = append(g.Inputs, id)
	}
	sp.given = ID(len(g.Values))
	if err := b.nodes(src.Nodes, sp, fr); err != nil {
		return nil, err
	}
	for i := range src.Outputs {
		out := &src.Outputs[i]
		id, ok := sp.lookup(out.Name)
		if !ok {
			return nil, errs.New(errs.Model, "the output %q of graph %q is produced by no node", out.Name, src.Name)
		}
		if g.Values[id].Type == nil {
			g.Values[id].Type = &out.Type
		}
		g.Outputs = append(g.Outputs, id)
	}
	return g, nil
}

// initializers defines the constants of a graph.
func (b *builder) initializers(src *onnx.Graph, sp *space) error {
	for i := range src.Initializers {
		t := &src.Initializers[i]
		v, err := b.constant(t)
		if err != nil {
			return errs.At(err, "", "", t.Name)
		}
		if err = sp.initializer(t.Name, v); err != nil {
			return err
		}
	}
	for i := range src.SparseInitializers {
		t := &src.SparseInitializers[i]
		v, err := b.sparse(t)
		if err != nil {
			return errs.At(err, "", "", t.Name())
		}
		if err = sp.initializer(t.Name(), v); err != nil {
			return err
		}
	}
	return nil
}

// initializer defines a constant.
func (sp *space) initializer(name string, v *tensor.View) error {
	if _, twice := sp.names[name]; twice {
		return errs.New(errs.Model, "the initializer %q is listed twice", name)
	}
	id, err := sp.define(name)
	if err == nil {
		sp.g.Values[id].Const = v
	}
	return err
}

func (g *Graph) add(name string) ID {
	g.Values = append(g.Values, Value{Name: name})
	return ID(len(g.Values) - 1)
}
