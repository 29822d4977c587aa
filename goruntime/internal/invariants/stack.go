package invariants

import (
	"fmt"
	"runtime"
	"strings"
)

// Stack is where a call came from: kept as addresses, said in words when it is
// asked for.
type Stack []uintptr

// Caller returns the stack from the caller of the function that asks.
func Caller() Stack {
	var at [24]uintptr
	return append(Stack(nil), at[:runtime.Callers(3, at[:])]...)
}

// String lists the functions with file and line, the innermost first.
func (s Stack) String() string {
	if len(s) == 0 {
		return "\tunknown\n"
	}
	var b strings.Builder
	frames := runtime.CallersFrames(s)
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return b.String()
		}
	}
}
