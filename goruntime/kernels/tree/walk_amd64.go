//go:build !portable && !race

package tree

import "unsafe"

// walkLanes is portableLanes for eight rows at once.
//
//go:noescape
func walkLanes(cells, x unsafe.Pointer, at *uint32, blocks, stride, start, rounds int)

// walkNarrow is portableNarrow, for eight rows at once.
//
//go:noescape
func walkNarrow(cells *narrow, keys, at *uint32, blocks, stride, rounds int)

// walkOne is portableOne for eight trees at once.
//
//go:noescape
func walkOne(cells, x unsafe.Pointer, at *[Lanes]uint32)
