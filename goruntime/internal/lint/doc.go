// Package lint holds the rules of the house that no other tool checks, as tests over
// the sources of the repository. Each message says what to write instead. A line that
// has a reason to break a rule carries it above: //lint:allow RULE REASON.
package lint
