package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// aggregate is how the weights of a target come together, in the order in which
// TreeEnsemble numbers them.
type aggregate int

// The aggregates.
const (
	average aggregate = iota
	sum
	least
	most
)

var aggregates = map[string]aggregate{"AVERAGE": average, "SUM": sum, "MIN": least, "MAX": most}

// number is what thresholds and weights are, and what scores are summed in.
type number interface{ float32 | float64 }

// loader reads so many rows of a matrix, dense or columns, as keys into a block
// [features][planes][tree.Lanes], whose other lanes it leaves.
type loader func(block []uint64, in *tensor.View, first, rows, planes int)

func load[T float32 | float64 | int32 | int64](block []uint64, in *tensor.View, first, rows, planes int) {
	loadAs(block, in, first, rows, planes, func(x T) float64 { return float64(x) })
}

func loadHalf(block []uint64, in *tensor.View, first, rows, planes int) {
	loadAs(block, in, first, rows, planes, func(x tensor.Half) float64 { return float64(x.Float32()) })
}

func loadAs[T any](block []uint64, in *tensor.View, first, rows, planes int, wide func(T) float64) {
	size := planes * tree.Lanes
	if in.Columns != nil {
		for f := range in.Columns {
			keys := block[f*size : (f+1)*size]
			for lane, v := range tensor.Column[T](in, f)[first : first+rows] {
				putKeys(keys, lane, planes, wide(v))
			}
		}
		return
	}
	n := featuresOf(in.Shape)
	for lane := range rows {
		for f, v := range tensor.Elems[T](in)[(first+lane)*n : (first+lane+1)*n] {
			putKeys(block[f*size:(f+1)*size], lane, planes, wide(v))
		}
	}
}

// putKeys writes the keys of one number.
func putKeys(keys []uint64, lane, planes int, x float64) {
	keys[lane] = tree.Key(x)
	if planes > 1 {
		keys[tree.Lanes+lane] = keys[lane]
		if x != x {
			keys[tree.Lanes+lane] = 0
		}
	}
}

// finisher makes the outputs of a row from what its leaves gave: sums by target,
// and whether there was anything for it.
type finisher[T number] interface {
	finish(row int, sums []T, given []bool)
}

// ensemble adds up what the leaves of many trees give to each row. Trees are
// visited in one order, so sums do not depend on the rows or the threads.
type ensemble[T number] struct {
	*wood[T]
	load  loader
	end   finisher[T]
	in    *tensor.View
	group int // rows that are walked together
	rooms []room[T]
	free  chan int
	few   *fewRows[T] // nil where there is one thread, or no room
}

// room is the scratch memory of one chunk at work.
type room[T number] struct {
	blocks []uint64
	sums   []T
	given  []bool
	leaves []int32
	window *op.Window
	single singleRoom
	double []float64 // [2][targets][tree.Lanes], where they are walked so
}

// groupBytes is how much of the rows is walked down a tree at once: trees stay in
// the first cache meanwhile.
const groupBytes = 64 << 10

// mostTargets bounds the scores of a row, of which each chunk at work has some.
const mostTargets = 1 << 20

// newEnsemble prepares for the rows of input 0.
func newEnsemble[T number](c *op.Context, g *wood[T], load loader, end finisher[T]) *ensemble[T] {
	e, targets := &ensemble[T]{wood: g, load: load, end: end}, g.targets
	blocks := min(8, max(2, groupBytes/(8*tree.Lanes*max(1, e.keys))), max(1, groupBytes/max(1, targets)))
	e.group = blocks * tree.Lanes
	n := c.Threads() + 1
	e.rooms, e.free = make([]room[T], n), make(chan int, n)
	for i := range e.rooms {
		e.rooms[i] = room[T]{
			blocks: make([]uint64, e.group*e.keys),
			sums:   make([]T, e.group*targets), given: make([]bool, e.group*targets), leaves: make([]int32, e.group),
			window: op.NewWindow(c, 0, tree.Wide),
		}
		if e.double != nil {
			e.rooms[i].double = make([]float64, 2*targets*tree.Lanes)
		}
		e.free <- i
	}
	e.prepareSingle()
	e.prepareFew(c.Threads())
	return e
}

