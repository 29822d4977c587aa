// Package pyapi is the control plane of the Python package, in the few types
// that gopy wraps well: integers, strings, bools, errors. It names objects by
// the handles of the C interface, which carry a generation: a stale one is an
// error. Nothing here is on the path of a run, and no bulk data passes.
//
// Every function returns a value beside its error, since gopy leaks the text of
// an error that comes alone.
//
// Invariant: no function panics, since a panic would end the process; each
// error begins with its code, "NAME: ...", which Python turns into a class.
package pyapi

//go:generate go run ../internal/gen/gopygen -out ../../capi

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// guard turns a panic into an error of code INTERNAL, and puts the code of any
// error before its text. Defer it with the address of the named result.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = errs.New(errs.Internal, "%v\n%s", p, debug.Stack())
	}
	if *err != nil {
		*err = fmt.Errorf("%v: %w", errs.CodeOf(*err), *err)
	}
}

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", errs.New(errs.Internal, "%w", err)
	}
	return string(b), nil
}
