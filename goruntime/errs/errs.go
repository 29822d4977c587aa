// Package errs holds the one error type that the runtime returns and the list
// of codes that Go, C and Python share.
//
// Kernels and shape rules return New(code, "what was seen, then the rule");
// exec alone adds the operator and the node. Nothing here depends on any other
// package of the module.
package errs

import (
	"errors"
	"fmt"
	"strings"
)

// Code classifies an Error. The numbers are the status values of capi/api.h
// and the classes of python/goruntime/errors.py; a test compares the lists.
type Code int32

// The codes. OK is the status of a call that did not fail and never appears in
// an Error.
const (
	OK          Code = 0  // no error
	Argument    Code = 1  // a bad argument that is none of the kinds below
	Type        Code = 2  // an element type or a value kind that does not fit
	Shape       Code = 3  // a rank or a dimension that does not fit
	Name        Code = 4  // a missing or unknown name
	Model       Code = 5  // bytes or a graph that are not a valid model
	Unsupported Code = 6  // valid, but not run here
	Memory      Code = 7  // a hard limit would be exceeded, or the system refused
	Closed      Code = 8  // use after Close
	Released    Code = 9  // a stale or twice released handle
	Canceled    Code = 10 // the caller canceled the run
	Timeout     Code = 11 // the run's time limit passed
	Forked      Code = 12 // the library was entered in a forked child
	IO          Code = 13 // a file could not be read or mapped
	Compute     Code = 14 // a kernel met a value that its operator forbids
	Internal    Code = 15 // a bug in the runtime
)

var codeNames = [...]string{
	"OK", "ARGUMENT", "TYPE", "SHAPE", "NAME", "MODEL", "UNSUPPORTED", "MEMORY",
	"CLOSED", "RELEASED", "CANCELED", "TIMEOUT", "FORKED", "IO", "COMPUTE", "INTERNAL",
}

// String returns the upper-case name of the code, as capi/api.h spells it.
func (c Code) String() string {
	if c >= 0 && int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("CODE(%d)", int32(c))
}

// Codes returns every code in the order of its number.
func Codes() []Code {
	all := make([]Code, len(codeNames))
	for i := range all {
		all[i] = Code(i)
	}
	return all
}

// Error is every error that the runtime returns.
type Error struct {
	Code  Code
	Op    string // operator type, empty where none is involved
	Node  string // node name, or its position where it has no name
	Input string // the input, output or feed that the message is about
	Msg   string // lower case: the value seen, then the rule
	Err   error  // the cause, may be nil
}

// New returns an Error whose message is formatted from format and args. A %w
// verb sets the cause.
func New(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// WithInput returns e with the input, output or feed that it is about.
func (e *Error) WithInput(name string) *Error {
	e.Input = name
	return e
}

// Error returns "Op node "n": input "x": message".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op)
	}
	if e.Node != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "node %q", e.Node)
	}
	if e.Input != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "%q", e.Input)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first Error in err's chain, OK for nil and
// Internal for an error of another type.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// At returns err with operator, node and input filled in where it lacks them.
// An error of another type is wrapped as Internal.
func At(err error, op, node, input string) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: Internal, Msg: err.Error(), Err: err}
	}
	out := *e
	if out.Op == "" {
		out.Op = op
	}
	if out.Node == "" {
		out.Node = node
	}
	if out.Input == "" {
		out.Input = input
	}
	return &out
}
