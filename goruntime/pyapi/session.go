package pyapi

import (
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/handles"
	"github.com/goruntime/goruntime/goruntime/onnx"
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
		Execution: int64(s.ExecutionArena), IO: int64(s.IOArena),
	}
	for _, o := range m.Opsets {
		r.Opsets[onnx.Domain(o.Domain)] = o.Version
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
