package onnx

// Model is a ModelProto.
//
// Ownership: tensor data and string values alias the bytes it was parsed from
// or the file that Open mapped, and are valid until Close; the rest is its own.
// Concurrency: reading is safe from any goroutine.
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	Doc             string
	Opsets          []OpsetID
	Graph           *Graph
	Functions       []*Function
	Metadata        []KeyValue

	files *files
}

// OpsetID is an OperatorSetIdProto.
type OpsetID struct {
	Domain  string
	Version int64
}

// Extent returns how many nodes the model has, those of subgraphs and functions
// included, and whether one of them may repeat others: how long a run takes then depends
// on values.
func (m *Model) Extent() (nodes int, loops bool) {
	var count func(list []Node)
	count = func(list []Node) {
		nodes += len(list)
		for i := range list {
			for _, a := range list[i].Attrs {
				for _, g := range a.Graphs {
					loops = true
					count(g.Nodes)
				}
				if a.G != nil {
					loops = loops || list[i].OpType != "If"
					count(a.G.Nodes)
				}
			}
		}
	}
	count(m.Graph.Nodes)
	for _, f := range m.Functions {
		count(f.Nodes)
	}
	return nodes, loops
}

// KeyValue is a StringStringEntryProto.
type KeyValue struct{ Key, Value string }

// Graph is a GraphProto.
type Graph struct {
	Name               string
	Doc                string
	Nodes              []Node
	Inputs             []ValueInfo
	Outputs            []ValueInfo
	ValueInfo          []ValueInfo
	Initializers       []Tensor
	SparseInitializers []SparseTensor
	Metadata           []KeyValue
}

// Node is a NodeProto.
type Node struct {
	Name     string
	OpType   string
	Domain   string
	Overload string
	Doc      string
	Inputs   []string
	Outputs  []string
	Attrs    []Attr
	Metadata []KeyValue
}

// Function is a FunctionProto.
type Function struct {
	Name         string
	Domain       string
	Overload     string
	Doc          string
	Inputs       []string
	Outputs      []string
	Attrs        []string
	AttrDefaults []Attr
	Nodes        []Node
	Opsets       []OpsetID
	ValueInfo    []ValueInfo
	Metadata     []KeyValue
}

// Domain returns the domain's canonical name: "ai.onnx" is "".
func Domain(name string) string {
	if name == "ai.onnx" {
		return ""
	}
	return name
}

// Opset returns the version of a domain that the model imports, the greatest
// where it imports the domain more than once. "ai.onnx" and "" are one domain.
func (m *Model) Opset(domain string) (version int64, ok bool) { return opset(m.Opsets, domain) }

// Opset returns the version of a domain that the function imports, as
// Model.Opset does.
func (f *Function) Opset(domain string) (version int64, ok bool) { return opset(f.Opsets, domain) }

func opset(list []OpsetID, domain string) (version int64, ok bool) {
	domain = Domain(domain)
	for _, o := range list {
		if Domain(o.Domain) == domain && (!ok || o.Version > version) {
			version, ok = o.Version, true
		}
	}
	return version, ok
}
