package ml

import (
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
)

// fewRows is what an ensemble has for rows that are too few for threads to share. They
// share the trees then: each walks the rows down some of them, and what the leaves give
// is added in the order of the trees, as ever.
type fewRows[T number] struct {
	*ensemble[T]
	room   *room[T]
	rows   int     // whole blocks
	leaves []int32 // [trees][rows]
}

// fewGrain is how many walks of a tree make a chunk worth handing out, fewLeaves how many
// are kept at most.
const (
	fewGrain  = 800
	fewLeaves = 1 << 18
)

// prepareFew makes room for the leaves of all trees, where threads may share them.
func (e *ensemble[T]) prepareFew(threads int) {
	if n := e.trees.Len() * e.group; threads > 1 && n <= fewLeaves {
		e.few = &fewRows[T]{ensemble: e, leaves: make([]int32, n)}
	}
}

// fewPay reports whether the rows are a group that threads share by trees.
func (e *ensemble[T]) fewPay(rows int) bool {
	if e.few == nil || rows < tree.Lanes || rows > e.group || rows*e.trees.Len() < 2*fewGrain {
		return false
	}
	if e.double != nil && e.double.Pays(tree.Lanes) {
		return false
	}
	single := len(e.rooms[0].single.keys) > 0
	return !single || (e.quick == nil || !e.quick.Pays(min(rows, tree.Wide))) && (e.narrow == nil || rows <= tree.Lanes)
}

// runFew computes all rows.
func (e *ensemble[T]) runFew(c *op.Context, rows int) {
	slot := <-e.free
	defer func() { e.free <- slot }()
	f, r := e.few, &e.rooms[slot]
	f.room, f.rows = r, rows/tree.Lanes*tree.Lanes
	e.reset(r, rows)
	e.loadBlocks(r, 0, f.rows)
	c.For(e.trees.Len(), max(1, fewGrain/f.rows), (*fewWalks[T])(f))
	c.For(f.rows/tree.Lanes, max(1, 2*fewGrain/tree.Lanes/e.trees.Len()), (*fewSums[T])(f))
	for row := f.rows; row < rows; row++ {
		e.row(r, row, row)
	}
	e.finishAll(r, 0, rows)
}

// fewWalks is the walk of all rows, split by trees.
type fewWalks[T number] fewRows[T]

// Chunk implements op.Task over the trees.
func (f *fewWalks[T]) Chunk(lo, hi int) {
	for t := lo; t < hi; t++ {
		f.trees.Blocks(t, f.room.blocks[:f.rows*f.keys], f.leaves[t*f.rows:(t+1)*f.rows])
	}
}

// fewSums adds up what the leaves give, split by blocks of rows.
type fewSums[T number] fewRows[T]

// Chunk implements op.Task over the blocks.
func (f *fewSums[T]) Chunk(lo, hi int) {
	lo, hi = lo*tree.Lanes, hi*tree.Lanes
	part := room[T]{sums: f.room.sums[lo*f.targets : hi*f.targets], given: f.room.given[lo*f.targets : hi*f.targets]}
	for t := range f.trees.Len() {
		f.addAll(&part, f.leaves[t*f.rows+lo:t*f.rows+hi])
	}
}
