//go:build !race

package invariants

// Race tells whether the race detector is compiled in.
const Race = false
