// Package testkit is what the tests of several packages need: checks that
// nothing off-heap is left over, and what the system says of the process. It
// serves tests only and knows no arena, so that the arena's own tests can use
// it.
package testkit
