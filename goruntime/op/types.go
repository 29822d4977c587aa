package op

import (
	"slices"
	"sync"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/schema"
)

// checkTypes refuses inputs of other element types than the kernel will take
// them for: those that Also lists, and those that the schema wants alike.
//
// Errors: errs.Type.
func (c *Context) checkTypes(def *Def) error {
	if def.Control { // its tensors belong to the subgraphs
		return nil
	}
	peers := peersOf(def, c.Version)
	for i, v := range c.in {
		if v == nil {
			continue
		}
		if list, ok := def.Also[i]; ok {
			if !slices.Contains(list, v.DType) {
				return errs.New(errs.Type, "input %d is %v, one of %v expected", i, v.DType, list)
			}
			continue
		}
		if len(peers) == 0 {
			continue
		}
		if k := peers[min(i, len(peers)-1)]; k < i && c.in[k] != nil && c.in[k].DType != v.DType {
			return errs.New(errs.Type, "input %d is %v, input %d is %v: they must be alike", i, v.DType, k, c.in[k].DType)
		}
	}
	return nil
}

type peerKey struct {
	def     *Def
	version int
}

var peerTable = struct {
	sync.RWMutex // protects of
	of           map[peerKey][]int
}{of: map[peerKey][]int{}}

// peersOf returns, for each formal input, the first one that has the same type
// variable; nil for operators outside the official schemas. A list is made once.
func peersOf(def *Def, version int) []int {
	k := peerKey{def, version}
	peerTable.RLock()
	list, ok := peerTable.of[k]
	peerTable.RUnlock()
	if ok {
		return list
	}
	if s, found := schema.Lookup(def.Domain, def.Name, int64(version)); found {
		for i, p := range s.Inputs {
			first := slices.IndexFunc(s.Inputs[:i], func(q schema.Param) bool { return q.Type == p.Type })
			if first < 0 {
				first = i
			}
			list = append(list, first)
		}
	}
	peerTable.Lock()
	defer peerTable.Unlock()
	peerTable.of[k] = list
	return list
}