// rowGrain is how many walks of a tree make a chunk worth handing out.
const rowGrain = 2000

func (e *ensemble[T]) run(c *op.Context) {
	e.in = c.In(0)
	const whole = 2 * tree.Wide // blocks of rows are seldom cut then
	rows, grain := rowsOf(e.in.Shape), (rowGrain/max(1, e.trees.Len())/whole+1)*whole
	if rows <= grain && e.fewPay(rows) && c.Threads() > 1 {
		e.runFew(c, rows)
		return
	}
	c.For(rows, grain, e)
}

// Chunk implements op.Task over the rows.
func (e *ensemble[T]) Chunk(lo, hi int) {
	slot := <-e.free
	defer func() { e.free <- slot }()
	r := &e.rooms[slot]
	for lo < hi {
		if n := e.singles(r, lo, hi); n > 0 {
			lo += n
			continue
		}
		n := min(hi-lo, e.group)
		e.reset(r, n)
		whole := n / tree.Lanes * tree.Lanes
		if e.double != nil && e.double.Pays(n-whole) {
			whole = n
		}
		if whole > 0 {
			e.blocks(r, lo, whole)
		}
		for row := whole; row < n; row++ {
			e.row(r, lo+row, row)
		}
		e.finishAll(r, lo, n)
		lo += n
	}
}

// reset clears the sums of n rows.
func (e *ensemble[T]) reset(r *room[T], n int) {
	clear(r.sums[:n*e.targets])
	clear(r.given[:n*e.targets])
	for row := range n {
		copy(r.given[row*e.targets:], e.sure)
	}
}

// finishAll makes the outputs of n rows from lo on.
func (e *ensemble[T]) finishAll(r *room[T], lo, n int) {
	for row := range n {
		e.end.finish(lo+row, r.sums[row*e.targets:(row+1)*e.targets], r.given[row*e.targets:(row+1)*e.targets])
	}
}

// blocks walks so many rows in blocks: all down one tree and then the next.
func (e *ensemble[T]) blocks(r *room[T], from, rows int) {
	e.loadBlocks(r, from, rows)
	if e.double != nil && e.double.Pays(min(rows, tree.Lanes)) {
		e.doubly(r, rows)
		return
	}
	leaves := r.leaves[:rows]
	for t := range e.trees.Len() {
		e.trees.Blocks(t, r.blocks[:rows*e.keys], leaves)
		e.addAll(r, leaves)
	}
}

// loadBlocks reads so many rows into blocks, of which the last need not be full.
func (e *ensemble[T]) loadBlocks(r *room[T], from, rows int) {
	size := e.keys * tree.Lanes
	for at := 0; at < rows; at += tree.Lanes {
		n := min(tree.Lanes, rows-at)
		in, first := r.window.Rows(e.in, from+at, n)
		e.load(r.blocks[at*e.keys:][:size], in, first, n, e.trees.Planes())
	}
}

// doubly walks the rows of blocks by tests that are made for two blocks at once. Where their
// number is odd the last one stands for both.
func (e *ensemble[T]) doubly(r *room[T], rows int) {
	size := e.keys * tree.Lanes
	for at := 0; at < rows; at += 2 * tree.Lanes {
		first, second := r.blocks[at*e.keys:][:size], r.blocks[at*e.keys:][:size]
		if at+tree.Lanes < rows {
			second = r.blocks[(at+tree.Lanes)*e.keys:][:size]
		}
		clear(r.double)
		e.double.Add(first, second, r.double)
		for row := range min(2*tree.Lanes, rows-at) {
			sums := r.sums[(at+row)*e.targets:][:e.targets]
			for t := range sums {
				sums[t] = T(r.double[(row/tree.Lanes*e.targets+t)*tree.Lanes+row%tree.Lanes])
			}
		}
	}
}

