package op

import (
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Tail is a chain of elementwise operations that exec joined to a node, with the
// tensors that it reads.
type Tail struct {
	bound chain.Bound
	in    []*tensor.View // input 0 is the node's output where onto
	onto  bool
}

// NewTail returns the tail of a node. In are the tensors that the program reads;
// where onto, they follow the node's own output, which is then input 0.
func NewTail(p *chain.Program, in []*tensor.View, onto bool) *Tail {
	return &Tail{bound: chain.Bound{Program: p}, in: in, onto: onto}
}

// TailParts returns the parts of the inputs of a tail that lie in parts, of the same rows all
// of them; nil where none does.
func (c *Context) TailParts() []tensor.Part {
	for _, v := range c.tail.in {
		if v.Parts != nil {
			return v.Parts
		}
	}
	return nil
}

// TailPart returns the tail for part i of those inputs, which have the shape of output 0:
// its elements are counted from the first of the part on. Tail has bound the tail before.
//
// Concurrency: safe from any goroutine until Tail is called again.
func (c *Context) TailPart(i int) chain.Bound {
	part := c.tail.bound.From(c.TailParts()[i].First * c.out[0].RowElements())
	for k, v := range c.tail.in {
		if v.Parts != nil {
			part.In[k] = v.Parts[i].Data
		}
	}
	return part
}

// Tail returns the chain that the node ends with, bound to the memory of the run,
// or nil. A kernel of a Def with Tail calls Run of it once for each range of
// elements of output 0, after it has written them.
func (c *Context) Tail() *chain.Bound {
	t := c.tail
	if t == nil {
		return nil
	}
	first := 0
	if t.onto {
		t.bound.In[0], first = c.out[0].Data, 1
	}
	for i, v := range t.in {
		t.bound.In[first+i] = v.Data
	}
	t.bound.Out = c.out[0].Data
	return &t.bound
}
