package ortengine

import (
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// Variable is the environment variable that names the library's file.
const Variable = "GORUNTIME_ONNXRUNTIME"

// Engine is ONNX Runtime as the engine of sessions; the zero value is good.
type Engine struct {
	// Library is the file of libonnxruntime; where it is "" the environment variable
	// GORUNTIME_ONNXRUNTIME has it, else the system's search path. A process uses one.
	Library string
}

// Load implements exec.Engine.
//
// Errors: errs.IO where the library cannot be loaded, errs.Argument where the process
// uses another one already, errs.Model and errs.Unsupported in the library's words;
// errs.Unsupported for operators of the caller's and in programs that are built
// without the engine.
func (e Engine) Load(m *onnx.Model, o *exec.Options) (exec.Loaded, error) {
	if o.Custom != nil {
		if name := custom(m, o.Custom); name != "" {
			return nil, errs.New(errs.Unsupported, "the model uses %s, for which a kernel is given: ONNX Runtime runs its own kernels only", name)
		}
	}
	return load(e.Library, m, o)
}

// custom returns the first operator of the model that c has, or "".
func custom(m *onnx.Model, c *graph.Custom) string {
	name := customIn(m.Graph, c)
	for _, f := range m.Functions {
		if name == "" {
			name = customOf(f.Nodes, c)
		}
	}
	return name
}

func customIn(g *onnx.Graph, c *graph.Custom) string {
	if g == nil {
		return ""
	}
	return customOf(g.Nodes, c)
}

func customOf(nodes []onnx.Node, c *graph.Custom) string {
	for i := range nodes {
		n := &nodes[i]
		if d := onnx.Domain(n.Domain); c.Has(d, n.OpType) {
			return strings.TrimPrefix(d+"."+n.OpType, ".")
		}
		for k := range n.Attrs {
			for _, g := range append([]*onnx.Graph{n.Attrs[k].G}, n.Attrs[k].Graphs...) {
				if name := customIn(g, c); name != "" {
					return name
				}
			}
		}
	}
	return ""
}
