package ml

import (
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// single is how an ensemble walks rows of float32s: all trees quickly where they are
// small and each leaf adds one weight, else in a form that is half as large.
type single struct {
	quick  *tree.Quick
	narrow *tree.Narrow
	blocks int // that are walked at once
}

// singleRoom is the scratch memory of one chunk at work.
type singleRoom struct {
	keys   []uint32  // [blocks][features][tree.Wide]
	sums   []float32 // [targets][tree.Wide]
	leaves []int32   // of all blocks
}

// newSingle returns how rows of the input are walked; nil where they are not float32s,
// or no form serves the forest.
func (e *ensemble[T]) newSingle(c *op.Context) *single {
	if c.In(0).DType != tensor.F32 || e.features == 0 || e.group < tree.Wide {
		return nil
	}
	s := &single{blocks: e.group / tree.Wide}
	if e.first != nil && e.rest == nil {
		s.quick = e.trees.Quick(func(leaf int32) (target int, value float32) {
			w := e.first[leaf]
			return int(w.target), float32(w.value)
		})
	}
	if s.narrow = e.trees.Narrow(); s.narrow == nil && s.quick == nil {
		return nil
	}
	for i := range e.rooms {
		e.rooms[i].single = singleRoom{
			keys: make([]uint32, s.blocks*e.features*tree.Wide), sums: make([]float32, e.targets*tree.Wide), leaves: make([]int32, s.blocks*tree.Wide),
		}
	}
	return s
}

// keys reads n rows from lo on into blocks, and tells whether one is a NaN.
func (e *ensemble[T]) keys(r *singleRoom, lo, n int) (nan bool) {
	size := e.features * tree.Wide
	for b := 0; b < n; b += tree.Wide {
		block, rows := r.keys[b/tree.Wide*size:][:size], min(n-b, tree.Wide)
		if e.in.Columns != nil {
			nan = tree.Columns32(block, e.in.Columns, lo+b, rows) || nan
		} else {
			nan = tree.Rows32(block, e.in.At((lo+b)*e.features), e.features, rows) || nan
		}
	}
	return nan
}

// singles computes rows from lo on, and returns how many: 0 where they are walked
// otherwise.
func (e *ensemble[T]) singles(r *room[T], lo, hi int) int {
	switch n := hi - lo; {
	case e.single == nil:
		return 0
	case e.single.quick != nil && e.single.quick.Pays(min(n, tree.Wide)):
		return e.quickly(r, lo, min(n, tree.Wide))
	case e.single.narrow != nil && n > tree.Lanes:
		n = min(n, e.single.blocks*tree.Wide)
		if rest := n % tree.Wide; rest <= tree.Lanes { // rather each alone
			n -= rest
		}
		return e.narrowly(r, lo, n)
	}
	return 0
}

// quickly computes the n rows of one block.
func (e *ensemble[T]) quickly(r *room[T], lo, n int) int {
	s := &r.single
	if nan := e.keys(s, lo, n); !e.single.quick.Serves(nan) {
		return 0
	}
	clear(s.sums)
	e.single.quick.Add(s.keys[:e.features*tree.Wide], s.sums)
	for row := range n {
		copy(r.given[row*e.targets:], e.sure)
		for t := range e.targets {
			r.sums[row*e.targets+t] = T(s.sums[t*tree.Wide+row])
		}
	}
	e.finishAll(r, lo, n)
	return n
}

// narrowly computes n rows in blocks, of which the last need not be full.
func (e *ensemble[T]) narrowly(r *room[T], lo, n int) int {
	s := &r.single
	if nan := e.keys(s, lo, n); !e.single.narrow.Serves(nan) {
		return 0
	}
	e.reset(r, n)
	blocks := (n + tree.Wide - 1) / tree.Wide
	leaves := s.leaves[:blocks*tree.Wide]
	for t := range e.trees.Len() {
		e.single.narrow.Blocks(t, s.keys[:blocks*e.features*tree.Wide], leaves)
		e.addAll(r, leaves[:n])
	}
	e.finishAll(r, lo, n)
	return n
}
