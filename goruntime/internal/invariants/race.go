//go:build race

package invariants

// Race tells whether the race detector is compiled in: memory then comes from
// the Go heap, which is all that it sees.
const Race = true
