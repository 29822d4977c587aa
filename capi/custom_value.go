package main

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// customTrees are the inputs of a custom operator that are no tensors, by number. Their
// tensors are borrowed.
type customTrees map[int]*C.gr_value

func (t customTrees) add(i int, v *values.Value) error {
	root, err := newTree(v, nil, false)
	if err == nil {
		t[i] = root
	}
	return err
}

func (t customTrees) free() {
	for _, root := range t {
		C.free(unsafe.Pointer(root))
	}
}

// kept returns a copy of a tree in the memory of the run.
func kept(ctx *op.Context, slot int, c *C.gr_value) (*values.Value, error) {
	if c.kind == C.GR_TENSOR {
		return keptTensor(ctx, slot, valueOf(c))
	}
	v := values.New(values.Kind(c.kind))
	for i := range int(c.n) {
		item, err := kept(ctx, slot, &unsafe.Slice(c.items, int(c.n))[i])
		if err != nil {
			v.Release()
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

func keptTensor(ctx *op.Context, slot int, from *values.Value) (*values.Value, error) {
	dtype := from.View.DType
	if !dtype.Valid() {
		return nil, errs.New(errs.Argument, "a tensor of element type %d was made", dtype)
	}
	v, err := ctx.Element(dtype, from.View.Shape)
	if err != nil {
		return nil, err
	}
	if dtype != tensor.Str {
		copy(v.View.Raw(), from.View.Raw())
		return v, nil
	}
	texts, size := tensor.Elems[string](&from.View), 0
	for _, s := range texts {
		size += len(s)
	}
	room, err := ctx.Text(slot, size)
	if err != nil {
		v.Release()
		return nil, err
	}
	to := tensor.Elems[string](&v.View)
	for i, s := range texts {
		n := copy(room, s)
		//lint:allow unsafe strings over the memory of the run
		// SAFETY: room has the bytes of all texts, and lives as long as the run.
		to[i] = unsafe.String(unsafe.SliceData(room), n)
		room = room[n:]
	}
	return v, nil
}

//export gr_custom_value
func gr_custom_value(token C.uint64_t, slot C.size_t, value *C.gr_value, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		ctx, err := customCalls.Get(uint64(token))
		if err != nil {
			return err
		}
		if int(slot) >= ctx.Outputs() {
			return errs.New(errs.Argument, "output %d was made, the node has %d outputs", slot, ctx.Outputs())
		}
		v, err := kept(ctx, int(slot), value)
		if err != nil {
			return err
		}
		return ctx.SetValue(int(slot), v)
	})
}
