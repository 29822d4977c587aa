package ml

import (
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// prepareQuick sees to it that rows are walked quickly where they can be: float32s, by
// trees that are small, whose leaves each add one weight.
func (e *ensemble[T]) prepareQuick(c *op.Context) {
	if c.In(0).DType != tensor.F32 || e.first == nil || e.rest != nil {
		return
	}
	e.quick = e.trees.Quick(func(leaf int32) (target int, value float32) {
		w := e.first[leaf]
		return int(w.target), float32(w.value)
	})
	if e.quick == nil {
		return
	}
	for i := range e.rooms {
		r := &e.rooms[i]
		r.quickKeys, r.quickSums = make([]int32, e.features*tree.QuickLanes), make([]float32, e.targets*tree.QuickLanes)
	}
}

// quickly computes n rows from lo on, and reports whether it did.
func (e *ensemble[T]) quickly(r *room[T], lo, n int) bool {
	served := false
	if e.in.Columns != nil {
		served = e.quick.Columns(r.quickKeys, e.in.Columns, lo, n)
	} else {
		served = e.quick.Rows(r.quickKeys, e.in.At(lo*e.features), e.features, n)
	}
	if !served {
		return false
	}
	clear(r.quickSums)
	e.quick.Add(r.quickKeys, r.quickSums)
	for row := range n {
		copy(r.given[row*e.targets:], e.sure)
		for t := range e.targets {
			r.sums[row*e.targets+t] = T(r.quickSums[t*tree.QuickLanes+row])
		}
	}
	e.finishAll(r, lo, n)
	return true
}
