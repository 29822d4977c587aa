package graph

import (
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// sorted returns an order of the nodes in which each value is produced before
// it is read: the model's own where that is one, as the standard demands, else
// the nearest to it. producer says which node gives a name.
//
// Errors: errs.Model naming the nodes of a cycle.
func sorted(list []onnx.Node, producer map[string]int) ([]int, error) {
	s := &sorter{list: list, producer: producer, state: make([]uint8, len(list)), order: make([]int, 0, len(list))}
	for i := range list {
		if err := s.visit(i); err != nil {
			return nil, err
		}
	}
	return s.order, nil
}

type sorter struct {
	list     []onnx.Node
	producer map[string]int
	state    []uint8 // 0 not seen, 1 on the path, 2 placed
	order    []int
	path     []int
}

// visit places node i after all that it reads. It keeps its own stack: a chain
// of nodes in reverse order may be as long as the model.
func (s *sorter) visit(i int) error {
	if s.state[i] != 0 {
		return nil
	}
	s.path = append(s.path[:0], i)
	for len(s.path) > 0 {
		at := s.path[len(s.path)-1]
		s.state[at] = 1
		next := s.pending(at)
		switch {
		case next < 0:
			s.state[at] = 2
			s.order = append(s.order, at)
			s.path = s.path[:len(s.path)-1]
		case s.state[next] == 1:
			return s.cycle(next)
		default:
			s.path = append(s.path, next)
		}
	}
	return nil
}

// pending returns a producer of something node i reads that is not placed yet.
func (s *sorter) pending(i int) int {
	for name := range s.list[i].Reads {
		if p, ok := s.producer[name]; ok && s.state[p] != 2 {
			return p
		}
	}
	return -1
}

func (s *sorter) cycle(first int) error {
	var names []string
	for k := len(s.path) - 1; k >= 0; k-- {
		n := &s.list[s.path[k]]
		names = append(names, n.OpType+" "+n.Name)
		if s.path[k] == first {
			break
		}
	}
	return errs.New(errs.Model, "the graph has a cycle through %d nodes: %s", len(names), strings.Join(names, ", "))
}
