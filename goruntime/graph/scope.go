package graph

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// space is where names are looked up: one for each graph, and one for each
// inlined call, which sees nothing of its caller.
type space struct {
	g      *Graph
	names  map[string]ID
	parent *space         // of a subgraph
	given  ID             // the values before it are inputs and initializers of the subgraph
	calls  *onnx.Function // what the call is of, nil where the space is a graph's
	nodes  []onnx.Node
	makers map[string]int // which of nodes gives a name
	prefix string         // of the names of nodes
}

// define adds a value of this name, which means nothing here yet.
func (sp *space) define(name string) (ID, error) {
	if name == "" {
		return None, errs.New(errs.Model, "a value without a name is produced")
	}
	id := sp.g.add(name)
	sp.names[name] = id
	return id, nil
}

// lookup returns the value that name means here, capturing it from a parent
// where it is not this graph's own. Constants are not captured but shared.
func (sp *space) lookup(name string) (ID, bool) {
	if id, ok := sp.names[name]; ok {
		return id, true
	}
	if sp.parent == nil {
		return None, false
	}
	outer, ok := sp.parent.lookup(name)
	if !ok {
		return None, false
	}
	if outer == None { // an input that the call of a function omits
		return None, true
	}
	from := &sp.parent.g.Values[outer]
	id := sp.g.add(name)
	sp.g.Values[id].Type = from.Type
	if from.Const != nil && !from.Input {
		sp.g.Values[id].Const = from.Const
	} else {
		sp.g.Captures = append(sp.g.Captures, Capture{outer, id})
	}
	sp.names[name] = id
	return id, true
}

// defined reports whether a name means a value here before any node of the list is
// built.
func (sp *space) defined(name string) bool {
	for ; sp != nil; sp = sp.parent {
		if _, ok := sp.names[name]; ok || sp.maker(name) != nil {
			return true
		}
	}
	return false
}

// producer returns the node of the graphs around this one that produces a value, nil
// where the name means another value or none.
func (sp *space) producer(name string) *onnx.Node {
	for ; sp != nil; sp = sp.parent {
		if n := sp.maker(name); n != nil {
			return n
		}
		if id, ok := sp.names[name]; ok && id < sp.given {
			return nil
		}
	}
	return nil
}

func (sp *space) maker(name string) *onnx.Node {
	if i, ok := sp.makers[name]; ok {
		return &sp.nodes[i]
	}
	return nil
}

// dtype returns the element type of the input or initializer that a name means, Undefined
// where it is not known or the name means neither.
func (sp *space) dtype(name string) tensor.DType {
	for ; sp != nil; sp = sp.parent {
		id, ok := sp.names[name]
		if !ok || id == None {
			continue
		}
		switch v := &sp.g.Values[id]; {
		case v.Const != nil:
			return v.Const.DType
		case v.Type != nil && v.Type.Kind == onnx.KindTensor:
			return v.Type.Elem
		}
		break
	}
	return tensor.Undefined
}
