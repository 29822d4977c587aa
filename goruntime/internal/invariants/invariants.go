// Package invariants holds the checks that cost too much for every build, on
// behind the build tag of the same name, and the one way to say "this cannot
// happen".
package invariants

import "fmt"

// Bug panics: the runtime itself is wrong. Boundaries (C exports, Session.Run)
// turn it into an error of code Internal.
func Bug(format string, args ...any) {
	//lint:allow panic this is the one place
	panic("goruntime bug: " + fmt.Sprintf(format, args...))
}

// Check panics as Bug does where ok is false, in builds with the invariants tag
// only. Where finding ok out costs something, ask Enabled first.
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		Bug(format, args...)
	}
}
