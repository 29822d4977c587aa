package graph

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/onnx"
)

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
	if sp.makers == nil && len(sp.nodes) > 0 {
		sp.makers = make(map[string]*onnx.Node, len(sp.nodes))
		for i := range sp.nodes {
			for _, o := range sp.nodes[i].Outputs {
				if o != "" {
					sp.makers[o] = &sp.nodes[i]
				}
			}
		}
	}
	return sp.makers[name]
}

// bind puts the attributes that a function is called with in the place of those that
// refer to them. What refers to one that the call leaves out stays.
func (fr *frame) bind(list []onnx.Node) []onnx.Node {
	if len(fr.attrs) == 0 {
		return list
	}
	bound := make([]onnx.Node, len(list))
	for i, n := range list {
		bound[i] = n
		bound[i].Attrs = slices.Clone(n.Attrs)
		for k := range n.Attrs {
			if a, ok := fr.bound(&n.Attrs[k]); ok {
				bound[i].Attrs[k] = *a
				bound[i].Attrs[k].Name = n.Attrs[k].Name
			}
		}
	}
	return bound
}
