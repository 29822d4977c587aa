package exec

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// native is the runtime's own engine.
type native struct{}

// Load implements Engine.
func (native) Load(m *onnx.Model, o *Options) (Loaded, error) { return compile(m, o) }

// compiled is a model as the runtime's own engine runs it.
type compiled struct {
	g        *graph.Graph
	weights  *arena.ExecutionArena // packed and folded constants
	packs    packs
	noReuse  bool
	noFusion bool
	inputs   []Info
	outputs  []Info
}

func compile(m *onnx.Model, o *Options) (*compiled, error) {
	c := &compiled{weights: arena.NewExecution(arena.Options{}), noReuse: o.NoReuse, noFusion: o.NoFusion}
	g, err := graph.Build(m, func(n int) ([]byte, error) {
		h, err := c.weights.Acquire(n)
		if err != nil {
			return nil, err
		}
		c.packs.hold(h)
		return bytesOf(h, n), nil
	}, o.Custom)
	if err != nil {
		c.Close()
		return nil, err
	}
	c.g = g
	c.inputs, c.outputs = c.infos(g.Inputs), c.infos(g.Outputs)
	return c, nil
}

func (m *compiled) infos(ids []graph.ID) []Info {
	list := make([]Info, len(ids))
	for i, id := range ids {
		v := &m.g.Values[id]
		list[i] = Info{Name: v.Name, Type: v.Type, Optional: v.Const != nil && v.Input}
	}
	return list
}

// Engine implements Loaded.
func (m *compiled) Engine() string { return "goruntime" }

// Inputs implements Loaded.
func (m *compiled) Inputs() []Info { return m.inputs }

// Outputs implements Loaded.
func (m *compiled) Outputs() []Info { return m.outputs }

// Runner implements Loaded: inputs, outputs and inner values, of which only what is
// needed runs.
func (m *compiled) Runner(names []string) (Runner, error) {
	ids := make([]graph.ID, len(names))
	for i, n := range names {
		id, ok := m.g.Lookup(n)
		if !ok {
			return nil, unknown("value", n, m.valueNames())
		}
		ids[i] = id
	}
	return m.unit(ids), nil
}

func (m *compiled) unit(wanted []graph.ID) *unit {
	u := newUnit(m, m.g, wanted)
	u.inputs = m.g.Inputs
	return u
}

func (m *compiled) valueNames() []string {
	names := make([]string, len(m.g.Values))
	for i := range m.g.Values {
		names[i] = m.g.Values[i].Name
	}
	return names
}

func unknown(what, name string, known []string) error {
	return errs.New(errs.Name, "no %s of this name; the nearest are %s", what, nearest.Quoted(name, known, 3)).
		WithInput(name)
}

// namesIn returns the names of values of g, empty where one is omitted.
func namesIn(g *graph.Graph, ids []graph.ID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if id != graph.None {
			names[i] = g.Values[id].Name
		}
	}
	return names
}

// Close implements Loaded; the units of the model are closed before.
func (m *compiled) Close() {
	m.packs.close()
	m.weights.Close()
}