// addAll gives the weights of a leaf of one tree to each row.
func (e *ensemble[T]) addAll(r *room[T], leaves []int32) {
	switch {
	case e.first == nil:
		for row, leaf := range leaves {
			e.add(r, row, leaf)
		}
		return
	case e.targets == 1 && e.rest == nil: // one weight for each row
		sums, first := r.sums[:len(leaves)], e.first
		for row, leaf := range leaves {
			sums[row] += first[leaf].value
		}
		for row := range r.given[:len(leaves)] {
			r.given[row] = true
		}
	case e.sure != nil: // what is given is known
		sums, at := r.sums, 0
		for row, leaf := range leaves {
			w := &e.first[leaf]
			if target := int(w.target); target >= 0 {
				sums[at+target] += w.value
			} else {
				sums[at+^target] += w.value
				e.addRest(r, row, leaf)
			}
			at += e.targets
		}
	case e.targets == 1:
		sums, given := r.sums[:len(leaves)], r.given[:len(leaves)]
		for row, leaf := range leaves {
			w := &e.first[leaf]
			sums[row] += w.value
			given[row] = true
			if w.target < 0 {
				e.addRest(r, row, leaf)
			}
		}
	default:
		sums, given, at := r.sums, r.given, 0
		for row, leaf := range leaves {
			w := &e.first[leaf]
			if target := int(w.target); target >= 0 {
				sums[at+target] += w.value
				given[at+target] = true
			} else {
				sums[at+^target] += w.value
				given[at+^target] = true
				e.addRest(r, row, leaf)
			}
			at += e.targets
		}
	}
}

// addRest gives a row the weights of a leaf but the first.
func (e *ensemble[T]) addRest(r *room[T], row int, leaf int32) {
	for _, w := range e.rest.of(leaf) {
		at := row*e.targets + int(w.target)
		r.sums[at] += w.value
		r.given[at] = true
	}
}

// row walks one row, several trees at once.
func (e *ensemble[T]) row(r *room[T], from, at int) {
	x := r.blocks[:e.keys*tree.Lanes]
	in, first := r.window.Rows(e.in, from, 1)
	e.load(x, in, first, 1, e.trees.Planes())
	for first := 0; first < e.trees.Len(); first += tree.Lanes {
		leaves := r.leaves[:min(tree.Lanes, e.trees.Len()-first)]
		e.trees.Trees(first, x, leaves)
		for _, leaf := range leaves {
			e.add(r, at, leaf)
		}
	}
}

// add gives the weights of a leaf to the sums of the row at a place.
func (e *ensemble[T]) add(r *room[T], at int, leaf int32) {
	sums, given := r.sums[at*e.targets:(at+1)*e.targets], r.given[at*e.targets:(at+1)*e.targets]
	list := e.votes.of(leaf)
	if e.aggregate <= sum {
		for _, w := range list {
			sums[w.target] += w.value
			given[w.target] = true
		}
		return
	}
	for _, w := range list {
		s := &sums[w.target]
		if !given[w.target] || e.aggregate == least && w.value < *s || e.aggregate == most && w.value > *s {
			*s = w.value
		}
		given[w.target] = true
	}
}

// baseOf returns the base values that the attributes give for so many targets.
func baseOf[T number](a *op.Values, targets int) ([]T, error) {
	base, err := numbers[T](a, "base_values")
	if n := len(base); err == nil && n != 0 && n != 1 && n != targets {
		return nil, errs.New(errs.Model, "%d base values given for %d targets", n, targets)
	}
	return base, err
}

// matrixShape refuses an X that is neither [N, F] nor [F].
func matrixShape(x tensor.Shape) error {
	if len(x) != 1 && len(x) != 2 {
		return errs.New(errs.Shape, "X has shape %v, [N, F] or [F] expected", x)
	}
	return nil
}

func rowsOf(x tensor.Shape) int {
	if len(x) == 1 {
		return 1
	}
	return x[0]
}

func featuresOf(x tensor.Shape) int { return x[len(x)-1] }
