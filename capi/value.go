package main

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// valueOf returns the Go form of an input that is no tensor; its tensors are
// borrowed.
func valueOf(c *C.gr_value) *values.Value {
	if c == nil {
		return nil
	}
	if c.kind == C.GR_TENSOR {
		return values.NewTensor(tensor.View{
			DType: tensor.DType(c.dtype), Data: c.data,
			// SAFETY: int64_t is Go's int on the platforms that build; dims has n entries.
			Shape: unsafe.Slice((*int)(unsafe.Pointer(c.dims)), int(c.n)),
		}, arena.Handle{})
	}
	items := make([]*values.Value, int(c.n))
	for i := range items {
		items[i] = valueOf(&unsafe.Slice(c.items, int(c.n))[i])
	}
	return values.New(values.Kind(c.kind), items...)
}

// given are the values behind the trees that C holds: the memory of their maps.
var given = struct {
	sync.Mutex // protects trees
	trees      map[*C.gr_value]*values.Value
}{trees: map[*C.gr_value]*values.Value{}}

// tree is a C tree under construction: nodes and dimensions in one block.
type tree struct {
	nodes []C.gr_value
	dims  []C.int64_t
	io    *arena.IOArena
}

// newTree returns v as a tree in one block of C memory, whose tensors are leases of io
// where they are lent, else borrowed.
func newTree(v *values.Value, io *arena.IOArena, lend bool) (*C.gr_value, error) {
	nodes, dims := count(v)
	block := C.calloc(1, C.size_t(nodes)*C.sizeof_gr_value+C.size_t(dims)*8)
	//lint:allow unsafe the block holds the nodes, then the dimensions
	// SAFETY: the block was made for as many of both.
	t := &tree{
		nodes: unsafe.Slice((*C.gr_value)(block), nodes), io: io,
		dims: unsafe.Slice((*C.int64_t)(unsafe.Add(block, uintptr(nodes)*C.sizeof_gr_value)), dims),
	}
	root := &t.nodes[0]
	t.nodes = t.nodes[1:]
	if err := t.fill(root, v, lend); err != nil {
		releaseTree(root)
		C.free(block)
		return nil, err
	}
	return root, nil
}

// exportValue gives output o the value of r as a tree, whose tensors are leases.
func exportValue(io *arena.IOArena, r *exec.Result, o *C.gr_output) error {
	root, err := newTree(r.Value, io, true)
	if err != nil {
		return err
	}
	given.Lock()
	defer given.Unlock()
	given.trees[root] = r.Value
	r.Value = nil
	address(unsafe.Pointer(&o.value), unsafe.Pointer(root))
	return nil
}

// count returns how many nodes and dimensions v has.
func count(v *values.Value) (nodes, dims int) {
	nodes, dims = 1, len(v.View.Shape)
	for _, item := range v.Items {
		n, d := count(item)
		nodes, dims = nodes+n, dims+d
	}
	return nodes, dims
}

// fill writes v to c. Tensors that are not part of a map move their block into a
// lease.
func (t *tree) fill(c *C.gr_value, v *values.Value, lend bool) error {
	c.kind = C.int32_t(v.Kind)
	if v.Kind == values.Tensor {
		return t.tensor(c, v, lend)
	}
	c.n = C.int64_t(len(v.Items))
	if len(v.Items) == 0 {
		return nil
	}
	children := t.nodes[:len(v.Items)]
	t.nodes = t.nodes[len(v.Items):]
	address(unsafe.Pointer(&c.items), unsafe.Pointer(&children[0]))
	for i, item := range v.Items {
		if err := t.fill(&children[i], item, lend && v.Kind != values.Map); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) tensor(c *C.gr_value, v *values.Value, lend bool) error {
	rank := len(v.View.Shape)
	c.dtype, c.n = C.int32_t(v.View.DType), C.int64_t(rank)
	for i, n := range v.View.Shape {
		t.dims[i] = C.int64_t(n)
	}
	address(unsafe.Pointer(&c.dims), unsafe.Pointer(unsafe.SliceData(t.dims)))
	t.dims = t.dims[rank:]
	address(unsafe.Pointer(&c.data), v.View.Data)
	if !lend {
		return nil
	}
	l, err := t.io.Export(v.Take(), 1)
	if err == nil {
		address(unsafe.Pointer(&c.lease), unsafe.Pointer(l.Header))
		c.generation = C.uint32_t(l.Generation)
	}
	return err
}

// releaseTree ends the leases in a tree.
func releaseTree(c *C.gr_value) {
	release(c.lease, c.generation)
	if c.items != nil {
		for i := range unsafe.Slice(c.items, int(c.n)) {
			releaseTree(&unsafe.Slice(c.items, int(c.n))[i])
		}
	}
}

//export gr_value_free
func gr_value_free(c *C.gr_value) {
	if c == nil {
		return
	}
	given.Lock()
	v := given.trees[c]
	delete(given.trees, c)
	given.Unlock()
	v.Release()
	C.free(unsafe.Pointer(c))
}
