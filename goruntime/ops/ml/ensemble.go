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

// loader reads n numbers of a row into every Lanes-th place of dst and tells
// whether one is a NaN.
type loader[T tree.Number] func(dst []T, in *tensor.View, at, n int) bool

func load[In float32 | float64 | int32 | int64, T tree.Number](dst []T, in *tensor.View, at, n int) bool {
	nan := false
	for i, v := range tensor.Elems[In](in)[at : at+n] {
		x := T(v)
		dst[i*tree.Lanes] = x
		nan = nan || x != x
	}
	return nan
}

func loadHalf(dst []float32, in *tensor.View, at, n int) bool {
	nan := false
	for i, v := range tensor.Elems[tensor.Half](in)[at : at+n] {
		x := v.Float32()
		dst[i*tree.Lanes] = x
		nan = nan || x != x
	}
	return nan
}

// finisher makes the outputs of a row from what its leaves gave: sums by target,
// and whether there was anything for it.
type finisher[T tree.Number] interface {
	finish(row int, sums []T, given []bool)
}

// ensemble adds up what the leaves of many trees give to each row. Trees are
// visited in one order, so sums do not depend on the rows or the threads.
type ensemble[T tree.Number] struct {
	trees     *tree.Forest[T]
	votes     *votes[T]
	single    []T // by leaf, where there is one target and one weight a leaf
	targets   int
	features  int
	aggregate aggregate
	load      loader[T]
	end       finisher[T]
	in        *tensor.View
	group     int // rows that are walked together
	rooms     []room[T]
	free      chan int
}

// room is the scratch memory of one chunk at work.
type room[T tree.Number] struct {
	blocks []T
	packed []bool
	sums   []T
	given  []bool
	leaves [tree.Lanes]int32
}

// groupBytes is how much of the rows is walked down a tree at once: trees stay in
// the first cache meanwhile.
const groupBytes = 16 << 10

// newEnsemble takes x [N, F] or [F].
func newEnsemble[T tree.Number](c *op.Context, f *tree.Forest[T], v *votes[T], targets int, load loader[T], end finisher[T]) *ensemble[T] {
	e := &ensemble[T]{trees: f, votes: v, targets: targets, features: featuresOf(c.In(0).Shape), aggregate: sum, load: load, end: end}
	e.single = v.alone(targets)
	blocks := min(max(1, groupBytes/(8*tree.Lanes*max(1, e.features))), 8)
	e.group = blocks * tree.Lanes
	n := c.Threads() + 1
	e.rooms, e.free = make([]room[T], n), make(chan int, n)
	for i := range e.rooms {
		e.rooms[i] = room[T]{
			blocks: make([]T, e.group*e.features), packed: make([]bool, blocks),
			sums: make([]T, e.group*targets), given: make([]bool, e.group*targets),
		}
		e.free <- i
	}
	return e
}

// alone returns the weight of each leaf where there is exactly one, of the only
// target.
func (v *votes[T]) alone(targets int) []T {
	if targets != 1 || len(v.list) != len(v.starts)-1 {
		return nil
	}
	list := make([]T, len(v.list))
	for i, w := range v.list {
		if v.starts[i] != int32(i) {
			return nil
		}
		list[i] = w.value
	}
	return list
}

// rowGrain is how many walks of a tree make a chunk worth handing out.
const rowGrain = 4000

func (e *ensemble[T]) run(c *op.Context) {
	e.in = c.In(0)
	c.For(rowsOf(e.in.Shape), max(tree.Lanes, rowGrain/max(1, e.trees.Len())), e)
}

// Chunk implements op.Task over the rows.
func (e *ensemble[T]) Chunk(lo, hi int) {
	slot := <-e.free
	defer func() { e.free <- slot }()
	r := &e.rooms[slot]
	for lo < hi {
		n := min(hi-lo, e.group)
		clear(r.sums)
		clear(r.given)
		full := n / tree.Lanes
		e.blocks(r, lo, full)
		for row := full * tree.Lanes; row < n; row++ {
			e.row(r, lo+row, row)
		}
		for row := range n {
			e.end.finish(lo+row, r.sums[row*e.targets:(row+1)*e.targets], r.given[row*e.targets:(row+1)*e.targets])
		}
		lo += n
	}
}

// blocks walks so many blocks of rows, all down one tree and then the next.
func (e *ensemble[T]) blocks(r *room[T], from, blocks int) {
	size := e.features * tree.Lanes
	for b := range blocks {
		x, nan := r.blocks[b*size:(b+1)*size], false
		for lane := range tree.Lanes {
			nan = e.load(x[min(lane, len(x)):], e.in, (from+b*tree.Lanes+lane)*e.features, e.features) || nan
		}
		r.packed[b] = e.trees.Packed(x, nan)
	}
	for t := range e.trees.Len() {
		for b := range blocks {
			e.trees.Block(t, r.blocks[b*size:(b+1)*size], r.packed[b], &r.leaves)
			at := b * tree.Lanes
			if e.single != nil && e.aggregate <= sum {
				sums := r.sums[at : at+tree.Lanes]
				for lane, leaf := range r.leaves {
					sums[lane] += e.single[leaf]
				}
				continue
			}
			for lane, leaf := range r.leaves {
				e.add(r, at+lane, leaf)
			}
		}
	}
}

// row walks one row, several trees at once.
func (e *ensemble[T]) row(r *room[T], from, at int) {
	x := r.blocks[:e.features*tree.Lanes]
	packed := e.trees.Packed(x, e.load(x, e.in, from*e.features, e.features))
	for first := 0; first < e.trees.Len(); first += tree.Lanes {
		e.trees.Trees(first, x, packed, &r.leaves)
		for _, leaf := range r.leaves[:min(tree.Lanes, e.trees.Len()-first)] {
			e.add(r, at, leaf)
		}
	}
}

// add gives the weights of a leaf to the sums of the row at a place.
func (e *ensemble[T]) add(r *room[T], at int, leaf int32) {
	for _, w := range e.votes.list[e.votes.starts[leaf]:e.votes.starts[leaf+1]] {
		s, given := &r.sums[at*e.targets+w.target], &r.given[at*e.targets+w.target]
		switch {
		case e.aggregate <= sum:
			*s += w.value
		case !*given || e.aggregate == least && w.value < *s || e.aggregate == most && w.value > *s:
			*s = w.value
		}
		*given = true
	}
}

// baseOf returns the base values that the attributes give for so many targets.
func baseOf[T tree.Number](a *op.Values, targets int) ([]T, error) {
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
