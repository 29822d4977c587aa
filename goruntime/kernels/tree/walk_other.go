//go:build !amd64 || portable || race

package tree

import "unsafe"

func walkLanes(cells, x unsafe.Pointer, at *uint32, blocks, stride, start, rounds int) {
	portableLanes(cells, x, at, blocks, stride, start, rounds)
}

func walkNarrow(cells *narrow, keys, at *uint32, blocks, stride, rounds int) {
	portableNarrow(cells, keys, at, blocks, stride, rounds)
}

func walkOne(cells, x unsafe.Pointer, at *[Lanes]uint32) { portableOne(cells, x, at) }
