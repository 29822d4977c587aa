package main

/*
#include <stdlib.h>
#include "api.h"

static inline int gr_make_custom(const gr_custom *c, const void *node, size_t size, const char *facts, uint64_t *kernel) {
  return c->make(c->arg, node, size, facts, kernel);
}

typedef void (*gr_release)(void *owner);
static inline void gr_call_release(gr_release release, void *owner) { release(owner); }

static inline int gr_run_custom(const gr_custom *c, const gr_custom_call *call) { return c->run(c->arg, call); }
*/
import "C"

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/own"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// customCalls are the calls of custom operators that are under way.
var customCalls = own.Table[op.Context]{What: "call of a custom operator"}

// customOf returns the Go form of the operators that a caller brings. c is copied
// to C memory that lives as long as the session: it is freed with free.
func customOf(c *C.gr_custom) (custom *graph.Custom, free func()) {
	if c == nil || c.n == 0 {
		return nil, func() {}
	}
	has := map[op.Key]bool{}
	for i := range int(c.n) {
		domain := C.GoString(unsafe.Slice(c.domains, int(c.n))[i])
		has[op.Key{Domain: onnx.Domain(domain), Name: C.GoString(unsafe.Slice(c.names, int(c.n))[i])}] = true
	}
	kept := (*C.gr_custom)(C.malloc(C.sizeof_gr_custom))
	*kept = *c
	kept.domains, kept.names = nil, nil
	return &graph.Custom{
		Has:  func(domain, name string) bool { return has[op.Key{Domain: domain, Name: name}] },
		Make: func(n *onnx.Node, at graph.Place) (*op.Def, error) { return makeCustom(kept, n, at) },
	}, func() { C.free(unsafe.Pointer(kept)) }
}

// makeCustom returns the Def of one node.
func makeCustom(c *C.gr_custom, n *onnx.Node, at graph.Place) (*op.Def, error) {
	facts, err := factsOf(n, at)
	if err != nil {
		return nil, err
	}
	node := n.Marshal()
	data, text := C.CBytes(node), C.CString(facts)
	defer C.free(data)
	defer C.free(unsafe.Pointer(text))
	var kernel C.uint64_t
	if C.gr_make_custom(c, data, C.size_t(len(node)), text, &kernel) != 0 {
		return nil, errs.New(errs.Compute, "the custom operator was not made")
	}
	return &op.Def{
		Name: n.OpType, Domain: onnx.Domain(n.Domain), Versions: op.Versions{at.Opset: ""}, Computes: true, Control: true, Random: true,
		Run: func(ctx *op.Context) error { return runCustom(c, kernel, ctx) },
	}, nil
}

// runCustom calls a custom operator. Its views lie in C memory.
func runCustom(c *C.gr_custom, kernel C.uint64_t, ctx *op.Context) error {
	n, dims := ctx.Inputs(), 0
	trees := customTrees{}
	defer trees.free()
	for i := range n {
		if v := ctx.InValue(i); v != nil {
			if err := trees.add(i, v); err != nil {
				return err
			}
		} else if ctx.Has(i) {
			dims += len(ctx.In(i).Shape)
		}
	}
	block := C.calloc(1, C.sizeof_gr_custom_call+C.size_t(n)*C.sizeof_gr_view+C.size_t(dims)*8)
	defer C.free(block)
	call := (*C.gr_custom_call)(block)
	//lint:allow unsafe the block holds the call, the views and the dimensions
	// SAFETY: the block was made for one call, n views and as many dimensions.
	views := unsafe.Slice((*C.gr_view)(unsafe.Add(block, C.sizeof_gr_custom_call)), n)
	sizes := unsafe.Slice((*C.int64_t)(unsafe.Add(block, C.sizeof_gr_custom_call+uintptr(n)*C.sizeof_gr_view)), dims)
	for i := range n {
		if t := trees[i]; t != nil {
			views[i].dtype = C.GR_OTHER
			address(unsafe.Pointer(&views[i].value), unsafe.Pointer(t))
		} else if ctx.Has(i) {
			sizes = describeView(&views[i], ctx.In(i), sizes)
		}
	}
	token := customCalls.Put(ctx)
	defer customCalls.Take(token)
	address(unsafe.Pointer(&call.inputs), unsafe.Pointer(unsafe.SliceData(views)))
	call.kernel, call.n_inputs, call.n_outputs, call.token = kernel, C.size_t(n), C.size_t(ctx.Outputs()), C.uint64_t(token)
	if C.gr_run_custom(c, call) != 0 {
		return errs.New(errs.Compute, "the custom operator failed")
	}
	return nil
}

// describeView writes a tensor to v, with its dimensions at the front of sizes,
// and returns the rest of sizes.
func describeView(v *C.gr_view, t *tensor.View, sizes []C.int64_t) []C.int64_t {
	v.dtype, v.rank = C.int32_t(t.DType), C.int32_t(len(t.Shape))
	for d, n := range t.Shape {
		sizes[d] = C.int64_t(n)
	}
	address(unsafe.Pointer(&v.dims), unsafe.Pointer(unsafe.SliceData(sizes)))
	address(unsafe.Pointer(&v.data), t.Data)
	return sizes[len(t.Shape):]
}

// outputOf returns the call of token and the shape of what is made as its output.
func outputOf(token C.uint64_t, slot C.size_t, dtype C.int32_t, dims *C.int64_t, rank C.int32_t) (*op.Context, tensor.Shape, error) {
	ctx, err := customCalls.Get(uint64(token))
	if err != nil {
		return nil, nil, err
	}
	if int(slot) >= ctx.Outputs() || !tensor.DType(dtype).Valid() {
		return nil, nil, errs.New(errs.Argument, "output %d of element type %d was made, the node has %d outputs", slot, dtype, ctx.Outputs())
	}
	shape := make(tensor.Shape, rank)
	for d := range shape {
		shape[d] = int(unsafe.Slice(dims, int(rank))[d])
	}
	return ctx, shape, nil
}

//export gr_custom_adopt
func gr_custom_adopt(token C.uint64_t, slot C.size_t, dtype C.int32_t, dims *C.int64_t, rank C.int32_t, data unsafe.Pointer, release C.gr_release, owner unsafe.Pointer, taken *C.int32_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		*taken = 0
		end := func() { C.gr_call_release(release, owner) }
		ctx, shape, err := outputOf(token, slot, dtype, dims, rank)
		if err != nil {
			end()
			return err
		}
		if !ctx.Wants(int(slot)) {
			return nil
		}
		ok, err := ctx.Adopt(int(slot), tensor.DType(dtype), shape, data, end)
		if ok {
			*taken = 1
		}
		return err
	})
}

//export gr_custom_output
func gr_custom_output(token C.uint64_t, slot C.size_t, dtype C.int32_t, dims *C.int64_t, rank C.int32_t, textSize C.size_t, data *unsafe.Pointer, text **C.char, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		ctx, shape, err := outputOf(token, slot, dtype, dims, rank)
		if err != nil {
			return err
		}
		address(unsafe.Pointer(data), nil)
		if !ctx.Wants(int(slot)) {
			return nil
		}
		v, err := ctx.MakeOutputTensor(int(slot), tensor.DType(dtype), shape)
		if err != nil {
			return err
		}
		address(unsafe.Pointer(data), v.Data)
		if v.DType != tensor.Str {
			return nil
		}
		room, err := ctx.Text(int(slot), int(textSize))
		address(unsafe.Pointer(text), unsafe.Pointer(unsafe.SliceData(room)))
		return err
	})
}
