//go:build !invariants

package invariants

// Enabled tells whether the expensive checks are compiled in.
const Enabled = false
