// Package main is the C library of goruntime: the functions of api.h over
// package exec. Built with the tag pyext it also holds the Python extension.
//
// An export decodes, calls one function, encodes. Objects cross as handles of
// package own; memory crosses as leases.
package main

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -Werror -DGR_NO_PROTOTYPES
#include <stdlib.h>
#include "api.h"
extern gr_lease_shared gr_words;
*/
import "C"

import (
	"runtime/debug"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/lease"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

func main() {}

// fail stores err in *out, if the caller wants it, and returns its status.
func fail(err error, out **C.gr_error) C.gr_status {
	code := errs.CodeOf(err)
	if out != nil {
		e := errs.At(err, "", "", "")
		c := (*C.gr_error)(C.calloc(1, C.sizeof_gr_error))
		c.code = C.int32_t(code)
		c.message, c.op, c.node, c.input = C.CString(e.Error()), C.CString(e.Op), C.CString(e.Node), C.CString(e.Input)
		*(*uintptr)(unsafe.Pointer(out)) = uintptr(unsafe.Pointer(c)) // as a number: see place
	}
	return C.gr_status(code)
}

// guard runs an export's body; a panic becomes GR_INTERNAL with its stack.
// Nothing unwinds into C.
func guard(out **C.gr_error, body func() error) (status C.gr_status) {
	defer func() {
		if v := recover(); v != nil {
			status = fail(errs.New(errs.Internal, "%v\n%s", v, debug.Stack()), out)
		}
	}()
	if err := body(); err != nil {
		return fail(err, out)
	}
	return C.GR_OK
}

//export gr_error_free
func gr_error_free(e *C.gr_error) {
	if e == nil {
		return
	}
	for _, text := range []*C.char{e.message, e.op, e.node, e.input} {
		C.free(unsafe.Pointer(text))
	}
	C.free(unsafe.Pointer(e))
}

//export gr_text_free
func gr_text_free(text *C.char) { C.free(unsafe.Pointer(text)) }

func init() {
	// SAFETY: the variable is C's and as long as the process.
	lease.Share((*lease.Shared)(unsafe.Pointer(&C.gr_words)))
}
