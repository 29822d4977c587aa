// Package arena holds the two arenas of the runtime: off-heap blocks kept for
// the next run, by what becomes of them.
//
// ExecutionArena holds what dies in a run, IOArena what leaves it. Both are
// size-classed stores with a bound on what they keep. A block is live (one
// owner: a Handle or a lease), free (kept for reuse) or gone. Invariants: a
// block belongs to one arena; it is on a free list only after its last owner
// gave it back; borrowed memory is never on one; retained bytes are never
// counted as live.
package arena
