package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/kernels/tree"
)

// weight is what a leaf gives to a target.
type weight[T number] struct {
	target int32
	value  T
}

// votes are the weights of the leaves: those of leaf i are from starts[i] on.
type votes[T number] struct {
	starts []int32
	list   []weight[T]
}

// sure returns the targets for which some tree has a weight in each of its leaves,
// where no leaf has one for another target; else nil.
func (v *votes[T]) sure(f *tree.Forest, targets int) []bool {
	list, some := make([]bool, targets), make([]bool, targets)
	for t := range f.Len() {
		leaves, count := 0, map[int32]int{}
		f.Leaves(t, func(leaf int32) {
			leaves++
			here := map[int32]bool{}
			for _, w := range v.of(leaf) {
				here[w.target] = true
			}
			for target := range here {
				count[target]++
			}
		})
		for target, n := range count {
			some[target] = true
			list[target] = list[target] || n == leaves
		}
	}
	if !slices.Equal(list, some) {
		return nil
	}
	return list
}

// of returns the weights of a leaf.
func (v *votes[T]) of(leaf int32) []weight[T] { return v.list[v.starts[leaf]:v.starts[leaf+1]] }

// condensed returns the votes without zeros, which change no sum, but for one weight
// that a leaf keeps.
func (v *votes[T]) condensed() *votes[T] {
	c := &votes[T]{starts: make([]int32, 1, len(v.starts))}
	for leaf := range int32(len(v.starts) - 1) {
		all, from := v.of(leaf), len(c.list)
		for _, w := range all {
			if w.value != 0 {
				c.list = append(c.list, w)
			}
		}
		if len(all) > 0 && len(c.list) == from {
			c.list = append(c.list, all[0])
		}
		c.starts = append(c.starts, int32(len(c.list)))
	}
	return c
}

// split returns the first weight of each leaf and the others, nil where there are
// none; nothing where a leaf has no weight. A first weight that others follow has the
// complement of its target, which is below zero.
func (v *votes[T]) split() (first []weight[T], rest *votes[T]) {
	rest = &votes[T]{starts: make([]int32, 1, len(v.starts))}
	for leaf := range int32(len(v.starts) - 1) {
		all := v.of(leaf)
		if len(all) == 0 {
			return nil, nil
		}
		w := all[0]
		if len(all) > 1 {
			w.target = ^w.target
		}
		first, rest.list = append(first, w), append(rest.list, all[1:]...)
		rest.starts = append(rest.starts, int32(len(rest.list)))
	}
	if len(rest.list) == 0 {
		rest = nil
	}
	return first, rest
}
