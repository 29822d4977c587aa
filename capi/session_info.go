package main

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
)

// describe returns the C form of inputs or outputs; forget frees its texts.
func describe(list []exec.Info) []C.gr_info {
	all := make([]C.gr_info, len(list))
	for i, in := range list {
		c := &all[i]
		c.name, c._type, c.rank = C.CString(in.Name), C.CString(in.Type.String()), -1
		if in.Optional {
			c.optional = 1
		}
		if in.Type == nil {
			continue
		}
		c.dtype = C.int32_t(in.Type.Elem)
		if !in.Type.HasShape || len(in.Type.Dims) > C.GR_MAX_RANK {
			continue
		}
		c.rank = C.int32_t(len(in.Type.Dims))
		for k, d := range in.Type.Dims {
			c.dims[k] = -1
			if d.Known {
				c.dims[k] = C.int64_t(d.Value)
			} else if d.Param != "" {
				c.params[k] = C.CString(d.Param)
			}
		}
	}
	return all
}

func forget(list []C.gr_info) {
	for i := range list {
		C.free(unsafe.Pointer(list[i].name))
		C.free(unsafe.Pointer(list[i]._type))
		for _, p := range list[i].params {
			C.free(unsafe.Pointer(p))
		}
	}
}

//export gr_session_count
func gr_session_count(h C.uint64_t, inputs, outputs, nodes *C.int64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err == nil {
			*inputs, *outputs, *nodes = C.int64_t(len(s.inputs)), C.int64_t(len(s.outputs)), C.int64_t(len(s.Model().Graph.Nodes))
		}
		return err
	})
}

// briefNodes is how many nodes a brief model has at most, inner ones included.
const briefNodes = 4

//export gr_session_brief
func gr_session_brief(h C.uint64_t, brief *C.int32_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err != nil {
			return err
		}
		*brief = 0
		if n, loops := s.Model().Extent(); n <= briefNodes && !loops {
			*brief = 1
		}
		return nil
	})
}

//export gr_session_input
func gr_session_input(h C.uint64_t, i C.int64_t, info *C.gr_info, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err != nil {
			return err
		}
		return pick(s.inputs, i, info)
	})
}

//export gr_session_output
func gr_session_output(h C.uint64_t, i C.int64_t, info *C.gr_info, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err != nil {
			return err
		}
		return pick(s.outputs, i, info)
	})
}

func pick(list []C.gr_info, i C.int64_t, info *C.gr_info) error {
	if i < 0 || int(i) >= len(list) {
		return errs.New(errs.Argument, "number %d is out of range: there are %d", i, len(list))
	}
	*info = list[i]
	return nil
}

//export gr_session_engine
func gr_session_engine(h C.uint64_t, name **C.char, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err == nil {
			address(unsafe.Pointer(name), unsafe.Pointer(C.CString(s.Engine())))
		}
		return err
	})
}

//export gr_session_arenas
func gr_session_arenas(h C.uint64_t, execution, io *C.uint64_t, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		s, err := sessionOf(h)
		if err == nil {
			*execution, *io = C.uint64_t(s.arenas[0]), C.uint64_t(s.arenas[1])
		}
		return err
	})
}
