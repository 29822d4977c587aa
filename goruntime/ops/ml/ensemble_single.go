package ml

import (
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
)

// singleRoom is the scratch memory of one chunk at work.
type singleRoom struct {
	keys   []uint32  // [blocks][features][planes][tree.Wide]
	sums   []float32 // [targets][tree.Wide]
	leaves []int32   // of all blocks
}

// prepareSingle makes room for rows of float32s that are walked in a form of their own.
func (e *ensemble[T]) prepareSingle() {
	blocks := e.group / tree.Wide
	if e.quick == nil && e.narrow == nil || blocks == 0 {
		return
	}
	for i := range e.rooms {
		e.rooms[i].single = singleRoom{
			keys: make([]uint32, blocks*e.keys*tree.Wide), sums: make([]float32, e.targets*tree.Wide), leaves: make([]int32, blocks*tree.Wide),
		}
	}
}

// fill reads n rows from lo on into blocks.
func (e *ensemble[T]) fill(w *op.Window, r *singleRoom, lo, n int) {
	size, planes := e.keys*tree.Wide, e.trees.Planes()
	for b := 0; b < n; b += tree.Wide {
		block, rows := r.keys[b/tree.Wide*size:][:size], min(n-b, tree.Wide)
		in, first := w.Rows(e.in, lo+b, rows)
		if in.Columns != nil {
			tree.Columns32(block, in.Columns, first, rows, planes)
		} else {
			tree.Rows32(block, in.At(first*e.features), e.features, rows, planes)
		}
	}
}

// singles computes rows from lo on, and returns how many: 0 where they are walked
// otherwise.
func (e *ensemble[T]) singles(r *room[T], lo, hi int) int {
	switch n := hi - lo; {
	case len(r.single.keys) == 0:
		return 0
	case e.quick != nil && e.quick.Pays(min(n, tree.Wide)):
		return e.quickly(r, lo, min(n, tree.Wide))
	case e.narrow != nil && n > tree.Lanes:
		n = min(n, e.group/tree.Wide*tree.Wide)
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
	e.fill(r.window, s, lo, n)
	clear(s.sums)
	e.quick.Add(s.keys[:e.keys*tree.Wide], s.sums)
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
	e.fill(r.window, s, lo, n)
	e.reset(r, n)
	blocks := (n + tree.Wide - 1) / tree.Wide
	leaves := s.leaves[:blocks*tree.Wide]
	for t := range e.trees.Len() {
		e.narrow.Blocks(t, s.keys[:blocks*e.keys*tree.Wide], leaves)
		e.addAll(r, leaves[:n])
	}
	e.finishAll(r, lo, n)
	return n
}
