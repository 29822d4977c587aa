package pyapi

import (
	"encoding/json"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/handles"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/pool"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// valueReport describes an input or output. A dimension is a number, a name,
// or null.
type valueReport struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Shape    []any  `json:"shape"` // null where no shape is declared
	Optional bool   `json:"optional"`
}

type sessionReport struct {
	Inputs      []valueReport     `json:"inputs"`
	Outputs     []valueReport     `json:"outputs"`
	Opsets      map[string]int64  `json:"opsets"`
	Producer    string            `json:"producer_name"`
	Graph       string            `json:"graph_name"`
	Domain      string            `json:"domain"`
	Description string            `json:"description"`
	Version     int64             `json:"version"`
	Metadata    map[string]string `json:"custom_metadata_map"`
	Nodes       int               `json:"nodes"`
	WeightBytes int64             `json:"weight_size"`
	Execution   int64             `json:"execution_arena"`
	IO          int64             `json:"io_arena"`
	Counters    *pool.Count       `json:"counters"` // null where the session counts nothing
}

// SessionReport describes an open session as a JSON object.
func SessionReport(h int64) (text string, err error) {
	defer guard(&err)
	s, err := handles.Sessions.Get(uint64(h))
	if err != nil {
		return "", err
	}
	m := s.Model()
	r := sessionReport{
		Inputs: valuesOf(s.Inputs()), Outputs: valuesOf(s.Outputs()), Opsets: map[string]int64{},
		Producer: m.ProducerName, Graph: m.Graph.Name, Domain: m.Domain, Description: m.Doc, Version: m.ModelVersion,
		Metadata: map[string]string{}, Nodes: len(m.Graph.Nodes), WeightBytes: s.WeightBytes(),
		Execution: int64(s.ExecutionArena), IO: int64(s.IOArena), Counters: s.Count(),
	}
	for _, o := range m.Opsets {
		d := onnx.Domain(o.Domain)
		r.Opsets[d] = max(r.Opsets[d], o.Version) // of a domain that is there twice, as it runs
	}
	for _, kv := range m.Metadata {
		r.Metadata[kv.Key] = kv.Value
	}
	return asJSON(r)
}

func valuesOf(list []exec.Info) []valueReport {
	out := make([]valueReport, len(list))
	for i, v := range list {
		out[i] = valueReport{Name: v.Name, Type: v.Type.String(), Optional: v.Optional, Shape: dimsOf(v.Type)}
	}
	return out
}

func dimsOf(t *onnx.Type) []any {
	if t == nil || !t.HasShape {
		return nil
	}
	dims := make([]any, len(t.Dims))
	for i, d := range t.Dims {
		switch {
		case d.Known:
			dims[i] = d.Value
		case d.Param != "":
			dims[i] = d.Param
		}
	}
	return dims
}

// SessionNodes lists the nodes of an open session in the order in which they run,
// and the names of its values, as a JSON object.
func SessionNodes(h int64) (text string, err error) {
	defer guard(&err)
	s, err := handles.Sessions.Get(uint64(h))
	if err != nil {
		return "", err
	}
	nodes, err := s.Nodes()
	if err != nil {
		return "", err
	}
	values, err := s.Values()
	if err != nil {
		return "", err
	}
	return asJSON(struct {
		Nodes  []exec.NodeInfo `json:"nodes"`
		Values []string        `json:"values"`
	}{nodes, values})
}

// fed is the type and shape of an input, for SessionPlan.
type fed struct {
	DType tensor.DType `json:"dtype"`
	Shape tensor.Shape `json:"shape"`
}

// SessionPlan compiles an open session for inputs of these types and shapes, which
// are a JSON list in the order of its inputs with null where one is not fed, and
// returns the plan as a JSON object; its text is under "text".
func SessionPlan(h int64, inputs string) (text string, err error) {
	defer guard(&err)
	s, err := handles.Sessions.Get(uint64(h))
	if err != nil {
		return "", err
	}
	var list []*fed
	if err := json.Unmarshal([]byte(inputs), &list); err != nil {
		return "", errs.New(errs.Argument, "the inputs are no list of types and shapes: %w", err)
	}
	if want := len(s.Inputs()); len(list) != want {
		return "", errs.New(errs.Argument, "%d inputs given, %d expected", len(list), want)
	}
	in := make([]tensor.View, len(list))
	for i, f := range list {
		if f == nil {
			continue
		}
		if _, err := f.Shape.Check(f.DType); err != nil {
			return "", err
		}
		in[i] = tensor.View{DType: f.DType, Shape: f.Shape}
	}
	e, err := s.Prepare(nil, in)
	if err != nil {
		return "", err
	}
	return asJSON(struct {
		*exec.Explanation
		Text string `json:"text"`
	}{e, e.String()})
}
